// Class mode: rows are uncovered one by one, the text can be covered, and the room's guesses are kept.

import { button, element } from "../web/elements.js";

const KEYS = [
  [["↓", "Space", "Page Down"], "the next row"],
  [["↑", "Page Up"], "cover it again"],
  [["←", "→"], "another token"],
];

export function buildTeaching(lens) {
  lens.teach = element("div", { class: "bar teach" });
  const add = (words, act, title) => {
    const made = button({ title }, words);
    made.onclick = act;
    lens.teach.append(made);
    return made;
  };
  lens.most = Math.max(...lens.grids.map((grid) => grid.R));
  lens.more = add("Show next row", () => turn(lens, 1));
  lens.less = add("Cover it again", () => turn(lens, -1));
  lens.all = add("", () => lens.change({ shown: lens.view.shown < lens.most ? lens.most : 0 }));
  lens.order = add("", () => lens.change({ order: lens.view.order === "top" ? "bottom" : "top" }));
  lens.cover = add(
    "",
    () => lens.change({ covered: !lens.view.covered }),
    "Hides the text after the chosen column, so that the room can guess it",
  );
  lens.bar.after(lens.teach, keysShown());
  lens.host.style.setProperty(
    "--rows",
    lens.grids.reduce((n, grid) => n + grid.R + 1, 0),
  );
  lens.select.addEventListener("change", () => lens.select.blur()); // or the arrows would go on choosing in it
  takeFocus(lens);
}

// What was clicked to come here would answer the keys first.
function takeFocus(lens) {
  const on = document.activeElement;
  if (on && on !== document.body && !on.matches("textarea, input:not([type=checkbox])"))
    lens.more.focus({ preventScroll: true });
}

function keysShown() {
  const one = ([keys, does]) =>
    element("span", {}, ...keys.flatMap((key) => [element("kbd", {}, key), " "]), does);
  return element("p", { class: "keys" }, ...KEYS.map(one));
}

// So many rows further, or the next token.
export function turnPage(lens, rows, columns) {
  if (rows) turn(lens, rows);
  else stepColumn(lens, columns);
}

function stepColumn(lens, columns) {
  const [g, r, c] = lens.place();
  const to = c + columns;
  if (to < 0 || to >= lens.grids[g].T) return;
  lens.choose(g, r, to);
  lens.bring(g, lens.tables[g].cells[r][to]);
}

function turn(lens, step) {
  const shown = Math.min(Math.max(lens.view.shown + step, 0), lens.most);
  if (shown !== lens.view.shown) lens.change({ shown, ...newest(lens, shown) });
  else document.dispatchEvent(new CustomEvent("turned-past", { detail: step })); // a lesson goes on
}

// The cell in the row that was uncovered last, which the panel then tells of: in the chosen grid, or in the
// one that has still rows to uncover.
function newest(lens, shown) {
  const [chosen, , c] = lens.place();
  const rowOf = (grid) => (lens.view.order === "top" ? shown - 1 : grid.R - shown);
  const has = (g) => rowOf(lens.grids[g]) >= 0 && rowOf(lens.grids[g]) < lens.grids[g].R;
  const g = [chosen, ...lens.grids.keys()].find(has);
  return g === undefined ? {} : { grid: g, cell: `${lens.grids[g].keys[rowOf(lens.grids[g])]}.${c}` };
}

export function showTeaching(lens) {
  const { shown, order, covered, guesses } = lens.view;
  lens.more.disabled = shown >= lens.most;
  lens.less.disabled = shown === 0;
  lens.all.textContent = shown < lens.most ? "Show all" : "Cover all";
  lens.cover.textContent = covered ? "Show what comes" : "Cover the text from here on";
  lens.order.textContent = order === "top" ? "Order: embedding first" : "Order: output first";
  lens.cover.setAttribute("aria-pressed", String(covered));
  lens.tables.forEach((table, g) => {
    const grid = lens.grids[g];
    table.heads.forEach((head, c) => {
      const label = grid.label(grid.tokens[c]);
      head.querySelector(".token").textContent = lens.beyond(c) ? "…" : label;
      head.title = lens.beyond(c) ? "covered" : `position ${c}, id ${grid.tokens[c]}: ${label}`;
    });
    table.feet.forEach((foot, c) => {
      const next = grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);
      foot.textContent = lens.beyond(c + 1) ? "?" : next;
      table.guesses[c].textContent = guesses[c] ?? "";
    });
  });
}

// The field for the room's guess at a column, in class mode.
export function guessing(lens, c) {
  if (!lens.data.teaching) return [];
  const field = element("input", {
    type: "text",
    "aria-label": `The room's guess after position ${c}`,
    placeholder: "The room's guess",
    maxlength: 40,
    value: lens.view.guesses[c] ?? "",
  });
  const keep = button({}, "Keep");
  keep.onclick = () => {
    const guesses = { ...lens.view.guesses };
    if (field.value.trim()) guesses[c] = field.value.trim();
    else delete guesses[c];
    lens.change({ guesses });
  };
  field.onkeydown = (event) => {
    if (event.key === "Enter") keep.onclick();
  };
  return [element("div", { class: "bar" }, field, keep)];
}
