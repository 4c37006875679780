export default function ({ data, parentElement: root, setTriggerValue }) {
  const make = (name, text, parent) => {
    const node = document.createElement(name);
    if (text !== null) node.textContent = text;
    parent.append(node);
    return node;
  };
  const head = root.querySelector("thead"), body = root.querySelector("tbody"), key = root.querySelector(".key");
  const signature = JSON.stringify([data.cells, data.key]);
  if (body.dataset.signature !== signature) {
    body.dataset.signature = signature;
    for (const part of [head, body, key]) part.replaceChildren();
    const top = make("tr", null, head);
    make("td", "", top);
    data.cells[0].forEach((_, h) => { make("th", "head " + (h + 1), top).scope = "col"; });
    data.cells.forEach((row, b) => {
      const tr = make("tr", null, body);
      make("th", "block " + (b + 1), tr).scope = "row";
      row.forEach((cell, h) => {
        const button = make("button", null, make("td", null, tr));
        button.type = "button";
        button.dataset.head = (b + 1) + "." + (h + 1);
        for (const [kind, share, text] of cell.bars) {
          make("span", text, button);
          if (share === null) continue;
          const bar = make("i", null, button);
          bar.style.background = `var(--mark-${kind})`;
          bar.style.width = 100 * share + "%";
        }
        button.ariaLabel = cell.label;
        button.onclick = () => { mark(button.dataset.head); setTriggerValue("head", button.dataset.head); };
      });
    });
    for (const [kind, meaning] of Object.entries(data.key)) {
      const line = make("span", null, key);
      make("i", null, line).style.background = `var(--mark-${kind})`;
      line.append(meaning);
    }
  }
  const mark = (chosen) => {
    const all = [...body.querySelectorAll("button")];
    all.forEach((button) => { button.setAttribute("aria-pressed", button.dataset.head === chosen); });
    const reached = all.find((button) => button.dataset.head === chosen) ?? all[0];
    all.forEach((button) => { button.tabIndex = button === reached ? 0 : -1; });
  };
  const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  body.onkeydown = (event) => {
    const step = steps[event.key], from = event.target.dataset.head?.split(".").map(Number);
    if (!step || !from) return;
    event.preventDefault();
    const next = body.querySelector(`[data-head="${from[0] + step[0]}.${from[1] + step[1]}"]`);
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  mark(data.chosen);
}
