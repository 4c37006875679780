// What the logit lens reads of the token's stream where the chosen part stands.

import { element } from "../web/elements.js";

// The row of the lens: the embedding, then two for each block, after attention and at its end.
export function rowOf(depth, block, rows) {
  const entering = 2 * (block - 1);
  return { start: 0, entering, between: entering + 1, leaving: entering + 2, end: rows - 1 }[depth];
}

export function title(row, rows) {
  if (row === rows - 1) return "At the end it says";
  if (row === 0) return "From the embedding alone it would say";
  const after = row % 2 ? `After attention in block ${(row + 1) / 2}` : `After block ${row / 2}`;
  return `${after} it would say`;
}

export function current({ data, view }) {
  const rows = data.journey?.read;
  if (!rows) return null;
  const row = rowOf(data.parts[view.part].depth, view.block, rows.length);
  return { bars: rows[row], title: title(row, rows.length) };
}

export function showReading(diagram) {
  const host = diagram.at(".reading");
  const now = current(diagram);
  host.hidden = !diagram.data.ask;
  if (!host.firstElementChild)
    host.append(element("h2"), element("ol", {}, ...Array.from({ length: 5 }, emptyBar)));
  const [heading, list] = host.children;
  heading.textContent = now?.title ?? "What it would say here";
  [...list.children].forEach((bar, index) => {
    fill(bar, now?.bars[index]);
  });
}

const emptyBar = () =>
  element(
    "li",
    {},
    element("b"),
    element("span", { class: "track" }, element("i")),
    element("span", { class: "p" }),
  );

// Filled in its place, so that the bar grows and shrinks as one goes down.
function fill(bar, said = ["", "", 0]) {
  const [piece, track, share] = bar.children;
  [piece.textContent, share.textContent] = said;
  track.firstElementChild.style.setProperty("--p", `${100 * said[2]}%`);
}

// The same in one line, for a screen without room for the bars.
export function inOneLine(diagram) {
  const line = element("p", { class: "line" });
  fillLine(line, current(diagram));
  return line;
}

export function showLine(diagram) {
  const line = diagram.at(".line");
  if (line) fillLine(line, current(diagram));
}

function fillLine(line, now) {
  const said = now?.bars.slice(0, 3).map(([piece, share]) => `${piece} ${share}`);
  line.replaceChildren(...(said ? [`${now.title} `, element("b", {}, said.join(", "))] : []));
}
