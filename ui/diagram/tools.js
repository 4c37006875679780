// Which token and which block the measured numbers are of.

import { button, element } from "../web/elements.js";
import { roving } from "../web/roving.js";
import { showCard } from "./card.js";

export function showTools(diagram) {
  const { data, root, view } = diagram;
  const { live } = data;
  if (!data.ask) {
    diagram.at(".tools").replaceChildren();
    return;
  }
  const shows = JSON.stringify([data.ask, live?.token, live?.error, view.start]);
  if (view.tools === shows) return;
  view.tools = shows;
  const kept = diagram.at(".chips")?.scrollLeft;
  const row = root.activeElement?.closest(".chips");
  const place = row ? [...row.children].indexOf(root.activeElement) : -1;
  const chips = tokens(diagram);
  diagram.at(".tools").replaceChildren(chips, blocks(diagram));
  if (live?.note) diagram.at(".tools").append(element("p", {}, live.note));
  if (place >= 0) chips.children[place]?.focus({ preventScroll: true });
  if (kept) chips.scrollLeft = kept;
}

function tokens(diagram) {
  const { live } = diagram.data;
  const row = element("div", { class: "chips", role: "group", "aria-label": "Tokens", tabindex: -1 });
  if (!live || live.error) {
    row.append(element("p", {}, live ? live.error : "Reading your text …"));
    return row;
  }
  const chips = live.pieces.map((piece, index) => {
    const pressed = String(index === live.token);
    const label = `token ${index}, ${piece}`;
    const chip = button({ "aria-pressed": pressed, "aria-label": label, title: `token ${index}` }, piece);
    chip.onclick = () => {
      for (const other of chips) other.ariaPressed = String(other === chip);
      diagram.report("token", index);
    };
    return chip;
  });
  row.append(...chips);
  roving(row, chips, live.token);
  return row;
}

function blocks(diagram) {
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
  range.oninput = () => {
    view.block = Number(range.value);
    said.textContent = `${view.block} of ${data.layers}`;
    diagram.mark();
    showCard(diagram);
  };
  range.onchange = () => diagram.report("block", view.block);
  return element("label", {}, element("span", {}, "Block"), range, said);
}
