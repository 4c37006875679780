// The logit lens's grid and the panel beside it.  All that a cell can tell has come with `data`, so a tap,
// a key or the mouse over a cell is answered here; the server only hears what was chosen, for the address.
// Text from outside reaches the page through textContent alone.

const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const floats = (text) => new Float32Array(bytes(text));

const make = (tag, attributes = {}, ...children) => {
  const node = tag === "svg" || make.svg.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
make.svg = new Set(["line", "polyline", "circle", "text", "rect", "title"]);

// As views/numbers.py writes them. A softmax gives no token all or nothing, so a 1 or 0 here is rounded to 32 bits.
export const percent = (p) => {
  if (Number.isNaN(p)) return "–";
  if (p < 0.001) return "< 0.1 %";
  if (p > 0.999) return "> 99.9 %";
  return `${(100 * p).toFixed(p < 0.0995 || p > 0.99 ? 1 : 0)} %`;
};
const exact = (p) => (p === 0 ? "less than 1e-37" : p === 1 ? "more than 1 − 6e-8" : p > 0.9999 ? `1 − ${(1 - p).toPrecision(3)}` : `${+p.toPrecision(4)}`);
const nats = (x, none = false) => (none ? "0" : x < 0.005 ? "< 0.01" : x.toFixed(2));
const whole = (n) => n.toLocaleString("en");

// How many columns of a typewriter a text fills, and the most that a column of the grid has.
const wide = (text) => [...text].reduce((n, c) => n + (c > "\u2e80" ? 2 : 1), 0);
const MOST = 11;
const longer = (text, most = MOST) => wide(text) > most && "long";

const mix = (ramp, p) => {
  const place = Math.min(Math.max(p, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(place), ramp.length - 2);
  const part = (k, i) => parseInt(ramp[low + k].slice(i, i + 2), 16);
  return `rgb(${[1, 3, 5].map((i) => Math.round(part(0, i) + (part(1, i) - part(0, i)) * (place - low))).join(", ")})`;
};

function unpack(grid) {
  const ids = new Uint16Array(bytes(grid.ids));
  const T = grid.tokens.length, R = grid.rows.length;
  const own = { ...grid, R, T, ids, k: ids.length / (R * T) };
  for (const name of ["p", "nextP", "entropy", "divergence"]) own[name] = floats(grid[name]);
  own.rank = new Int32Array(bytes(grid.rank));
  own.followed = grid.followed && floats(grid.followed);
  own.next = [...grid.tokens.slice(1), -1];
  own.label = (id) => grid.labels[id];
  own.settled = new Float32Array(R * T);
  for (let c = 0; c < T; c++)
    for (let r = R - 1, stays = true; r >= 0; r--) {
      const right = ids[(r * T + c) * own.k] === own.next[c];
      stays &&= right;
      own.settled[r * T + c] = stays ? 1 : right ? 0.4 : 0;
    }
  own.largest = own.divergence.reduce((a, b) => Math.max(a, b), 1e-9);
  return own;
}

// What one cell shows under a measure: [its text, its place on the colour scale from 0 to 1].
function shown(grid, measure, r, c) {
  const i = r * grid.T + c;
  const top = grid.label(grid.ids[i * grid.k]);
  if (measure === "top") return [top, grid.p[i * grid.k]];
  if (measure === "settled") return [top, grid.settled[i]];
  if (measure === "entropy") return [nats(grid.entropy[i]), grid.entropy[i] / Math.log(grid.vocabulary)];
  if (measure === "divergence") return [nats(grid.divergence[i], r === grid.R - 1), grid.divergence[i] / grid.largest];
  if (measure === "follow" && grid.followed) return [percent(grid.followed[i]), grid.followed[i]];
  if (grid.next[c] < 0) return ["–", 0];
  if (measure === "rank") return [whole(grid.rank[i]), 1 - Math.log(grid.rank[i]) / Math.log(grid.vocabulary)];
  return [percent(grid.nextP[i]), grid.nextP[i]];
}

const brief = (name) => name.replace(" (the model's output)", ", the output");

const isRight = (grid, r, c) => grid.next[c] >= 0 && grid.ids[(r * grid.T + c) * grid.k] === grid.next[c];

// Where the same place is in another model's grid: the output faces the output.
function facing(from, r, to) {
  if (r === from.R - 1) return to.R - 1;
  const same = to.keys.indexOf(from.keys[r]);
  return same >= 0 && same < to.R ? same : to.R - 1;
}

export default function draw({ data, parentElement, setStateValue, setTriggerValue }) {
  const host = parentElement.querySelector(".lens");
  let lens = host.lens;
  let stay = null; // the same text drawn anew stays where it was scrolled to
  if (!lens || lens.data.sig !== data.sig) {
    if (lens && `${lens.grids[0].tokens}` === `${data.grids[0].tokens}`) stay = lens.scrollers[0].scrollLeft;
    lens?.close();
    lens = host.lens = new LensGrid(host, data);
    lens.build();
  }
  lens.tell = setStateValue;
  lens.ask = setTriggerValue;
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
    this.tell = () => {};
  }

  close() { document.removeEventListener("keydown", this.turning); }

  // --- building, once for each text ---

  build() {
    const { data, host } = this;
    host.classList.toggle("teaching", data.teaching);
    this.narrow = host.clientWidth < 640;
    host.classList.toggle("narrow", this.narrow);
    let depth = 0; // the frame's rings, from the cell's edge inwards
    const rings = data.frame.map(([colour, width]) => `inset 0 0 0 ${(depth += width)}px ${colour}`);
    host.style.setProperty("--frame", rings.join(", "));
    this.select = make("select", { "aria-label": "Cells show" });
    for (const [key, name] of data.measures)
      this.select.append(make("option", { value: key }, key === "follow" ? `Followed: ${data.follow.label}` : name));
    this.select.onchange = () => { this.change({ measure: this.select.value }); };
    this.meaning = make("p", { class: "meaning" });
    this.low = make("span"); this.high = make("span");
    const ramp = make("span", { class: "ramp" });
    ramp.style.background = `linear-gradient(90deg, ${data.ramp.join(", ")})`;
    const key = make("div", { class: "key" }, this.low, ramp, this.high,
      make("span", { class: "key" }, make("span", { class: "framed" }), "real next token on top"));
    const picture = make("button", { type: "button" }, "Save picture");
    picture.onclick = () => this.save();
    this.bar = make("div", { class: "bar" }, make("label", {}, make("span", {}, "Cells show"), this.select), key);
    this.foot = make("div", { class: "foot" }, picture);
    this.buildGrids();
    this.panel = make("section", { class: "panel", "aria-label": "The chosen cell" });
    this.spoken = make("div", { class: "silent", "aria-live": "polite" });
    host.replaceChildren(this.bar, this.meaning, make("div", { class: "main" }, this.area, this.panel), this.foot, this.spoken);
    if (data.teaching) this.buildTeaching();
  }

  buildGrids() {
    const widths = this.widths();
    this.area = make("div");
    this.tables = this.grids.map((grid, g) => this.buildTable(grid, g, widths));
    this.scrollers = this.tables.map((table) => make("div", { class: "scroll" }, table.node));
    this.scrollers.forEach((scroller, g) => {
      if (this.grids.length > 1) this.area.append(make("h3", {}, this.grids[g].title));
      this.area.append(scroller);
      scroller.onscroll = () => {
        this.scrolled = performance.now();
        for (const other of this.scrollers)
          if (other !== scroller && other.scrollLeft !== scroller.scrollLeft) other.scrollLeft = scroller.scrollLeft;
      };
    });
  }

  // A column is as wide as its longest label, within limits, and the same in both grids.
  widths() {
    const T = this.grids[0].T;
    return Array.from({ length: T }, (_, c) => {
      let most = 5;
      for (const grid of this.grids) {
        most = Math.max(most, wide(grid.label(grid.tokens[c])), c < T - 1 ? wide(grid.label(grid.tokens[c + 1])) : 0);
        for (let r = 0; r < grid.R; r++) most = Math.max(most, wide(grid.label(grid.ids[(r * T + c) * grid.k])));
      }
      return Math.min(most, MOST) + 1.7;
    });
  }

  buildTable(grid, g, widths) {
    const node = make("table", { role: "grid", "aria-label": `Logit lens of ${grid.title}`,
      "aria-rowcount": grid.R + 1, "aria-colcount": grid.T + 1 });
    const { narrow, data: { teaching } } = this;
    const first = narrow ? (teaching ? 6.6 : 5.6) : teaching ? 12 : 8;
    const letters = teaching ? (narrow ? 1 : 1.45) : 0.8; // rem, as in the style sheet
    const columns = make("colgroup", {}, make("col"), ...widths.map(() => make("col")));
    const sizes = [first, ...widths.map((w) => w * letters * 0.61)];
    [...columns.children].forEach((col, i) => { col.style.width = `${sizes[i]}rem`; });
    node.style.width = `${sizes.reduce((a, b) => a + b)}rem`;
    const heads = grid.tokens.map((id, c) => {
      const label = grid.label(id);
      const classes = [c >= grid.T - grid.written && "written", c === 0 && "marker", longer(label)].filter(Boolean).join(" ");
      const token = make("span", { class: "token" }, label);
      return make("th", { scope: "col", class: classes || null, title: `position ${c}, id ${id}: ${label}` },
        make("span", { class: "place" }, `${c}`), token);
    });
    const corner = make("th", { scope: "row" }, make("span", { class: "place" }, "position"), "token");
    const cells = [];
    const body = make("tbody");
    grid.rows.forEach((name, r) => {
      const row = make("tr", {}, make("th", { scope: "row" }, narrow ? brief(name) : name));
      cells.push(grid.tokens.map((_, c) => {
        const td = document.createElement("td");
        td.place = [g, r, c];
        td.tabIndex = -1;
        row.append(td);
        return td;
      }));
      body.append(row);
    });
    const feet = grid.next.map((id) => (id < 0 ? make("td", {}, "–")
      : make("td", { class: longer(grid.label(id)) || null }, grid.label(id))));
    const foot = make("tfoot", {}, make("tr", {}, make("th", { scope: "row" }, "real next token"), ...feet));
    node.append(columns, make("thead", {}, make("tr", {}, corner, ...heads)), body, foot);
    body.onclick = (event) => {
      const td = event.target.closest("td");
      if (td) this.choose(...td.place, { bring: true });
    };
    body.onpointerover = (event) => {
      const still = performance.now() - this.scrolled > 150; // cells that pass under the mouse are not looked at
      const td = still && event.pointerType === "mouse" && event.target.closest("td");
      if (td) this.describe(...td.place);
    };
    body.onpointerleave = (event) => { if (event.pointerType === "mouse") this.describe(...this.place()); };
    body.addEventListener("focusin", (event) => {
      const td = event.target.closest("td");
      if (!td) return;
      this.name(td);
      if (td.matches(":focus-visible")) this.describe(...td.place);
    });
    body.onkeydown = (event) => this.press(event);
    return { node, heads, body, cells, feet, foot };
  }

  // --- showing what is chosen ---

  get measure() { return this.data.measures.find(([key]) => key === this.view.measure) ?? this.data.measures[0]; }

  // The chosen cell: [grid, row, column].
  place() {
    const [key, column] = this.view.cell.split(".");
    const g = this.view.grid && this.view.grid < this.grids.length ? this.view.grid : 0;
    const grid = this.grids[g];
    const r = grid.keys.indexOf(key);
    return [g, r < 0 ? grid.R - 1 : r, Math.min(+column, grid.T - 1)];
  }

  show({ scroll = false } = {}) {
    this.paint();
    this.mark(scroll);
    this.describe(...this.place());
    if (this.data.teaching) this.showTeaching();
  }

  paint() {
    const [key, , ends, meaning] = this.measure;
    this.select.value = key;
    this.meaning.textContent = meaning;
    [this.low.textContent, this.high.textContent] = ends;
    if (key === "divergence")
      this.high.textContent = `${nats(Math.max(...this.grids.map((g) => g.largest)))} nats`;
    if (key === "entropy") this.high.textContent = `${nats(Math.log(this.grids[0].vocabulary))} nats`;
    this.grids.forEach((grid, g) => {
      const covered = this.covered(grid);
      const words = key === "top" || key === "settled";
      this.tables[g].body.classList.toggle("numbers", !words);
      this.tables[g].cells.forEach((row, r) => row.forEach((td, c) => {
        const hidden = covered.has(r) || this.beyond(c);
        const [text, place] = shown(grid, key, r, c);
        td.textContent = hidden ? "" : text;
        td.style.background = hidden ? "" : mix(this.data.ramp, place);
        td.style.color = place >= this.data.flips ? "#fff" : "#000";
        const chosen = td.classList.contains("chosen");
        td.className = [hidden && "covered", !hidden && !this.beyond(c + 1) && isRight(grid, r, c) && "right",
          chosen && "chosen", words && longer(text)].filter(Boolean).join(" ");
      }));
    });
  }

  mark(scroll) {
    if (this.data.teaching && this.view.covered) this.paint(); // what is covered depends on the column
    const [g, r, c] = this.place();
    for (const old of this.marked ?? []) {
      old.classList.remove("chosen");
      old.removeAttribute("aria-selected");
      old.tabIndex = -1;
    }
    this.marked = [];
    this.grids.forEach((grid, other) => {
      const row = other === g ? r : facing(this.grids[g], r, grid);
      const td = this.tables[other].cells[row][c];
      td.classList.add("chosen");
      td.setAttribute("aria-selected", "true");
      td.tabIndex = 0;
      this.tables[other].heads[c].classList.add("chosen");
      this.marked.push(td, this.tables[other].heads[c]);
    });
    if (scroll) {
      const scroller = this.scrollers[g], td = this.tables[g].cells[r][c];
      scroller.scrollLeft = td.offsetLeft - scroller.clientWidth / 2;
    }
  }

  name(td) {
    const [g, r, c] = td.place, grid = this.grids[g];
    if (this.covered(grid).has(r) || this.beyond(c)) { td.setAttribute("aria-label", `${grid.rows[r]}, position ${c}: covered`); return; }
    const i = r * grid.T + c, id = grid.ids[i * grid.k];
    td.setAttribute("aria-label", `${grid.rows[r]}, position ${c}, after ${grid.label(grid.tokens[c])}: `
      + `${grid.label(id)}, ${percent(grid.p[i * grid.k])}${isRight(grid, r, c) ? ", right" : ""}`);
  }

  choose(g, r, c, { bring = false } = {}) {
    const grid = this.grids[g];
    this.change({ cell: `${grid.keys[r]}.${c}`, grid: g }, { repaint: false });
    this.mark(false);
    this.describe(g, r, c);
    if (this.data.teaching) this.showTeaching();
    this.spoken.textContent = this.panel.querySelector("h4").textContent;
    const top = this.panel.getBoundingClientRect().top;
    if (bring && (top > innerHeight - 220 || top < 0)) {
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.panel.scrollIntoView({ block: innerHeight < 700 ? "start" : "center", behavior: calm ? "auto" : "smooth" });
    }
  }

  // Keep a choice, repaint, and let the server put it in the address.
  change(values, { repaint = true } = {}) {
    Object.assign(this.view, values);
    if (repaint) this.show();
    const { scroll, ...told } = this.view;
    this.tell("chosen", told);
  }

  press(event) {
    const td = event.target.closest("td");
    if (!td) return;
    const [g, r, c] = td.place, { R, T } = this.grids[g];
    const to = {
      ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1],
      Home: [r, 0], End: [r, T - 1],
    }[event.key];
    if (to) {
      event.preventDefault();
      const next = this.tables[g].cells[Math.min(Math.max(to[0], 0), R - 1)][Math.min(Math.max(to[1], 0), T - 1)];
      td.tabIndex = -1;
      next.tabIndex = 0;
      next.focus({ preventScroll: true });
      const scroller = this.scrollers[g], head = next.parentNode.firstChild.offsetWidth;
      if (next.offsetLeft - head < scroller.scrollLeft) scroller.scrollLeft = next.offsetLeft - head - 8;
      const over = next.offsetLeft + next.offsetWidth - scroller.scrollLeft - scroller.clientWidth;
      if (over > 0) scroller.scrollLeft += over + 8;
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose(g, r, c);
    }
  }

  // --- the panel ---

  describe(g, r, c) {
    const grid = this.grids[g];
    const parts = [make("h4", {}, `${grid.rows[r]}, position ${c}`)];
    if (this.beyond(c)) {
      this.panel.replaceChildren(...parts, make("p", {}, "This column is still covered."));
      return;
    }
    const after = make("p", {}, "After ", make("code", {}, grid.label(grid.tokens[c])));
    if (c < grid.T - 1 && !this.beyond(c + 1))
      after.append(" the text goes on with ", make("code", {}, grid.label(grid.next[c])));
    else if (c === grid.T - 1) after.append(", where the text ends");
    parts.push(after, ...this.guessing(c));
    this.grids.forEach((other, o) => {
      const row = o === g ? r : facing(grid, r, other);
      if (this.grids.length > 1) parts.push(make("p", { class: "of" }, `${other.title}, ${other.rows[row]}`));
      parts.push(...(this.covered(other).has(row) ? [make("p", {}, "This row is still covered. Guess before you look.")] : this.candidates(other, row, c)));
    });
    this.panel.replaceChildren(...parts);
  }

  candidates(grid, r, c) {
    const i = r * grid.T + c;
    const list = make("ol", { "aria-label": "The likeliest next tokens" });
    const real = this.beyond(c + 1) ? -1 : grid.next[c]; // -1: none, or covered
    for (let k = 0; k < grid.k; k++) list.append(this.candidate(grid, grid.ids[i * grid.k + k], grid.p[i * grid.k + k], real, k + 1));
    const listed = grid.ids.subarray(i * grid.k, (i + 1) * grid.k).includes(grid.next[c]);
    const facts = make("dl");
    const meaning = (of) => this.data.measures.find(([key]) => key === of)[3];
    const fact = (name, text, of, title) => facts.append(make("dt", { title: meaning(of) }, name), make("dd", { title }, text.replace(/([<>]|\d) (?=[\d%])/g, "$1\u00a0")));
    const parts = [list];
    if (real >= 0) {
      if (!listed) list.append(this.candidate(grid, real, grid.nextP[i], real, grid.rank[i]));
      fact("Real next token", `rank ${whole(grid.rank[i])} of ${whole(grid.vocabulary)}, ${percent(grid.nextP[i])}`, "rank", exact(grid.nextP[i]));
    }
    fact("Entropy", `${nats(grid.entropy[i])} nats: as unsure as among ${Math.exp(grid.entropy[i]).toFixed(grid.entropy[i] < 2.3 ? 1 : 0)} equally likely`, "entropy");
    fact("KL to the output", `${nats(grid.divergence[i], r === grid.R - 1)} nats`, "divergence");
    if (this.data.follow && grid.followed) fact(`Followed ${this.data.follow.label}`, percent(grid.followed[i]), "follow", exact(grid.followed[i]));
    parts.push(facts);
    if (real >= 0) parts.push(this.path(grid, r, c));
    return parts;
  }

  candidate(grid, id, p, next, rank) {
    const right = id === next;
    const fill = make("div", { class: "fill" });
    fill.style.width = `${100 * p}%`;
    const label = grid.label(id);
    const row = make(this.ask ? "button" : "div", {
      type: this.ask ? "button" : null, class: right ? "candidate right" : "candidate",
      "data-id": id, "data-p": p, title: `id ${id}, rank ${rank}, probability ${exact(p)}${this.ask ? ". Tap to follow this token through the grid." : ""}`,
      "aria-label": `${label}, ${percent(p)}${right ? ", the real next token" : ""}${this.ask ? ". Follow it through the grid." : ""}`,
    }, make("code", {}, label), make("div", { class: "track" }, fill), make("span", { class: "number" }, percent(p)));
    if (this.ask) row.onclick = () => this.ask("follow", id);
    return make("li", {}, row);
  }

  // The real next token's way down the rows: probability as a path, rank as a number.
  path(grid, r, c) {
    const covered = this.covered(grid), step = grid.R > 12 ? 17 : this.data.teaching ? 24 : 20;
    const left = this.data.teaching ? 128 : 106, right = 250, top = 16;
    const x = (p) => left + (right - left) * p, y = (row) => top + 12 + step * row;
    const name = (row) => (row === grid.R - 1 ? "output" : grid.rows[row].replace("after attention", "attention"));
    const svg = make("svg", { viewBox: `0 0 360 ${y(grid.R - 1) + 14}`, role: "img",
      "aria-label": `Probability and rank of the real next token in every row of ${grid.title}` });
    const text = (px, py, words, anchor, weight) => make("text", { x: px, y: py + 4, "text-anchor": anchor, "font-weight": weight }, words);
    svg.append(text(left, 4, "0 %", "middle"), text(right, 4, "100 %", "middle"), text(355, 4, "rank", "end"));
    for (const p of [0, 1])
      svg.append(make("line", { x1: x(p), x2: x(p), y1: top, y2: y(grid.R - 1) + 8, stroke: "var(--st-border-color)" }));
    const open = grid.rows.map((_, row) => row).filter((row) => !covered.has(row));
    const at = (row) => grid.nextP[row * grid.T + c];
    svg.append(make("polyline", { points: open.map((row) => `${x(at(row))},${y(row)}`).join(" "), fill: "none",
      stroke: "#2f7ebc", "stroke-width": 2 }));
    for (const row of open) {
      const dot = make("circle", { cx: x(at(row)), cy: y(row), r: row === r ? 5.5 : 3.5,
        fill: row === r ? "var(--st-primary-color)" : "#2f7ebc" }, make("title", {}, `${grid.rows[row]}: ${exact(at(row))}`));
      const weight = row === r ? 700 : 400;
      svg.append(text(left - 10, y(row), name(row), "end", weight), dot,
        text(311, y(row), percent(at(row)), "end", weight), text(355, y(row), whole(grid.rank[row * grid.T + c]), "end", weight));
    }
    const box = make("div", {}, make("p", { class: "of" }, "The real next token, row by row"), svg);
    return box;
  }

  // --- class mode: rows uncovered one by one, and the room's guesses ---

  buildTeaching() {
    const button = (words, act, title) => {
      const node = make("button", { type: "button", title }, words);
      node.onclick = act;
      this.teach.append(node);
      return node;
    };
    this.teach = make("div", { class: "bar teach" });
    this.more = button("Show next row", () => this.turn(1), "Key N or Page Down");
    this.less = button("Cover it again", () => this.turn(-1), "Key P or Page Up");
    this.all = button("", () => this.change({ shown: this.view.shown < this.most ? this.most : 0 }));
    this.order = button("", () => this.change({ order: this.view.order === "top" ? "bottom" : "top" }));
    this.cover = button("Cover the text from here on", () => this.change({ covered: !this.view.covered }),
      "Hides the text after the chosen column, so that the room can guess it");
    this.most = Math.max(...this.grids.map((grid) => grid.R));
    this.tables.forEach(({ foot }, g) => {
      const guesses = this.grids[g].tokens.map(() => make("td"));
      this.tables[g].guesses = guesses;
      foot.append(make("tr", {}, make("th", { scope: "row" }, "the room's guess"), ...guesses));
    });
    this.bar.after(this.teach);
    this.host.style.setProperty("--rows", this.grids.reduce((n, grid) => n + grid.R + 1, 0));
    this.turning = (event) => {
      const typing = event.composedPath()[0].matches?.("input, textarea, select");
      const step = { n: 1, PageDown: 1, p: -1, PageUp: -1 }[event.key];
      if (!step || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.turn(step);
    };
    document.addEventListener("keydown", this.turning);
  }

  turn(step) {
    const shown = Math.min(Math.max(this.view.shown + step, 0), this.most);
    if (shown !== this.view.shown) this.change({ shown });
  }

  showTeaching() {
    const { shown, order, covered, guesses } = this.view;
    this.more.disabled = shown >= this.most;
    this.less.disabled = shown === 0;
    this.all.textContent = shown < this.most ? "Show all" : "Cover all";
    this.order.textContent = order === "top" ? "Order: embedding first" : "Order: output first";
    this.cover.setAttribute("aria-pressed", String(covered));
    this.tables.forEach((table, g) => {
      const grid = this.grids[g];
      table.heads.forEach((head, c) => {
        const label = grid.label(grid.tokens[c]);
        head.querySelector(".token").textContent = this.beyond(c) ? "…" : label;
        head.title = this.beyond(c) ? "covered" : `position ${c}, id ${grid.tokens[c]}: ${label}`;
        const next = grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);
        table.feet[c].textContent = this.beyond(c + 1) ? "?" : next;
        table.guesses[c].textContent = guesses[c] ?? "";
      });
    });
  }

  // The rows of a grid that are not uncovered yet.
  covered(grid) {
    if (!this.data.teaching) return new Set();
    const { shown, order } = this.view;
    const rows = [...grid.rows.keys()];
    return new Set(order === "top" ? rows.slice(shown) : rows.slice(0, Math.max(grid.R - shown, 0)));
  }

  // Whether the text at this column is covered.
  beyond(c) { return Boolean(this.data.teaching && this.view.covered && c > this.place()[2] && c < this.grids[0].T); }

  guessing(c) {
    if (!this.data.teaching) return [];
    const field = make("input", { type: "text", "aria-label": `The room's guess after position ${c}`,
      placeholder: "The room's guess", maxlength: 40, value: this.view.guesses[c] ?? "" });
    const keep = make("button", { type: "button" }, "Keep");
    const form = make("div", { class: "bar" }, field, keep);
    keep.onclick = () => {
      const guesses = { ...this.view.guesses };
      if (field.value.trim()) guesses[c] = field.value.trim();
      else delete guesses[c];
      this.change({ guesses });
    };
    field.onkeydown = (event) => { if (event.key === "Enter") keep.onclick(); };
    return [form];
  }

  // --- the picture: what is on screen, drawn from the same data ---

  save() {
    const style = getComputedStyle(this.host), font = style.fontFamily, ink = style.color;
    const code = style.getPropertyValue("--st-code-font") || "monospace";
    const paper = style.getPropertyValue("--st-background-color") || "#fff";
    const size = this.data.teaching ? 22 : 14, line = Math.round(size * 1.6), gap = 1;
    const seen = this.grids[0].tokens.map((_, c) => c).filter((c) => {
      const head = this.tables[0].heads[c], box = this.scrollers[0];
      const first = this.tables[0].node.rows[0].cells[0].offsetWidth;
      return head.offsetLeft + head.offsetWidth / 2 > box.scrollLeft + first && head.offsetLeft + head.offsetWidth / 2 < box.scrollLeft + box.clientWidth;
    });
    const widths = seen.map((c) => this.tables[0].heads[c].offsetWidth);
    const heads = Math.round(size * 14.5), high = Math.round(size * 2.4);
    const wide = Math.max(heads + widths.reduce((a, b) => a + b + gap, 0) + 24, 560);
    const tall = this.grids.reduce((n, grid) => n + (grid.R + 2) * (high + gap) + 2 * line, 0) + 4 * line;
    const canvas = make("canvas"), scale = Math.min(2, 16000 / Math.max(wide, tall));
    [canvas.width, canvas.height] = [wide * scale, tall * scale];
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = paper;
    pen.fillRect(0, 0, wide, tall);
    pen.textBaseline = "middle";
    const write = (words, x, y, room, { align = "left", family = font, weight = 400, colour = ink } = {}) => {
      pen.font = `${weight} ${size}px ${family}`;
      pen.fillStyle = colour;
      pen.textAlign = align;
      let letters = [...words];
      while (letters.length > 1 && pen.measureText(letters.join("")).width > room) letters = [...letters.slice(0, -2), "…"];
      pen.fillText(letters.join(""), x, y);
    };
    const [key, name, ends] = this.measure;
    const { view } = this, [g, r, c] = this.place();
    let y = line;
    const followed = key === "follow" ? `Followed: ${this.data.follow.label}` : name;
    write(followed, 12, y, wide - 24, { weight: 600 });
    const bar = { x: wide - 18 * size, y: y - size / 2, w: 120 };
    write(this.low.textContent || ends[0], bar.x - 8, y, 90, { align: "right" });
    const blend = pen.createLinearGradient(bar.x, 0, bar.x + bar.w, 0);
    this.data.ramp.forEach((colour, i, all) => blend.addColorStop(i / (all.length - 1), colour));
    pen.fillStyle = blend;
    pen.fillRect(bar.x, bar.y, bar.w, size);
    pen.strokeStyle = ink;
    pen.lineWidth = 0.5;
    pen.strokeRect(bar.x, bar.y, bar.w, size);
    write(this.high.textContent || ends[1], bar.x + bar.w + 8, y, 120);
    y += line;
    const rings = (x, top, w, h) => {
      let depth = 0;
      for (const [colour, width] of this.data.frame) { ring(x, top, w, h, depth, width, colour); depth += width; }
    };
    const ring = (x, top, w, h, edge, width, colour) => {
      const inset = edge + width / 2;
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(x + inset, top + inset, w - 2 * inset, h - 2 * inset);
    };
    const sample = { x: bar.x, y: y - size * 0.6, w: size * 1.9, h: size * 1.2 };
    pen.fillStyle = mix(this.data.ramp, 1 / 3);
    pen.fillRect(sample.x, sample.y, sample.w, sample.h);
    rings(sample.x, sample.y, sample.w, sample.h);
    write("real next token on top", sample.x + sample.w + 8, y, 240);
    y += line;
    this.grids.forEach((grid, other) => {
      write(grid.title, 12, y, wide - 24, { weight: 600 });
      y += line;
      const row = other === g ? r : facing(this.grids[g], r, grid), covered = this.covered(grid);
      const left = (i) => 12 + heads + widths.slice(0, i).reduce((a, b) => a + b + gap, 0);
      const across = (label, words, family = code) => {
        write(label, 4 + heads, y + high / 2, heads - 8, { align: "right", weight: 600 });
        seen.forEach((col, i) => write(words(col), left(i) + widths[i] / 2, y + high / 2, widths[i] - 6, { align: "center", family }));
        y += high + gap;
      };
      across("position", (col) => `${col}`, font);
      y -= high / 3;
      across("token", (col) => (this.beyond(col) ? "…" : grid.label(grid.tokens[col])));
      let outlined = null; // the chosen cell, whose outline lies over its neighbours
      for (let k = 0; k < grid.R; k++) {
        write(brief(grid.rows[k]), 4 + heads, y + high / 2, heads - 8, { align: "right", weight: 600 });
        seen.forEach((col, i) => {
          const hidden = covered.has(k) || this.beyond(col), [words, place] = shown(grid, key, k, col);
          pen.fillStyle = hidden ? paper : mix(this.data.ramp, place);
          pen.fillRect(left(i), y, widths[i], high);
          if (hidden) return;
          write(words, left(i) + widths[i] / 2, y + high / 2, widths[i] - 8, { align: "center", family: code, colour: place >= this.data.flips ? "#fff" : "#000",
            weight: col === c && k === row ? 700 : 400 });
          if (isRight(grid, k, col) && !this.beyond(col + 1)) rings(left(i), y, widths[i], high);
          if (col === c && k === row) outlined = [left(i), y, widths[i], high];
        });
        y += high + gap;
      }
      if (outlined) ring(...outlined, -3, 3, style.getPropertyValue("--st-primary-color"));
      across("real next token", (col) => (this.beyond(col + 1) ? "?" : grid.next[col] < 0 ? "–" : grid.label(grid.next[col])));
      if (Object.keys(view.guesses).length) across("the room's guess", (col) => view.guesses[col] ?? "");
      y += line / 2;
    });
    canvas.toBlob((blob) => {
      const link = make("a", { href: URL.createObjectURL(blob), download: `lens-${this.grids[0].title}.png`.replaceAll(" ", "-") });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}
