// The logit lens's grid and the panel beside it.  All that a cell can tell has come with `data`, so a tap,
// a key or the mouse over a cell is answered here; the server only hears what was chosen, for the address.

import { button, calm, element } from "../web/elements.js";
import { listenForPages } from "../web/paging.js";
import { facing, unpack } from "./cells.js";
import { showCell } from "./panel.js";
import { printed } from "./printed.js";
import { savePicture } from "./saved.js";
import { buildTable, nameCell, paintTable } from "./table.js";
import { buildTeaching, showTeaching, turnPage } from "./teaching.js";
import { buildKey, showKey } from "./key.js";

export default function draw({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".lens");
  let lens = host.lens;
  let stay = null; // the same text drawn anew stays where it was scrolled to
  if (lens?.data.sig !== data.sig) {
    if (lens && `${lens.grids[0].tokens}` === `${data.grids[0].tokens}`) stay = lens.scrollers[0].scrollLeft;
    lens?.close();
    host.lens = new LensGrid(host, data);
    lens = host.lens;
    lens.build();
  }
  lens.tell = setStateValue;
  lens.ask = setTriggerValue;
  lens.listen();
  const start = JSON.stringify(data.start);
  if (lens.started !== start) {
    const scroll = lens.started === null && stay === null && data.start.scroll;
    lens.started = start;
    lens.view = { ...data.start, guesses: { ...data.start.guesses } };
    lens.show({ scroll });
  }
  if (stay !== null) lens.scrollers[0].scrollLeft = stay;
  return () => lens.close();
}

class LensGrid {
  constructor(host, data) {
    this.host = host;
    this.data = data;
    this.grids = data.grids.map(unpack);
    this.started = null;
    this.scrolled = -Infinity;
    this.marked = [];
    this.deaf = () => {};
    this.printing = () => this.paper.replaceChildren(...printed(this));
    this.tell = () => {};
  }

  listen() {
    this.deaf();
    if (this.data.teaching) this.deaf = listenForPages((rows, columns) => turnPage(this, rows, columns));
    window.addEventListener("beforeprint", this.printing);
  }

  close() {
    this.deaf();
    window.removeEventListener("beforeprint", this.printing);
  }

  build() {
    const { data, host } = this;
    host.classList.toggle("teaching", data.teaching);
    this.narrow = host.clientWidth < 640;
    host.classList.toggle("narrow", this.narrow);
    let depth = 0; // the frame's rings, from the cell's edge inwards
    const rings = data.frame.map(([colour, width]) => {
      depth += width;
      return `inset 0 0 0 ${depth}px ${colour}`;
    });
    host.style.setProperty("--frame", rings.join(", "));
    this.bar = element("div", { class: "bar" }, ...buildKey(this));
    this.meaning = element("p", { class: "meaning" });
    const picture = button({}, "Save picture");
    picture.onclick = () => savePicture(this);
    this.buildGrids();
    this.panel = element("section", { class: "panel", "aria-label": "The chosen cell" });
    this.spoken = element("div", { class: "silent", "aria-live": "polite" });
    this.paper = element("div", { class: "paper", "aria-hidden": "true" });
    const main = element("div", { class: "main" }, this.area, this.panel);
    const foot = element("div", { class: "foot" }, picture);
    host.replaceChildren(this.bar, this.meaning, main, this.paper, foot, this.spoken);
    if (data.teaching) buildTeaching(this);
  }

  buildGrids() {
    this.area = element("div", { class: "area" });
    this.tables = this.grids.map((_, g) => buildTable(this, g));
    this.scrollers = this.tables.map((table) => element("div", { class: "scroll" }, table.node));
    this.scrollers.forEach((scroller, g) => {
      if (this.grids.length > 1) this.area.append(element("h2", {}, this.grids[g].title));
      this.area.append(scroller);
      scroller.onscroll = () => this.scrollAll(scroller);
    });
  }

  // All grids show the same columns.
  scrollAll(scroller) {
    this.scrolled = performance.now();
    for (const other of this.scrollers)
      if (other !== scroller && other.scrollLeft !== scroller.scrollLeft)
        other.scrollLeft = scroller.scrollLeft;
  }

  get measure() {
    return this.data.measures.find(([key]) => key === this.view.measure) ?? this.data.measures[0];
  }

  // The chosen cell: [grid, row, column].
  place() {
    const [key, column] = this.view.cell.split(".");
    const g = this.view.grid && this.view.grid < this.grids.length ? this.view.grid : 0;
    const grid = this.grids[g];
    const r = grid.keys.indexOf(key);
    return [g, r < 0 ? grid.R - 1 : r, Math.min(+column, grid.T - 1)];
  }

  // The rows of a grid that are not uncovered yet.
  covered(grid) {
    if (!this.data.teaching) return new Set();
    const { shown, order } = this.view;
    const rows = [...grid.rows.keys()];
    return new Set(order === "top" ? rows.slice(shown) : rows.slice(0, Math.max(grid.R - shown, 0)));
  }

  // Whether the text at this column is covered.
  beyond(c) {
    return Boolean(this.data.teaching && this.view.covered && c > this.place()[2] && c < this.grids[0].T);
  }

  show({ scroll = false } = {}) {
    this.paint();
    this.mark(scroll);
    showCell(this, ...this.place());
    if (this.data.teaching) showTeaching(this);
  }

  paint() {
    showKey(this);
    for (const g of this.grids.keys()) paintTable(this, g);
  }

  mark(scroll) {
    if (this.data.teaching && this.view.covered) this.paint(); // what is covered depends on the column
    const [g, r, c] = this.place();
    for (const old of this.marked) {
      old.classList.remove("chosen");
      old.removeAttribute("aria-selected");
      old.tabIndex = -1;
    }
    this.marked = this.grids.flatMap((grid, other) => {
      const td = this.tables[other].cells[other === g ? r : facing(this.grids[g], r, grid)][c];
      const head = this.tables[other].heads[c];
      td.classList.add("chosen");
      td.setAttribute("aria-selected", "true");
      td.tabIndex = 0;
      nameCell(this, td);
      head.classList.add("chosen");
      return [td, head];
    });
    if (scroll) {
      const scroller = this.scrollers[g];
      scroller.scrollLeft = this.tables[g].cells[r][c].offsetLeft - scroller.clientWidth / 2;
    }
  }

  choose(g, r, c, { bring = false } = {}) {
    this.change({ cell: `${this.grids[g].keys[r]}.${c}`, grid: g }, { repaint: false });
    this.mark(false);
    showCell(this, g, r, c);
    if (this.data.teaching) showTeaching(this);
    this.spoken.textContent = this.panel.querySelector("h2").textContent;
    const { top } = this.panel.getBoundingClientRect();
    if (!bring || (top >= 0 && top <= innerHeight - 220)) return;
    const block = innerHeight < 700 ? "start" : "center";
    this.panel.scrollIntoView({ block, behavior: calm() ? "auto" : "smooth" });
  }

  // Scroll a cell's column into view, past the rows' names.
  bring(g, td) {
    const scroller = this.scrollers[g];
    const head = td.parentNode.firstChild.offsetWidth;
    if (td.offsetLeft - head < scroller.scrollLeft) scroller.scrollLeft = td.offsetLeft - head - 8;
    const over = td.offsetLeft + td.offsetWidth - scroller.scrollLeft - scroller.clientWidth;
    if (over > 0) scroller.scrollLeft += over + 8;
  }

  // Keep a choice, repaint, and let the server put it in the address.
  change(values, { repaint = true } = {}) {
    Object.assign(this.view, values);
    if (repaint) this.show();
    const { scroll, ...told } = this.view;
    this.tell("chosen", told);
  }
}
