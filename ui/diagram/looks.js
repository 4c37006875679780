// Where a head looks: in words, and as arcs over the text.

import { drawArcs } from "../web/arcs.js";
import { element, shape } from "../web/elements.js";
import { percent } from "../web/numbers.js";

const HIGH = 76; // px of the arcs

export function mostLookedAt(weights, pieces, most = 5) {
  return weights
    .map((weight, index) => [weight, index])
    .sort((a, b) => b[0] - a[0])
    .slice(0, most)
    .map(([weight, index]) => `${pieces[index]} ${percent(weight)}`);
}

// "Head 2 looks most at ·dog 41 %, itself 20 %, ·a 11 %."
export function looksAt({ attention, pieces, token }, { block, head }) {
  const named = pieces.map((piece, index) => (index === token ? "itself" : piece));
  const weights = attention[block - 1][head - 1];
  if (weights.length === 1) return `Head ${head} can look at nothing but this token itself.`;
  return `Head ${head} looks most at ${mostLookedAt(weights, named, 3).join(", ")}.`;
}

// Arcs over the words up to the token; hang them in, then call the function that comes with them.
export function arcs({ attention, pieces, token }, { block, head }) {
  const weights = attention[block - 1][head - 1];
  const words = weights.map((weight, index) =>
    element("span", { class: index === token && "own" }, pieces[index], element("br"), percent(weight)),
  );
  const svg = shape("svg", { "aria-hidden": "true" });
  const row = element("div", { class: "row" }, ...words);
  const label = `Where head ${head} looks: ${mostLookedAt(weights, pieces).join(", ")}`;
  const strip = element("div", { class: "strip", tabindex: 0, role: "img", "aria-label": label }, svg, row);
  const draw = () => {
    svg.setAttribute("width", row.scrollWidth);
    drawArcs(svg, words, (s) => weights[s], token, HIGH);
    strip.scrollLeft = strip.scrollWidth;
  };
  return [strip, draw];
}
