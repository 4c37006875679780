// The grid as a table: a row for each depth, a column for each token; cells answer taps and keys.

import { rampColour } from "../web/colours.js";
import { element } from "../web/elements.js";
import { probability } from "../web/numbers.js";
import { brief, isRight, longer, shown, widthsOf } from "./cells.js";
import { showCell } from "./panel.js";

export function buildTable(lens, g) {
  const grid = lens.grids[g];
  const size = { "aria-rowcount": grid.R + 1, "aria-colcount": grid.T + 1 };
  const node = element("table", { role: "grid", "aria-label": `Logit lens of ${grid.title}`, ...size });
  const heads = grid.tokens.map((id, c) => headOf(grid, id, c));
  const corner = element("th", { scope: "row" }, element("span", { class: "place" }, "position"), "token");
  const { body, cells } = buildCells(lens, g);
  const feet = grid.next.map((id) =>
    id < 0 ? element("td", {}, "–") : element("td", { class: longer(grid.label(id)) }, grid.label(id)),
  );
  const foot = element(
    "tfoot",
    {},
    element("tr", {}, element("th", { scope: "row" }, "real next token"), ...feet),
  );
  const top = element("thead", {}, element("tr", {}, corner, ...heads));
  node.append(columns(lens, node), top, body, foot);
  answer(lens, g, body);
  return { node, heads, body, cells, feet, foot };
}

// As wide as the letters of the style sheet make them.
function columns({ grids, narrow, data: { teaching } }, node) {
  const first = narrow ? (teaching ? 6.6 : 5.6) : teaching ? 12 : 8;
  const letters = teaching ? (narrow ? 1 : 1.45) : 0.8;
  const sizes = [first, ...widthsOf(grids).map((width) => width * letters * 0.61)];
  node.style.width = `${sizes.reduce((a, b) => a + b)}rem`;
  return element("colgroup", {}, ...sizes.map((size) => element("col", { style: `width: ${size}rem` })));
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

function buildCells(lens, g) {
  const grid = lens.grids[g];
  const body = element("tbody");
  const cells = grid.rows.map((name, r) => {
    const row = element("tr", {}, element("th", { scope: "row" }, lens.narrow ? brief(name) : name));
    body.append(row);
    return grid.tokens.map((_, c) => {
      const td = document.createElement("td");
      td.place = [g, r, c];
      td.tabIndex = -1;
      row.append(td);
      return td;
    });
  });
  return { body, cells };
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
  const to = reached(event.key, r, c, lens.grids[g]);
  if (to) {
    event.preventDefault();
    focusCell(lens, g, td, lens.tables[g].cells[to[0]][to[1]]);
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
  lens.tables[g].body.classList.toggle("numbers", !words);
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

export function nameCell(lens, td) {
  const [g, r, c] = td.place;
  const grid = lens.grids[g];
  const where = `${grid.rows[r]}, position ${c}`;
  const i = (r * grid.T + c) * grid.k;
  const hidden = lens.covered(grid).has(r) || lens.beyond(c);
  const right = isRight(grid, r, c) && !lens.beyond(c + 1) ? ", right" : "";
  const says = `${grid.label(grid.ids[i])}, ${probability(grid.p[i])}${right}`;
  td.setAttribute(
    "aria-label",
    hidden ? `${where}: covered` : `${where}, after ${grid.label(grid.tokens[c])}: ${says}`,
  );
}
