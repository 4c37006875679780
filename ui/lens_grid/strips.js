// How the columns lie: side by side in one line that scrolls; on the wide screen of class mode they wrap like
// a text, in as many strips as the screen has room for, and the rows grow to fill it.

import { widthsOf } from "./cells.js";

const WIDE = 66; // rem, from which on grid and panel stand side by side in class mode
const ROW = [1.55, 4.3]; // rem, a row's height at least and at most
const SPACING = 0.12; // rem between two columns
const BAR = 1; // rem that the area's scroll bar may take
const BELOW = 1; // rem that the page keeps free below

export const remOf = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

// The sizes that the style sheet gives, in rem: the column of the rows' names, and a cell's letters.
export function sizesOf({ narrow, stage, data: { teaching } }) {
  if (stage) return { first: 9.4, letters: 1.25 };
  if (narrow) return teaching ? { first: 6.6, letters: 1 } : { first: 5.6, letters: 0.8 };
  return teaching ? { first: 12, letters: 1.45 } : { first: 8, letters: 0.8 };
}

// Columns of these widths, each line filled before the next begins -> lists of columns.
export function wrapped(widths, room) {
  const lines = [];
  let left = -1;
  widths.forEach((width, c) => {
    left -= width;
    if (left < 0) {
      lines.push([]);
      left = room - width;
    }
    lines.at(-1).push(c);
  });
  return lines;
}

// So many strips of this height, with so many rows each, into a height -> how many are seen at once, and how
// high a row is; heights in rem, `least` being the strip's with the lowest rows.
export function fitted(strips, least, rows, height) {
  const seen = Math.min(Math.max(Math.floor(height / least), 1), strips);
  const spare = height / seen - least;
  return { seen, cell: Math.min(ROW[0] + Math.max(spare, 0) / rows, ROW[1]) };
}

// Whether grid and panel stand side by side for a whole class to read.
export const isStage = ({ host, data }) => data.teaching && host.clientWidth / remOf() >= WIDE;

// How wide each column is, in rem.
export function widthsFor(lens) {
  const { letters } = sizesOf(lens);
  const widths = lens.stage ? widthsOf(lens.grids, 4, 1.2) : widthsOf(lens.grids);
  return widths.map((width) => width * letters * 0.61);
}

// How much height there is below the area's upper edge, in rem.
export function heightBelow(node) {
  const above = document.querySelector("[data-testid=stMain]")?.scrollTop ?? scrollY;
  return (innerHeight - node.getBoundingClientRect().top - above) / remOf() - BELOW;
}

// Fill the stage: in strips where at least one fits the height, if need be without the sentence above them;
// else in one line that scrolls, as elsewhere.
export function fill(lens) {
  const widths = widthsFor(lens);
  lens.host.style.setProperty("--cell", `${ROW[0]}rem`);
  const room = lens.area.clientWidth / remOf() - sizesOf(lens).first - BAR;
  lens.buildGrids(
    wrapped(
      widths.map((width) => width + SPACING),
      room,
    ),
  );
  if (fit(lens)) return;
  lens.host.classList.add("tight");
  if (!fit(lens)) lens.buildGrids([[...widths.keys()]]);
}

// Give the strips, which stand there with the lowest rows, the height they have -> whether they fit at all.
function fit({ host, area, panel, grids }) {
  const rem = remOf();
  const strips = [...area.children];
  const least = Math.max(...strips.map((strip) => strip.offsetHeight)) / rem;
  const height = heightBelow(area);
  panel.style.maxHeight = `${heightBelow(panel)}rem`;
  if (least > height) return false;
  const rows = grids.reduce((n, grid) => n + grid.R, 0);
  const { cell, seen } = fitted(strips.length, least, rows, height);
  host.style.setProperty("--cell", `${cell}rem`);
  area.style.height = seen < strips.length ? `${height}rem` : "";
  return true;
}
