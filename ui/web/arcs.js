// Arcs over a row of words: from the words that are looked at to the one that looks.

import { shape } from "./elements.js";

const MOST = 40; // arcs
const LEAST = 0.01; // a weight below it has no arc

// The first tokens so many, those that are looked at most first.  weight: token -> its weight.
export const byWeight = (weight, count) => [...Array(count).keys()].sort((a, b) => weight(b) - weight(a));

// Draw into an svg of this height.  words: elements in a row; t: the one that looks.
export function drawArcs(svg, words, weight, t, height) {
  const seen = byWeight(weight, t + 1)
    .slice(0, MOST)
    .filter((s) => weight(s) >= LEAST);
  svg.setAttribute("height", height);
  svg.replaceChildren(...seen.map((s) => arc(words[s], words[t], weight(s), height)));
}

const middle = (word) => word.offsetLeft + word.offsetWidth / 2;

function arc(from, to, weight, height) {
  const own = from === to;
  const a = middle(from) - (own ? 12 : 0);
  const b = middle(to) + (own ? 12 : 0);
  const high = height - 1.33 * (own ? 14 : Math.min(height - 10, 14 + (b - a) / 3));
  const path = shape("path", { d: `M${a} ${height} C${a} ${high} ${b} ${high} ${b} ${height}` });
  path.style.strokeWidth = 1 + 7 * weight;
  path.style.opacity = 0.25 + 0.75 * weight;
  return path;
}
