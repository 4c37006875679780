// The logit lens's grid and the panel beside it.  All that a cell can tell has come with `data`, so a tap,
// a key or the mouse over a cell is answered here; the server only hears what was chosen, for the address.

import { button, calm, element } from "../web/elements.js";
import { listenForPages } from "../web/paging.js";
import { arrive } from "./arrive.js";
import { facing, unpack } from "./cells.js";
import { buildColumn, showColumn } from "./column.js";
import { showCell } from "./panel.js";
import { fill, heightBelow, isStage, remOf } from "./strips.js";
import { printed } from "./printed.js";
import { savePicture } from "./saved.js";
import { buildTable, nameCell, paintTable } from "./table.js";
import { buildTeaching, showTeaching, turnPage } from "./teaching.js";
import { buildKey, showKey } from "./key.js";

const LOW = 480; // px: a phone on its side

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
    if (lens.fresh) arrive(lens);
    lens.fresh = false;
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
    this.fresh = true; // until it has been seen
    this.scrolled = -Infinity;
    this.marked = [];
    this.deaf = () => {};
    this.printing = () => this.paper.replaceChildren(...printed(this));
    this.resized = () => this.refit();
    this.tell = () => {};
  }

  listen() {
    this.deaf();
    window.addEventListener("beforeprint", this.printing);
    if (!this.data.teaching) return;
    this.deaf = listenForPages((rows, columns) => turnPage(this, rows, columns));
    this.watch = new ResizeObserver(() => this.refit());
    this.watch.observe(this.host);
    window.addEventListener("resize", this.resized);
  }

  close() {
    this.deaf();
    this.watch?.disconnect();
    window.removeEventListener("resize", this.resized);
    window.removeEventListener("beforeprint", this.printing);
  }

  build() {
    const { data, host } = this;
    host.classList.toggle("teaching", data.teaching);
    this.narrow = host.clientWidth < 640 || (!data.teaching && innerHeight < LOW); // a phone, either way
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
    this.area = element("div", { class: "area" });
    this.panel = element("section", { class: "panel", "aria-label": "The chosen cell" });
    this.spoken = element("div", { class: "silent", "aria-live": "polite" });
    this.paper = element("div", { class: "paper", "aria-hidden": "true" });
    const above = [this.bar, this.meaning];
    const left = data.teaching ? element("div", { class: "left" }, ...above, this.area) : this.area;
    const main = element("div", { class: "main" }, left, this.panel);
    const foot = element("div", { class: "foot" }, picture);
    host.replaceChildren(...(data.teaching ? [] : above), main, this.paper, foot, this.spoken);
    if (data.teaching) buildTeaching(this);
    this.layOut();
    if (!data.teaching) this.buildColumn();
  }

  // One column in one go; on a phone the picture comes first, and what its cells show is chosen below it.
  buildColumn() {
    this.area.prepend(buildColumn(this));
    this.bar.firstChild.after(this.opener);
    if (this.narrow) this.area.append(this.bar, this.meaning);
  }

  // Build the grids as there is room for them.
  layOut() {
    this.stage = isStage(this);
    this.marked = [];
    this.host.classList.toggle("stage", this.stage);
    this.host.classList.remove("tight");
    for (const [node, name] of [
      [this.host, "--cell"],
      [this.area, "height"],
      [this.panel, "max-height"],
    ])
      node.style.removeProperty(name);
    if (this.stage) fill(this);
    else this.buildGrids([this.grids[0].tokens.map((_, c) => c)]);
    if (this.data.teaching) this.measured = this.sizes(); // asking makes the browser lay the page out
  }

  // What the layout was made for; a difference of a scroll bar is none.
  sizes() {
    const rem = remOf();
    const tall = this.stage ? heightBelow(this.area) * rem : 0;
    return [rem, this.host.clientWidth, tall].map((one) => Math.round(one / 24));
  }

  // A window that was made larger or smaller in class mode is filled anew.
  refit() {
    if (!this.view || !this.host.clientWidth || `${this.sizes()}` === `${this.measured}`) return;
    this.layOut();
    this.show({ scroll: true });
  }

  // lines: the columns of each strip.
  buildGrids(lines) {
    this.lines = lines;
    this.tables = this.grids.map((_, g) => buildTable(this, g));
    const strips = this.lines.map((_, n) => element("div", { class: "strip" }, ...this.stripOf(n)));
    this.area.replaceChildren(...strips);
    this.scrollers = this.tables.map((table) => table.nodes[0].parentNode);
    for (const scroller of this.scrollers) scroller.onscroll = () => this.scrollAll(scroller);
  }

  // The tables of one strip, with their models' names where there are two.
  stripOf(n) {
    return this.tables.flatMap(({ nodes }, g) => {
      const name = this.grids.length > 1 && element("h2", {}, this.grids[g].title);
      return [name, element("div", { class: "scroll" }, nodes[n])];
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

  // Where a grid's row stands in another grid: the same row, or the last one that is shown there.
  opposite(g, r, other) {
    const same = facing(this.grids[g], r, other);
    const covered = this.covered(other);
    if (!covered.has(same) || covered.size === other.R) return same;
    return this.view.order === "top" ? this.view.shown - 1 : other.R - this.view.shown;
  }

  // Whether the text at this column is covered.
  beyond(c) {
    return Boolean(this.data.teaching && this.view.covered && c > this.place()[2] && c < this.grids[0].T);
  }

  show({ scroll = false } = {}) {
    showKey(this);
    const guessed = Object.keys(this.view.guesses).length > 0;
    const above = `${this.measure[0]} ${guessed}`; // what stands above the grid, and whether guesses below
    if (this.stage && this.above !== above) {
      this.host.classList.toggle("guessed", guessed);
      this.layOut();
    }
    this.above = above;
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
      const td = this.tables[other].cells[other === g ? r : this.opposite(g, r, grid)][c];
      const head = this.tables[other].heads[c];
      td.classList.add("chosen");
      td.setAttribute("aria-selected", "true");
      td.tabIndex = 0;
      nameCell(this, td);
      head?.classList.add("chosen");
      return head ? [td, head] : [td];
    });
    if (scroll) this.bring(g, this.tables[g].cells[r][c], true);
    showColumn(this);
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

  // Scroll a cell's column into view, past the rows' names; with `middle` to the middle of what is seen.
  bring(g, td, middle = false) {
    if (this.lines.length > 1) {
      this.area.scrollTop = td.closest(".strip").offsetTop - this.area.firstChild.offsetTop;
      return;
    }
    const scroller = this.scrollers[g];
    const head = td.parentNode.firstChild.offsetWidth;
    if (middle) scroller.scrollLeft = td.offsetLeft - scroller.clientWidth / 2;
    else if (td.offsetLeft - head < scroller.scrollLeft) scroller.scrollLeft = td.offsetLeft - head - 8;
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
