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
    delete line.dataset.whole;
    line.replaceChildren(
      ...data.pieces.map((piece, t) =>
        button({ class: "word", "aria-label": `token ${t}, ${piece}` }, piece),
      ),
    );
  }
  const choose = (t, scroll) => show(root, data, weights, t, scroll);
  wordsOf(line).forEach((word, t) => {
    word.onclick = () => choose(t, false);
  });
  line.onkeydown = (event) => {
    const t = stepped(event.key, Number(line.dataset.chosen), T);
    if (t === null) return;
    event.preventDefault();
    choose(t, true);
    wordsOf(line)[t].focus({ preventScroll: true });
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
  return fitted(root, () => choose(Number(line.dataset.chosen), true));
}

// Drawn anew for another width, as when the fold around it is opened -> a function that ends it.
function fitted(root, again) {
  const box = root.querySelector(".words");
  let room = box.clientWidth;
  const watch = new ResizeObserver(() => {
    if (box.clientWidth === room) return;
    room = box.clientWidth;
    again();
  });
  watch.observe(box);
  return () => watch.disconnect();
}

const wordsOf = (line) => [...line.querySelectorAll(".word")];

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
  const words = wordsOf(line);
  line.dataset.chosen = t;
  words.forEach((word, i) => {
    word.setAttribute("aria-pressed", String(i === t));
    word.tabIndex = i === t ? 0 : -1;
  });
  root.querySelector(".said").textContent = sentence(data.pieces, weight, t);
  const box = root.querySelector(".words");
  const again = () => show(root, data, weight, t, true);
  const gathered = gather(line, (s) => weight(t, s), t, box.clientWidth, again);
  const svg = root.querySelector("svg");
  svg.setAttribute("width", 0);
  svg.setAttribute("width", line.scrollWidth);
  drawArcs(svg, words, (s) => (words[s].hidden ? 0 : weight(t, s)), t, TOP);
  paint(root.querySelector("canvas"), data.pieces.length, data.ramp, weight, t);
  if (scroll || gathered)
    box.scrollLeft = inView(
      endsOf(words, (s) => weight(t, s), t),
      box.clientWidth,
    );
}

// [left, right] of the word that is looked at most, beside itself, and of the one that looks.
function endsOf(words, weight, t) {
  const most = byWeight(weight, t + 1).find((s) => s !== t) ?? t;
  return [most, t].map((i) => [words[i].offsetLeft, words[i].offsetLeft + words[i].offsetWidth]);
}

const NOTED = 0.05; // a word that gets this much stays in sight

// Where the thickest arc is wider than the room, the words under it that get little are gathered behind a
// button, which shows them all again -> whether any are.
function gather(line, weight, t, room, again) {
  const words = wordsOf(line);
  for (const old of line.querySelectorAll(".more")) old.remove();
  for (const word of words) word.hidden = false;
  const [[from], [, to]] = endsOf(words, weight, t);
  if (line.dataset.whole || to - from <= room) return false;
  const most = byWeight(weight, t + 1).find((s) => s !== t) ?? t;
  const runs = runsOf(most, t, weight);
  for (const run of runs) {
    for (const s of run) words[s].hidden = true;
    const more = button(
      { class: "more", "aria-label": `Show the ${run.length} tokens here` },
      `⋯ ${run.length}`,
    );
    more.onclick = () => {
      line.dataset.whole = "yes";
      again();
    };
    words[run[0]].before(more);
  }
  return runs.length > 0;
}

// The runs of two words or more between two, and not beside them, that get little -> lists of places.
export function runsOf(from, to, weight) {
  const runs = [[]];
  for (let s = from + 2; s < to - 1; s += 1)
    if (weight(s) < NOTED) runs.at(-1).push(s);
    else runs.push([]);
  return runs.filter((run) => run.length > 1);
}

// Where to scroll so that the thickest arc is seen from end to end, in the middle; of one that is wider than
// the room, the end at the chosen word.  ends: [left, right] of the word looked at and of the chosen one.
export function inView([[from], [, to]], room) {
  return to - from <= room ? Math.max(0, (from + to - room) / 2) : to - room + 6;
}
