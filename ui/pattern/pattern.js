import { byWeight, drawArcs } from "../web/arcs.js";
import { button } from "../web/elements.js";
import { percent, probability } from "../web/numbers.js";
import { stepped } from "../web/roving.js";
import { paint, unpacked } from "./grid.js";

const TOP = 136; // px that the arcs have above the words

export default function mount({ data, parentElement: root }) {
  const T = data.pieces.length;
  const weights = unpacked(data.weights, T);
  const line = root.querySelector(".line");
  const signature = data.pieces.join("\u0000");
  if (line.dataset.signature !== signature) {
    line.dataset.signature = signature;
    line.dataset.chosen = data.start;
    line.replaceChildren(
      ...data.pieces.map((piece, t) => button({ "aria-label": `token ${t}, ${piece}` }, piece)),
    );
  }
  const choose = (t, scroll) => show(root, data, weights, t, scroll);
  [...line.children].forEach((word, t) => {
    word.onclick = () => choose(t, false);
  });
  line.onkeydown = (event) => {
    const t = stepped(event.key, Number(line.dataset.chosen), T);
    if (t === null) return;
    event.preventDefault();
    choose(t, true);
    line.children[t].focus({ preventScroll: true });
  };
  root.querySelector(".grid").hidden = !data.grid;
  for (const last of root.querySelectorAll(".last")) last.textContent = T > 1 ? T - 1 : "";
  const canvas = root.querySelector("canvas");
  canvas.ariaLabel = data.label;
  canvas.onclick = (event) => choose(cellAt(canvas, event, T)[0], true);
  const cell = root.querySelector(".cell");
  canvas.onpointermove = (event) => {
    cell.textContent = cellSentence(data.pieces, weights, ...cellAt(canvas, event, T));
  };
  canvas.onpointerleave = () => {
    cell.textContent = "";
  };
  choose(Math.min(Number(line.dataset.chosen), T - 1), true);
}

export function sentence(pieces, weight, t) {
  const seen = byWeight((s) => weight(t, s), t + 1)
    .slice(0, 3)
    .map((s) => {
      const name = s === t ? "itself" : `“${pieces[s]}” at ${s}`;
      return `${name} (${share(weight, t, s)})`;
    });
  return `Token ${t}, “${pieces[t]}”, looks at ${seen.join(", ")}.`;
}

const share = (weight, t, s) => (t ? probability(weight(t, s)) : percent(weight(t, s)));

// One cell of the grid in words; "" above the diagonal, where no token looks.
export function cellSentence(pieces, weight, t, s) {
  return s > t ? "" : `“${pieces[t]}” at ${t} looks at “${pieces[s]}” at ${s}: ${share(weight, t, s)}.`;
}

// The row and the column under the pointer.
function cellAt(canvas, event, T) {
  const box = canvas.getBoundingClientRect();
  const part = (at, from, size) => Math.min(T - 1, Math.max(0, Math.floor(((at - from) / size) * T)));
  return [part(event.clientY, box.top, box.height), part(event.clientX, box.left, box.width)];
}

function show(root, data, weight, t, scroll) {
  const line = root.querySelector(".line");
  const words = [...line.children];
  line.dataset.chosen = t;
  words.forEach((word, i) => {
    word.setAttribute("aria-pressed", String(i === t));
    word.tabIndex = i === t ? 0 : -1;
  });
  root.querySelector(".said").textContent = sentence(data.pieces, weight, t);
  const svg = root.querySelector("svg");
  svg.setAttribute("width", line.scrollWidth);
  drawArcs(svg, words, (s) => weight(t, s), t, TOP);
  paint(root.querySelector("canvas"), data.pieces.length, data.ramp, weight, t);
  if (!scroll) return;
  const most = byWeight((s) => weight(t, s), t + 1).find((s) => s !== t) ?? t;
  const ends = [most, t].map((i) => [words[i].offsetLeft, words[i].offsetLeft + words[i].offsetWidth]);
  const box = root.querySelector(".words");
  box.scrollLeft = inView(ends, box.clientWidth);
}

// Where to scroll so that the thickest arc is seen from end to end, in the middle; of one that is wider than
// the room, the end at the chosen word.  ends: [left, right] of the word looked at and of the chosen one.
export function inView([[from], [, to]], room) {
  return to - from <= room ? Math.max(0, (from + to - room) / 2) : to - room + 6;
}
