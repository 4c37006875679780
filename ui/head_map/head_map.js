import { button, element } from "../web/elements.js";

export default function mount({ data, parentElement: root, setTriggerValue }) {
  const body = root.querySelector("tbody");
  const signature = JSON.stringify([data.cells, data.key]);
  if (body.dataset.signature !== signature) {
    body.dataset.signature = signature;
    build(root, data);
  }
  body.onclick = (event) => {
    const chosen = event.target.closest("button")?.dataset.head;
    if (!chosen) return;
    mark(body, chosen);
    setTriggerValue("head", chosen);
  };
  body.onkeydown = (event) => step(body, event);
  mark(body, data.chosen);
}

function build(root, { cells, key }) {
  const heads = cells[0].map((_, h) => element("th", { scope: "col" }, `head ${h + 1}`));
  root.querySelector("thead").replaceChildren(element("tr", {}, element("td"), ...heads));
  const rows = cells.map((row, b) => {
    const name = element("th", { scope: "row" }, `block ${b + 1}`);
    const buttons = row.map((cell, h) => element("td", {}, headButton(cell, `${b + 1}.${h + 1}`)));
    return element("tr", {}, name, ...buttons);
  });
  root.querySelector("tbody").replaceChildren(...rows);
  const meanings = Object.entries(key).map(([kind, meaning]) => element("span", {}, bar(kind), meaning));
  root.querySelector(".key").replaceChildren(...meanings);
}

function headButton(cell, head) {
  const parts = cell.bars.flatMap(([kind, share, text]) => {
    const said = element("span", {}, text);
    return share === null ? [said] : [said, bar(kind, share)];
  });
  return button({ "data-head": head, "aria-label": cell.label }, ...parts);
}

function bar(kind, share = null) {
  const made = element("i");
  made.style.background = `var(--mark-${kind})`;
  if (share !== null) made.style.width = `${100 * share}%`;
  return made;
}

function mark(body, chosen) {
  const all = [...body.querySelectorAll("button")];
  const reached = all.find((one) => one.dataset.head === chosen) ?? all[0];
  for (const one of all) {
    one.setAttribute("aria-pressed", String(one.dataset.head === chosen));
    one.tabIndex = one === reached ? 0 : -1;
  }
}

// The arrow keys go from head to head.
function step(body, event) {
  const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const from = event.target.dataset.head?.split(".").map(Number);
  if (!by || !from) return;
  event.preventDefault();
  const next = body.querySelector(`[data-head="${from[0] + by[0]}.${from[1] + by[1]}"]`);
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
