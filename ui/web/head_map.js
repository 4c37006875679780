export default function ({ data, parentElement: root, setTriggerValue }) {
  const make = (name, text, parent) => {
    const node = document.createElement(name);
    if (text !== null) node.textContent = text;
    parent.append(node);
    return node;
  };
  const head = root.querySelector("thead"), body = root.querySelector("tbody");
  const signature = JSON.stringify(data.scores);
  if (body.dataset.signature !== signature) {
    body.dataset.signature = signature;
    head.replaceChildren();
    body.replaceChildren();
    const top = make("tr", null, head);
    make("td", "", top);
    data.scores[0].forEach((_, h) => { make("th", "head " + (h + 1), top).scope = "col"; });
    data.scores.forEach((row, b) => {
      const tr = make("tr", null, body);
      make("th", "block " + (b + 1), tr).scope = "row";
      row.forEach(([previous, induction], h) => {
        const button = make("button", null, make("td", null, tr));
        button.type = "button";
        button.dataset.head = (b + 1) + "." + (h + 1);
        for (const [kind, share] of [["p", previous], ["i", induction]]) {
          make("span", Math.round(100 * share) + " %", button);
          const bar = make("i", null, button);
          bar.className = kind;
          bar.style.width = 100 * share + "%";
        }
        button.ariaLabel = `Head ${h + 1} of block ${b + 1}: ${Math.round(100 * previous)} % to the token just `
          + `before, ${Math.round(100 * induction)} % to the token that followed the last time`;
        button.onclick = () => { mark(button.dataset.head); setTriggerValue("head", button.dataset.head); };
      });
    });
  }
  const mark = (chosen) => body.querySelectorAll("button").forEach((button) => {
    button.setAttribute("aria-pressed", button.dataset.head === chosen);
  });
  mark(data.chosen);
}
