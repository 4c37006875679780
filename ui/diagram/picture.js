// The picture of a model: its parts from top to bottom, the stream beside them, each part a button.

import { shape } from "../web/elements.js";

const WIDE = 380;
const HIGH = 48;
const GAP = 14;
const STREAM = 30;
const LEFT = 66;
const RIGHT = 326;
const EDGE = 6;
const BESIDE = 5; // around a part, so that a finger finds it on a narrow screen too
const CENTRE = (EDGE + RIGHT) / 2;
const MIDDLE = (LEFT + RIGHT) / 2;
const INSIDE = RIGHT - LEFT;

// Draw the whole model -> { svg, places }.  open: a Set of the parts whose insides are shown; places: where
// things are, and the elements that measured numbers change.
export function drawPicture(data, open) {
  const { picture, parts } = data;
  const under = shape("g", { "aria-hidden": "true" });
  const drawing = { parts, open, under, buttons: [], places: {}, y: 4 };
  column(drawing, picture.above);
  const streamTop = drawing.y - GAP;
  const frameTop = streamTop + 36;
  const stream = partButton(drawing, "stream");
  drawing.y = frameTop + 8;
  box(drawing, "block", LEFT, drawing.y, 122);
  box(drawing, "blocks", LEFT + 130, drawing.y, 130);
  drawing.y += HIGH + 12;
  const additions = picture.parallel
    ? drawBoth(drawing, picture.halves)
    : drawInTurn(drawing, picture.halves);
  const frameBottom = drawing.y + 2;
  frame(drawing, frameTop, frameBottom);
  drawing.y = frameBottom + 22;
  const below = drawing.y;
  column(drawing, picture.below);
  const [first, second] = additions.map(({ at }) => at);
  const ends = [streamTop, frameTop, first, second, frameBottom, below];
  drawStream(drawing, stream, ends);
  for (const one of additions.toReversed()) addition(drawing, one);
  if (picture.tied) tie(drawing);
  const { buttons, places } = drawing;
  const size = { viewBox: `0 0 ${WIDE} ${drawing.y - 10}`, role: "group", "aria-label": data.name };
  const svg = shape("svg", size, arrowhead(), under, ...buttons); // reached with Tab in the order of the pass
  return { svg, places };
}

function arrowhead() {
  const look = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7 };
  const turned = { orient: "auto-start-reverse", style: "fill: var(--mark-norm)" };
  const tip = shape("marker", { id: "tip", ...look, ...turned }, shape("path", { d: "M0 0 L8 4 L0 8 z" }));
  return shape("defs", {}, tip);
}

const line = ({ under }, ...points) =>
  under.append(
    shape("polyline", { points: points.map((point) => point.join(",")).join(" "), class: "flow" }),
  );

function partButton(drawing, id, extra) {
  const part = drawing.parts[id];
  const label = part.title + (part.label ? `, ${part.label}` : "") + (part.differs ? ", differs" : "");
  const look = { style: `--part: var(--mark-${part.mark})`, class: part.differs ? "differs" : "" };
  const state = { "aria-label": label, "aria-pressed": "false" };
  const g = shape("g", { role: "button", tabindex: 0, "data-id": id, ...state, ...look, ...extra });
  drawing.buttons.push(g);
  return g;
}

function box(drawing, id, x, y, width, extra = {}) {
  const part = drawing.parts[id];
  const g = partButton(drawing, id, extra);
  const two = part.label && width > 130;
  const title = (part.differs ? "≠ " : "") + part.title;
  const size = Math.min(15, (width - 8) / (title.length * 0.53));
  const at = { x: x + width / 2, y: y + HIGH / 2 + (two ? -3 : 5), style: `font-size:${size}px` };
  const reach = { class: "reach", x, y: y - BESIDE, width, height: HIGH + 2 * BESIDE };
  g.append(shape("rect", reach), shape("rect", { class: "box", x, y, width, height: HIGH, rx: 5 }));
  g.append(shape("text", at, title));
  if (two) g.append(shape("text", { x: x + width / 2, y: y + HIGH / 2 + 14, class: "small" }, part.label));
}

// Parts of the whole width, one below the other.
function column(drawing, ids) {
  ids.forEach((id, index) => {
    const { y } = drawing;
    if (index) line(drawing, [CENTRE, y - GAP], [CENTRE, y - 1]);
    box(drawing, id, EDGE, y, RIGHT - EDGE);
    drawing.places[id] = y + HIGH / 2;
    drawing.y += HIGH + GAP;
  });
}

// The halves one after the other, each added before the next reads -> where they are added.
function drawInTurn(drawing, halves) {
  return halves.map((half) => {
    const { from, bottom, before } = drawHalf(drawing, half);
    return added(drawing, half, before, bottom + 28, [from, bottom]);
  });
}

// Both halves read the stream as it came in: nothing is added before both are drawn.
function drawBoth(drawing, halves) {
  const aside = (STREAM + 17 + LEFT) / 2;
  const ends = halves.map((half) => {
    const end = drawHalf(drawing, half);
    drawing.y = end.bottom + 36;
    return end;
  });
  drawing.y -= 8;
  return halves.map((half, i) => {
    const { from, bottom, before } = ends[i];
    const way = i
      ? [[from, bottom]]
      : [
          [from, bottom],
          [from, bottom + 14],
          [aside, bottom + 14],
        ]; // past the other
    const end = added(drawing, half, before, drawing.y, ...way);
    drawing.y = end.at + (i ? 28 : 40);
    return end;
  });
}

// The way of what a half made to the stream -> where it is added.
function added(drawing, half, before, at, ...way) {
  line(drawing, ...way, [way.at(-1)[0], at], [STREAM + 17, at]);
  drawing.places[half.add] = at;
  drawing.y = at + 28;
  return { id: half.add, at, before };
}

// Half a block: the norm, and the part, shut or open -> where what it makes comes out.
function drawHalf(drawing, half) {
  const { y } = drawing;
  const isOpen = drawing.open.has(half.part);
  line(drawing, [STREAM, y + HIGH / 2], [LEFT - 1, y + HIGH / 2]);
  const made = isOpen ? openPart(drawing, half) : shutPart(drawing, half);
  const left = isOpen ? LEFT : LEFT + 98;
  const from = (left + RIGHT) / 2;
  const bottom = half.after ? normAfter(drawing, half.after, left, made) : made;
  return { from, bottom, before: drawing.buttons.length };
}

// A norm of what the part made -> where it ends.
function normAfter(drawing, id, left, above) {
  const y = above + GAP;
  const from = (left + RIGHT) / 2;
  line(drawing, [from, above], [from, y - 1]);
  box(drawing, id, left, y, RIGHT - left);
  return y + HIGH;
}

function shutPart(drawing, half) {
  const { y } = drawing;
  box(drawing, half.norm, LEFT, y, 84);
  line(drawing, [LEFT + 84, y + HIGH / 2], [LEFT + 97, y + HIGH / 2]);
  box(drawing, half.part, LEFT + 98, y, INSIDE - 98, { "aria-expanded": "false" });
  return y + HIGH;
}

function openPart(drawing, half) {
  const { y, parts, under } = drawing;
  const top = y + HIGH + GAP;
  box(drawing, half.norm, LEFT, y, INSIDE);
  line(drawing, [MIDDLE, y + HIGH], [MIDDLE, top - 1]);
  box(drawing, half.part, LEFT, top, INSIDE, { "aria-expanded": "true" });
  const bottom = drawInside(drawing, half, top + HIGH) - 4;
  const size = { x: LEFT, y: top, width: INSIDE, height: bottom - top, rx: 5 };
  under.prepend(
    shape("rect", { class: "group", ...size, style: `--part: var(--mark-${parts[half.part].mark})` }),
  );
  return bottom;
}

// The rows of parts within an open part, with a line from each to the next in its column -> where they end.
function drawInside(drawing, half, above) {
  const column = (INSIDE - 16 - 8 * (half.columns - 1)) / half.columns + 8;
  const last = Array(half.columns).fill(above);
  let y = above + 12;
  for (const row of half.rows) {
    for (const [id, first, covers] of row) {
      for (let c = first; c < first + covers; c += 1) {
        const x = LEFT + 8 + c * column + (column - 8) / 2;
        line(drawing, [x, last[c]], [x, y - 1]);
        last[c] = y + HIGH;
      }
      box(drawing, id, LEFT + 8 + first * column, y, covers * column - 8);
    }
    y += HIGH + 12;
  }
  return y;
}

function frame({ under }, y, bottom) {
  under.prepend(shape("rect", { class: "frame", x: 2, y, width: RIGHT + 4, height: bottom - y, rx: 8 }));
}

// The stream, a line from each of these heights to the next.
function drawStream({ parts, places }, stream, ends) {
  const [top] = ends;
  const height = ends.at(-1) - top;
  stream.append(shape("rect", { class: "hit", x: 1, y: top, width: 58, height }));
  places.vectors = ends.slice(1).map((end, i) => {
    const where = { x1: STREAM, x2: STREAM, y1: ends[i], y2: end };
    return shape("line", { class: "vector", ...where, "stroke-width": 9 });
  });
  const said = shape(
    "text",
    { x: STREAM + 24, y: top + 16, class: "small start" },
    parts.stream.title.toLowerCase(),
  );
  stream.append(...places.vectors, said);
}

function addition(drawing, { id, at, before }) {
  const { buttons, places, under } = drawing;
  const g = partButton(drawing, id);
  g.append(
    shape("rect", { class: "hit", x: 1, y: at - 29, width: 58, height: 58 }),
    shape("circle", { class: "box", cx: STREAM, cy: at, r: 16 }),
    shape("text", { x: STREAM, y: at + 7, style: "font-size: 21px" }, "+"),
  );
  buttons.pop();
  buttons.splice(before, 0, g); // reached after the part that it adds
  places[`${id}Words`] = shape("text", { x: STREAM + 24, y: at - 6, class: "measured" });
  under.append(places[`${id}Words`]);
}

function tie(drawing) {
  const { embedding: a, output: b } = drawing.places;
  const points = `${RIGHT},${a} 354,${a} 354,${b} ${RIGHT},${b}`;
  const turned = `translate(371 ${(a + b) / 2}) rotate(90)`;
  partButton(drawing, "tie").append(
    shape("rect", { class: "hit", x: 322, y: a, width: 58, height: b - a }),
    shape("polyline", { class: "ties", points }),
    shape("text", { class: "small", transform: turned }, "the tie: one matrix for both"),
  );
}
