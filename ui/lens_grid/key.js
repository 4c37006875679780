// What the cells show: the choice of it, what it means, and the key to the colours.

import { element } from "../web/elements.js";
import { nats } from "./cells.js";

export function buildKey(lens) {
  const { data } = lens;
  const names = data.measures.map(([key, name]) => [
    key,
    key === "follow" ? `Followed: ${data.follow.label}` : name,
  ]);
  const options = names.map(([value, name]) => element("option", { value }, name));
  lens.select = element("select", { "aria-label": "Cells show" }, ...options);
  lens.select.onchange = () => lens.change({ measure: lens.select.value });
  lens.low = element("span");
  lens.high = element("span");
  const ramp = element("span", { class: "ramp" });
  ramp.style.background = `linear-gradient(90deg, ${data.ramp.join(", ")})`;
  const framed = element(
    "span",
    { class: "key" },
    element("span", { class: "framed" }),
    "real next token on top",
  );
  return [
    element("label", {}, element("span", {}, "Cells show"), lens.select),
    element("div", { class: "key" }, lens.low, ramp, lens.high, framed),
  ];
}

export function showKey(lens) {
  const [key, , ends, meaning] = lens.measure;
  lens.select.value = key;
  lens.meaning.textContent = meaning;
  lens.low.textContent = ends[0];
  lens.high.textContent = highEnd(lens.grids, key) ?? ends[1];
}

// The deep end of the scale, where it is measured.
function highEnd(grids, key) {
  if (key === "divergence") return `${nats(Math.max(...grids.map((grid) => grid.largest)))} nats`;
  return key === "entropy" ? `${nats(Math.log(grids[0].vocabulary))} nats` : null;
}
