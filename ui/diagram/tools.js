// Which token and which block the measured numbers are of.

import { button, element } from "../web/elements.js";
import { steady } from "../web/ranges.js";
import { roving } from "../web/roving.js";

// The slider and the switch are built once: a finger may be on one when the measured numbers arrive.
export function showTools(diagram) {
  const { data, view } = diagram;
  const host = diagram.at(".tools");
  if (!data.ask) {
    host.replaceChildren();
    return;
  }
  if (!host.firstChild || view.layers !== data.layers)
    host.replaceChildren(element("div"), blocks(diagram), motion(diagram), element("p"));
  view.layers = data.layers;
  showTokens(diagram, host);
  showBlock(diagram);
  host.querySelector("[type=checkbox]").checked = !view.still;
  const note = host.lastChild;
  note.textContent = data.journey?.note ?? "";
  note.hidden = !note.textContent;
}

// The row of tokens is built once for a text; after that, only the chosen one is marked.
function showTokens(diagram, host) {
  const { data, view } = diagram;
  const { ask, journey } = data;
  const text = JSON.stringify([ask, journey?.pieces, journey?.error]);
  if (view.text !== text) host.firstChild.replaceWith(tokens(diagram));
  const row = host.firstChild;
  const shows = `${text} ${journey?.token}`;
  if (view.tokens !== shows && journey?.pieces) {
    const chosen = row.children[journey.token];
    for (const one of row.children) one.ariaPressed = String(one === chosen);
    if (!row.contains(diagram.root.activeElement))
      for (const one of row.children) one.tabIndex = one === chosen ? 0 : -1;
    bringAlong(row, chosen);
  }
  Object.assign(view, { text, tokens: shows });
}

// A token that is out of sight comes to the middle of its row.
function bringAlong(row, chosen) {
  const left = chosen.offsetLeft - row.offsetLeft;
  const seen = left >= row.scrollLeft && left + chosen.offsetWidth <= row.scrollLeft + row.clientWidth;
  if (!seen) row.scrollLeft = left - (row.clientWidth - chosen.offsetWidth) / 2;
}

function tokens(diagram) {
  const { journey } = diagram.data;
  const row = element("div", { class: "chips", role: "group", "aria-label": "Tokens", tabindex: -1 });
  if (!journey?.pieces) {
    row.append(element("p", {}, journey?.error ?? "Reading your text …"));
    return row;
  }
  const chips = journey.pieces.map((piece, index) => {
    const chip = button({ "aria-label": `token ${index}, ${piece}`, title: `token ${index}` }, piece);
    chip.onclick = () => {
      for (const other of chips) other.ariaPressed = String(other === chip);
      diagram.report("token", index);
    };
    return chip;
  });
  row.append(...chips);
  roving(row, chips, journey.token);
  return row;
}

// Every slider stands at the block that is shown.
export function showBlock({ data, root, view }) {
  for (const range of root.querySelectorAll("input[aria-label=Block]")) {
    if (range.value !== String(view.block)) range.value = view.block;
    range.nextElementSibling.textContent = `${view.block} of ${data.layers}`;
  }
}

export function blocks(diagram) {
  const { data, view } = diagram;
  const range = element("input", {
    type: "range",
    min: 1,
    max: data.layers,
    step: 1,
    value: view.block,
    "aria-label": "Block",
    disabled: data.layers === 1,
  });
  const said = element("output", {}, `${view.block} of ${data.layers}`);
  range.oninput = () => diagram.goToBlock(Number(range.value));
  steady(range);
  range.onchange = () => diagram.report("block", view.block);
  return element("label", {}, element("span", {}, "Block"), range, said);
}

function motion(diagram) {
  const { view } = diagram;
  const box = element("input", { type: "checkbox" });
  box.onchange = () => {
    view.still = !box.checked;
    diagram.at(".all").classList.toggle("still", view.still);
    diagram.report("still", view.still || null);
  };
  return element("label", { class: "motion" }, box, "Motion");
}
