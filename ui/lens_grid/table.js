// The grid as a table: a row for each depth, a column for each token; cells answer taps and keys.

import { rampColour } from "../web/colours.js";
import { element } from "../web/elements.js";
import { probability } from "../web/numbers.js";
import { brief, briefest, isRight, longer, shown } from "./cells.js";
import { showCell } from "./panel.js";
import { sizesOf, widthsFor } from "./strips.js";

// A grid's tables, one for each strip of columns, and its cells as if they stood in one.
export function buildTable(lens, g) {
  const grid = lens.grids[g];
  const table = { nodes: [], bodies: [], heads: [], feet: [], guesses: [], cells: grid.rows.map(() => []) };
  for (const columns of lens.lines) addStrip(lens, g, table, columns);
  return table;
}

function addStrip(lens, g, table, columns) {
  const grid = lens.grids[g];
  const last = columns.length - 1;
  const where = lens.lines.length > 1 ? `, positions ${columns[0]} to ${columns[last]}` : "";
  const size = { "aria-rowcount": grid.R + 1, "aria-colcount": grid.T + 1 };
  const named = { role: "grid", "aria-label": `Logit lens of ${grid.title}${where}` };
  const node = element("table", { ...named, ...size }, columnsOf(lens, columns));
  node.style.width = `${widthOf(lens, columns).reduce((a, b) => a + b)}rem`;
  if (!lens.stage || g === 0) node.append(addHeads(grid, table, columns));
  node.append(addCells(lens, g, table, columns));
  if (!lens.stage || g === lens.grids.length - 1) node.append(addFeet(lens, grid, table, columns));
  table.nodes.push(node);
}

// As wide as the letters of the style sheet make them, the rows' names first.
function widthOf(lens, columns) {
  const widths = widthsFor(lens);
  return [sizesOf(lens).first, ...columns.map((c) => widths[c])];
}

const columnsOf = (lens, columns) =>
  element(
    "colgroup",
    {},
    ...widthOf(lens, columns).map((size) => element("col", { style: `width: ${size}rem` })),
  );

function addHeads(grid, table, columns) {
  const corner = element("th", { scope: "row" }, element("span", { class: "place" }, "position"), "token");
  const heads = columns.map((c) => headOf(grid, grid.tokens[c], c));
  table.heads.push(...heads);
  return element("thead", {}, element("tr", {}, corner, ...heads));
}

function addFeet(lens, grid, table, columns) {
  const feet = columns.map((c) => {
    const label = grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);
    return element("td", { class: longer(label) }, label);
  });
  table.feet.push(...feet);
  const name = (words) => element("th", { scope: "row" }, words);
  const foot = element(
    "tfoot",
    {},
    element("tr", {}, name(lens.stage ? "next token" : "real next token"), ...feet),
  );
  if (!lens.data.teaching) return foot;
  const guesses = columns.map(() => element("td"));
  table.guesses.push(...guesses);
  foot.append(
    element("tr", { class: "guesses" }, name(lens.stage ? "our guess" : "the room's guess"), ...guesses),
  );
  return foot;
}

function headOf(grid, id, c) {
  const label = grid.label(id);
  const kinds = [
    c >= grid.T - grid.written && "written",
    c === 0 && grid.marked && "marker",
    longer(label),
  ].filter(Boolean);
  const said = { class: kinds.join(" ") || null, title: `position ${c}, id ${id}: ${label}` };
  const place = element("span", { class: "place" }, `${c}`);
  return element("th", { scope: "col", ...said }, place, element("span", { class: "token" }, label));
}

function addCells(lens, g, table, columns) {
  const grid = lens.grids[g];
  const body = element("tbody");
  grid.rows.forEach((name, r) => {
    const said = lens.stage ? briefest(name) : lens.narrow ? brief(name) : name;
    const row = element("tr", {}, element("th", { scope: "row", title: said !== name && name }, said));
    body.append(row);
    for (const c of columns) {
      const td = document.createElement("td");
      td.place = [g, r, c];
      td.tabIndex = -1;
      row.append(td);
      table.cells[r].push(td);
    }
  });
  answer(lens, g, body);
  table.bodies.push(body);
  return body;
}

function answer(lens, g, body) {
  body.onclick = (event) => {
    const td = event.target.closest("td");
    if (td) lens.choose(...td.place, { bring: true });
  };
  body.onpointerover = (event) => {
    const still = performance.now() - lens.scrolled > 150; // cells that pass under the mouse are not looked at
    const td = still && event.pointerType === "mouse" && event.target.closest("td");
    if (td) showCell(lens, ...td.place);
  };
  body.onpointerleave = (event) => {
    if (event.pointerType === "mouse") showCell(lens, ...lens.place());
  };
  body.addEventListener("focusin", (event) => {
    const td = event.target.closest("td");
    if (!td) return;
    nameCell(lens, td);
    if (td.matches(":focus-visible")) showCell(lens, ...td.place);
  });
  body.onkeydown = (event) => press(lens, g, event);
}

function press(lens, g, event) {
  const td = event.target.closest("td");
  if (!td) return;
  const [, r, c] = td.place;
  if (event.key === "ArrowUp" && r === 0 && lens.column) lens.tables[g].heads[c].focus();
  const to = reached(event.key, r, c, lens.grids[g]);
  if (to) {
    event.preventDefault();
    if (to[0] !== r || to[1] !== c) focusCell(lens, g, td, lens.tables[g].cells[to[0]][to[1]]);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    lens.choose(g, r, c);
  }
}

// The cell that a key leads to, [row, column], or null.
export function reached(key, r, c, { R, T }) {
  const to = {
    ArrowUp: [r - 1, c],
    ArrowDown: [r + 1, c],
    ArrowLeft: [r, c - 1],
    ArrowRight: [r, c + 1],
    Home: [r, 0],
    End: [r, T - 1],
  }[key];
  return to ? [Math.min(Math.max(to[0], 0), R - 1), Math.min(Math.max(to[1], 0), T - 1)] : null;
}

function focusCell(lens, g, from, to) {
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus({ preventScroll: true });
  lens.bring(g, to);
}

export function paintTable(lens, g) {
  const { data, view } = lens;
  const grid = lens.grids[g];
  const [key] = lens.measure;
  const covered = lens.covered(grid);
  const from = data.teaching && view.covered ? lens.place()[2] + 1 : grid.T; // the first covered column
  const words = key === "top" || key === "settled";
  for (const body of lens.tables[g].bodies) body.classList.toggle("numbers", !words);
  lens.tables[g].cells.forEach((row, r) => {
    row.forEach((td, c) => {
      const hidden = covered.has(r) || c >= from;
      const [text, place] = shown(grid, key, r, c);
      const framed = !hidden && c + 1 < from && isRight(grid, r, c);
      td.textContent = hidden ? "" : text;
      td.style.background = hidden ? "" : rampColour(data.ramp, place);
      td.style.color = place >= data.flips ? "#fff" : "#000";
      const chosen = td.classList.contains("chosen");
      const kinds = [hidden && "covered", framed && "right", chosen && "chosen", words && longer(text)];
      td.className = kinds.filter(Boolean).join(" ");
    });
  });
}

export const nameCell = (lens, td) => td.setAttribute("aria-label", cellWords(lens, ...td.place));

// What a cell says, in words.
export function cellWords(lens, g, r, c) {
  const grid = lens.grids[g];
  const where = `${grid.rows[r]}, position ${c}`;
  const i = (r * grid.T + c) * grid.k;
  const hidden = lens.covered(grid).has(r) || lens.beyond(c);
  const right = isRight(grid, r, c) && !lens.beyond(c + 1) ? ", right" : "";
  const says = `${grid.label(grid.ids[i])}, ${probability(grid.p[i])}${right}`;
  return hidden ? `${where}: covered` : `${where}, after ${grid.label(grid.tokens[c])}: ${says}`;
}
