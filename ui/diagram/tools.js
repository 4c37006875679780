// Which token and which block the measured numbers are of.

import { button, element } from "../web/elements.js";
import { steady } from "../web/ranges.js";
import { roving } from "../web/roving.js";

export function showTools(diagram) {
  const { data, root, view } = diagram;
  const { journey } = data;
  if (!data.ask) {
    diagram.at(".tools").replaceChildren();
    return;
  }
  const shows = JSON.stringify([data.ask, journey?.token, journey?.error, view.start]);
  if (view.tools === shows) return;
  view.tools = shows;
  const kept = diagram.at(".chips")?.scrollLeft;
  const row = root.activeElement?.closest(".chips");
  const place = row ? [...row.children].indexOf(root.activeElement) : -1;
  const chips = tokens(diagram);
  diagram.at(".tools").replaceChildren(chips, blocks(diagram), motion(diagram));
  if (journey?.note) diagram.at(".tools").append(element("p", {}, journey.note));
  if (place >= 0) chips.children[place]?.focus({ preventScroll: true });
  if (kept) chips.scrollLeft = kept;
  else showChosen(chips, chips.children[journey?.token]);
}

// The chosen token in the middle of the row; of a short row, all of it is seen anyway.
function showChosen(chips, chosen) {
  if (chosen)
    chips.scrollLeft = chosen.offsetLeft - chips.offsetLeft - (chips.clientWidth - chosen.offsetWidth) / 2;
}

function tokens(diagram) {
  const { journey } = diagram.data;
  const row = element("div", { class: "chips", role: "group", "aria-label": "Tokens", tabindex: -1 });
  if (!journey || journey.error) {
    row.append(element("p", {}, journey ? journey.error : "Reading your text …"));
    return row;
  }
  const chips = journey.pieces.map((piece, index) => {
    const pressed = String(index === journey.token);
    const label = `token ${index}, ${piece}`;
    const chip = button({ "aria-pressed": pressed, "aria-label": label, title: `token ${index}` }, piece);
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
  range.oninput = () => {
    said.textContent = `${range.value} of ${data.layers}`;
    diagram.goToBlock(Number(range.value));
  };
  steady(range);
  range.onchange = () => diagram.report("block", view.block);
  return element("label", {}, element("span", {}, "Block"), range, said);
}

function motion(diagram) {
  const { view } = diagram;
  const box = element("input", { type: "checkbox" });
  box.checked = !view.still;
  box.onchange = () => {
    view.still = !box.checked;
    diagram.at(".all").classList.toggle("still", view.still);
    diagram.report("still", view.still || null);
  };
  return element("label", { class: "motion" }, box, "Motion");
}
