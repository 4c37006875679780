// The grid on paper: all its columns, in as many tables as it takes, one below the other.

import { rampColour } from "../web/colours.js";
import { element } from "../web/elements.js";
import { brief, isRight, linesOf, shown, widthsOf } from "./cells.js";

const ROOM = 92; // letters that fit the width of a page, beside the rows' names

export function printed(lens) {
  const lines = linesOf(widthsOf(lens.grids), ROOM);
  return lens.grids.flatMap((grid) => [
    element("h2", {}, `${grid.title}: ${lens.measure[1]}`),
    ...lines.map((columns) => tableOf(lens, grid, columns)),
  ]);
}

function tableOf(lens, grid, columns) {
  const covered = lens.covered(grid);
  const cell = (text) => element("td", {}, text);
  const line = (name, cells) => element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  const heads = columns.map((c) =>
    element("th", { scope: "col" }, `${c} ${lens.beyond(c) ? "…" : grid.label(grid.tokens[c])}`),
  );
  const rows = grid.rows.map((name, r) =>
    line(
      brief(name),
      columns.map((c) => cellOf(lens, grid, r, c, covered)),
    ),
  );
  const next = columns.map((c) => cell(nextOf(lens, grid, c)));
  const body = element("tbody", {}, ...rows, line("real next token", next));
  return element("table", {}, element("thead", {}, line("token", heads)), body);
}

const nextOf = (lens, grid, c) =>
  lens.beyond(c + 1) ? "?" : grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);

function cellOf(lens, grid, r, c, covered) {
  if (covered.has(r) || lens.beyond(c)) return element("td", { class: "covered" });
  const [text, place] = shown(grid, lens.measure[0], r, c);
  const right = isRight(grid, r, c) && !lens.beyond(c + 1);
  const ink = place >= lens.data.flips ? "#fff" : "#000";
  const style = `background: ${rampColour(lens.data.ramp, place)}; color: ${ink}`;
  return element("td", { class: right && "right", style }, text);
}
