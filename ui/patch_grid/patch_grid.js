// A grid of cells that are coloured as they are measured.  A cell is null until it is: [text, place on the
// ramp, whether it lies beyond it].

import { rampColour } from "../web/colours.js";
import { bringWhenThere, element } from "../web/elements.js";

export default function mount({ data, parentElement: root, setTriggerValue }) {
  const host = root.querySelector(".patch");
  const signature = JSON.stringify([data.rows, data.columns, data.label]);
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    host.replaceChildren(element("div", { class: "scroll" }, tableOf(data)), keyOf(data));
    const differs = data.columns.findIndex((one) => one.differs);
    const shown = data.chosen || `0.${Math.max(0, differs)}`;
    const scroller = host.querySelector(".scroll");
    scroller.scrollLeft = cellAt(host, shown).offsetLeft - scroller.clientWidth / 2;
  }
  const cells = [...host.querySelectorAll("td[data-cell]")];
  for (const [i, td] of cells.entries()) paint(td, data, data.cells[i]);
  const at = data.chosen || data.marked || "0.0";
  const held = root.activeElement?.dataset?.cell ?? at;
  for (const td of cells) td.tabIndex = td.dataset.cell === held ? 0 : -1;
  const choose = (cell) => {
    setTriggerValue("cell", cell);
    if (data.tells) bringWhenThere(`.st-key-after-${cell.replace(".", "-")}`, "nearest");
  };
  host.onclick = (event) => {
    const cell = event.target.closest("td[data-cell]")?.dataset.cell;
    if (cell) choose(cell);
  };
  host.onkeydown = (event) => onKey(host, data, event, choose);
}

const cellAt = (host, cell) => host.querySelector(`td[data-cell="${cell}"]`);

function tableOf({ rows, columns, label, corner }) {
  const heads = columns.map(headOf);
  const top = element("thead", {}, element("tr", {}, element("th", { scope: "row" }, corner), ...heads));
  const body = rows.map((name, r) => {
    const cells = columns.map((_, c) => element("td", { role: "gridcell", "data-cell": `${r}.${c}` }));
    return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  });
  return element("table", { role: "grid", "aria-label": label }, top, element("tbody", {}, ...body));
}

// The second text's token, above it the first's where they differ.
function headOf({ first, second, differs }, c) {
  const place = element("span", { class: "place" }, `${c}`);
  const other = differs && element("span", { class: "other" }, first);
  return element("th", { scope: "col", class: differs && "differs" }, place, other, second);
}

function keyOf({ ramp, key }) {
  const bar = element("span", { class: "ramp" });
  bar.style.background = `linear-gradient(to right, ${ramp.join(", ")})`;
  return element(
    "p",
    { class: "key" },
    key[0],
    bar,
    ...key.slice(1).map((text) => element("span", {}, text)),
  );
}

function paint(td, { ramp, flips, rows, columns, chosen, marked }, measured) {
  const [r, c] = td.dataset.cell.split(".");
  const [text, place, beyond] = measured ?? ["", 0, false];
  const said = measured ? `${text} comes back` : "not measured yet";
  if (td.textContent !== text) td.textContent = text;
  td.style.background = measured ? rampColour(ramp, place) : "";
  td.style.color = place >= flips ? "#fff" : "#000";
  const kinds = [!measured && "open", beyond && "beyond", td.dataset.cell === marked && "marked"];
  kinds.push(td.dataset.cell === chosen && "chosen");
  td.className = kinds.filter(Boolean).join(" ");
  const mark = td.dataset.cell === marked ? ", your guess" : "";
  td.setAttribute("aria-label", `${rows[r]}, token ${c} ${columns[c].second}: ${said}${mark}`);
  if (td.dataset.cell === chosen) td.setAttribute("aria-selected", "true");
  else td.removeAttribute("aria-selected");
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// Where a key leads from a cell, "row.token", or null.
export function reached(key, cell, { rows, columns }) {
  const [r, c] = cell.split(".").map(Number);
  const last = columns.length - 1;
  const to = STEPS[key] ? [r + STEPS[key][0], c + STEPS[key][1]] : { Home: [r, 0], End: [r, last] }[key];
  if (!to || to[0] < 0 || to[0] >= rows.length || to[1] < 0 || to[1] > last) return null;
  return to.join(".");
}

function onKey(host, data, event, choose) {
  const from = event.target.dataset?.cell;
  if (!from) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(from);
    return;
  }
  const to = reached(event.key, from, data);
  if (!to) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  const td = cellAt(host, to);
  td.tabIndex = 0;
  td.focus();
}
