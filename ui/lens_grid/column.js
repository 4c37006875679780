// One column of the grid in one go: what every row says after one token, with a step to the token beside it.

import { rampColour } from "../web/colours.js";
import { button, calm, element } from "../web/elements.js";
import { probability } from "../web/numbers.js";
import { stepped } from "../web/roving.js";
import { brief, facing, isRight, shown } from "./cells.js";
import { cellWords } from "./table.js";

const FAR = 48; // px that a finger moves before it means the next token

export function buildColumn(lens) {
  lens.opener = button({ class: "opener", title: "Or tap a column's head" }, "One column");
  lens.opener.onclick = () => openColumn(lens, lens.place()[2]);
  lens.back = button({ class: "back" }, "Back to the grid");
  lens.back.onclick = () => closeColumn(lens);
  lens.before = stepButton(lens, -1);
  lens.after = stepButton(lens, 1);
  lens.here = element("p", { class: "here" });
  const steps = element("div", { class: "steps" }, lens.back, lens.before, lens.here, lens.after);
  lens.levels = lens.grids.map((_, g) => levelsOf(lens, g));
  lens.column = element("div", { class: "column" }, steps, ...lens.levels.map(({ node }) => node));
  lens.column.onkeydown = (event) => press(lens, event);
  answerSwipes(lens);
  for (const table of lens.tables) answerHeads(lens, table);
  return lens.column;
}

// A column's head opens it: a tap, or Enter on the head, which ArrowUp leads to.
function answerHeads(lens, { heads, nodes, cells }) {
  const downTo = (td) => {
    for (const old of nodes[0].querySelectorAll('td[tabindex="0"]')) old.tabIndex = -1;
    td.tabIndex = 0;
    td.focus();
  };
  heads.forEach((head, c) => {
    head.tabIndex = -1;
    head.onclick = () => openColumn(lens, c);
    head.onkeydown = (event) => {
      const to = stepped(event.key, c, heads.length);
      if (to !== null) heads[to].focus();
      else if (event.key === "ArrowDown") downTo(cells[0][c]);
      else if (event.key === "Enter" || event.key === " ") openColumn(lens, c);
      else return;
      event.preventDefault();
    };
  });
}

function stepButton(lens, by) {
  const made = button({ class: "step" }, by < 0 ? "‹" : "›");
  made.onclick = () => step(lens, by);
  return made;
}

// A button for each row of a grid: its name, its top candidate, and the measure's number.
function levelsOf(lens, g) {
  const grid = lens.grids[g];
  const rows = grid.rows.map((name, r) => {
    const chip = element("code");
    const number = element("span", { class: "number" });
    const made = button(
      { class: "level", tabindex: -1 },
      element("span", { class: "name" }, brief(name)),
      chip,
      number,
    );
    made.onclick = () => lens.choose(g, r, lens.place()[2], { bring: true });
    return { made, chip, number };
  });
  const head = element("p", { class: "heads", "aria-hidden": "true" });
  const title = lens.grids.length > 1 && element("h2", {}, grid.title);
  const list = element("div", { role: "group", "aria-label": `${grid.title}, row by row` });
  list.append(...rows.map(({ made }) => made));
  const goesOn = element("p", { class: "goes-on" });
  return { node: element("div", {}, title, head, list, goesOn), rows, head, goesOn };
}

export function openColumn(lens, c) {
  const [g, r] = lens.place();
  lens.change({ column: true, cell: `${lens.grids[g].keys[r]}.${c}` });
  lens.back.focus({ preventScroll: true });
  const { top } = lens.column.getBoundingClientRect();
  if (top < 0) lens.column.scrollIntoView({ behavior: calm() ? "auto" : "smooth" });
}

export function closeColumn(lens) {
  lens.change({ column: false });
  const [g, r, c] = lens.place();
  lens.mark(true);
  lens.tables[g].cells[r][c].focus({ preventScroll: true });
}

function step(lens, by) {
  const [g, r, c] = lens.place();
  const to = c + by;
  if (to < 0 || to >= lens.grids[g].T) return;
  lens.choose(g, r, to);
  if (calm()) return;
  const from = { opacity: 0.3, translate: `${Math.sign(by) * 24}px` };
  for (const { node } of lens.levels) node.animate([from, {}], { duration: 150, easing: "ease-out" });
}

export function showColumn(lens) {
  if (!lens.column) return;
  const open = Boolean(lens.view.column);
  lens.area.classList.toggle("as-column", open);
  lens.opener.hidden = open;
  if (!open) return;
  const [g, r, c] = lens.place();
  const { tokens, label } = lens.grids[0];
  lens.here.replaceChildren(element("span", {}, `position ${c}`), element("code", {}, label(tokens[c])));
  nameStep(lens.before, c - 1, lens.grids[0]);
  nameStep(lens.after, c + 1, lens.grids[0]);
  lens.grids.forEach((grid, other) => {
    const row = other === g ? r : facing(lens.grids[g], r, grid);
    fillLevels(lens, other, c, row, other === g);
  });
}

function nameStep(made, c, { T, tokens, label }) {
  made.disabled = c < 0 || c >= T;
  const says = made.disabled ? "No token there" : `Position ${c}: ${label(tokens[c])}`;
  made.ariaLabel = says;
  made.title = says;
}

function fillLevels(lens, g, c, chosen, here) {
  const grid = lens.grids[g];
  const { rows, head, goesOn } = lens.levels[g];
  const [key, name] = lens.measure;
  const words = key === "top" || key === "settled";
  const said = words ? "its probability" : key === "follow" ? `followed: ${lens.data.follow.label}` : name;
  head.replaceChildren(...["row", "top candidate", said].map((one) => element("span", {}, one)));
  rows.forEach(({ made, chip, number }, r) => {
    const i = (r * grid.T + c) * grid.k;
    const [text, place] = shown(grid, key, r, c);
    chip.textContent = grid.label(grid.ids[i]);
    chip.className = isRight(grid, r, c) ? "right" : "";
    chip.style.background = rampColour(lens.data.ramp, place);
    chip.style.color = place >= lens.data.flips ? "#fff" : "#000";
    number.textContent = words ? probability(grid.p[i]) : text;
    made.setAttribute("aria-pressed", String(r === chosen));
    made.tabIndex = here && r === chosen ? 0 : -1;
    made.ariaLabel = cellWords(lens, g, r, c) + (words ? "" : `; ${said}: ${text}`);
  });
  const next = grid.next[c];
  goesOn.replaceChildren("real next token: ", next < 0 ? "–" : element("code", {}, grid.label(next)));
}

// Left and right lead to the token beside it, up and down from row to row, Escape to the grid.
function press(lens, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  const [g, , c] = lens.place();
  const to = stepped(key, c, lens.grids[g].T);
  if (key === "Escape") closeColumn(lens);
  else if (to !== null) step(lens, to - c);
  else if (!moveRow(lens, event)) return;
  event.preventDefault();
  event.stopPropagation();
}

function moveRow(lens, { key, target }) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[key];
  const rows = lens.levels.flatMap((levels) => levels.rows.map(({ made }) => made));
  const at = rows.indexOf(target.closest(".level"));
  if (!by || at < 0 || !rows[at + by]) return false;
  rows[at].tabIndex = -1;
  rows[at + by].tabIndex = 0;
  rows[at + by].focus();
  return true;
}

// A finger that moves sideways goes to the next token; one that moves up or down scrolls the page, which the
// browser tells with pointercancel.
function answerSwipes(lens) {
  const { column } = lens;
  let from = null;
  const end = () => {
    from = null;
    column.style.translate = "";
  };
  column.addEventListener("pointerdown", (event) => {
    from = event.pointerType !== "mouse" && event.isPrimary ? [event.clientX, event.clientY] : null;
  });
  column.addEventListener("pointermove", (event) => {
    if (from && !calm()) column.style.translate = `${(event.clientX - from[0]) / 4}px`;
  });
  column.addEventListener("pointercancel", end);
  column.addEventListener("pointerup", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
    end();
    if (Math.abs(x) > FAR && Math.abs(x) > 2 * Math.abs(y)) step(lens, x < 0 ? 1 : -1);
  });
}
