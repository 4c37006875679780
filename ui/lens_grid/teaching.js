// Class mode: rows are uncovered one by one, the text can be covered, and the room's guesses are kept.

import { button, element } from "../web/elements.js";

export function buildTeaching(lens) {
  lens.teach = element("div", { class: "bar teach" });
  const add = (words, act, title) => {
    const made = button({ title }, words);
    made.onclick = act;
    lens.teach.append(made);
    return made;
  };
  lens.most = Math.max(...lens.grids.map((grid) => grid.R));
  lens.more = add("Show next row", () => turn(lens, 1), "Key N or Page Down");
  lens.less = add("Cover it again", () => turn(lens, -1), "Key P or Page Up");
  lens.all = add("", () => lens.change({ shown: lens.view.shown < lens.most ? lens.most : 0 }));
  lens.order = add("", () => lens.change({ order: lens.view.order === "top" ? "bottom" : "top" }));
  lens.cover = add(
    "Cover the text from here on",
    () => lens.change({ covered: !lens.view.covered }),
    "Hides the text after the chosen column, so that the room can guess it",
  );
  lens.tables.forEach((table, g) => {
    table.guesses = lens.grids[g].tokens.map(() => element("td"));
    const name = element("th", { scope: "row" }, "the room's guess");
    table.foot.append(element("tr", {}, name, ...table.guesses));
  });
  lens.bar.after(lens.teach);
  lens.host.style.setProperty(
    "--rows",
    lens.grids.reduce((n, grid) => n + grid.R + 1, 0),
  );
  lens.turning = (event) => followKey(lens, event);
}

function followKey(lens, event) {
  const typing = event.composedPath()[0].matches?.("input:not([type=checkbox]), textarea, select");
  const step = { n: 1, PageDown: 1, p: -1, PageUp: -1 }[event.key];
  if (!step || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  turn(lens, step);
}

function turn(lens, step) {
  const shown = Math.min(Math.max(lens.view.shown + step, 0), lens.most);
  if (shown !== lens.view.shown) lens.change({ shown });
}

export function showTeaching(lens) {
  const { shown, order, covered, guesses } = lens.view;
  lens.more.disabled = shown >= lens.most;
  lens.less.disabled = shown === 0;
  lens.all.textContent = shown < lens.most ? "Show all" : "Cover all";
  lens.order.textContent = order === "top" ? "Order: embedding first" : "Order: output first";
  lens.cover.setAttribute("aria-pressed", String(covered));
  lens.tables.forEach((table, g) => {
    const grid = lens.grids[g];
    table.heads.forEach((head, c) => {
      const label = grid.label(grid.tokens[c]);
      head.querySelector(".token").textContent = lens.beyond(c) ? "…" : label;
      head.title = lens.beyond(c) ? "covered" : `position ${c}, id ${grid.tokens[c]}: ${label}`;
      const next = grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);
      table.feet[c].textContent = lens.beyond(c + 1) ? "?" : next;
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
