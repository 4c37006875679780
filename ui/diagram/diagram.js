// The diagram: the picture, what its parts say, and the running file beside them.  It answers a tap by
// itself and tells the server what was chosen.

import { calm } from "../web/elements.js";
import { copied } from "../listing/copy.js";
import { listing } from "../listing/listing.js";
import { showCard } from "./card.js";
import { drawPicture } from "./picture.js";
import { showLine, showReading } from "./reading.js";
import { showBlock, showTools } from "./tools.js";
import { followKeys, reveal, showWalk } from "./walk.js";

export default function mount({ data, parentElement: root, setStateValue, setTriggerValue }) {
  root.diagram ??= new Diagram(root);
  root.diagram.go = setTriggerValue;
  return root.diagram.show(data, setStateValue);
}

const OPENING = ["attention", "feed_forward"]; // the parts that open into others
const NARROW = 720;

class Diagram {
  constructor(root) {
    this.root = root;
    this.view = { open: new Set(), block: 1, head: 1, step: 0 };
  }

  at(selector) {
    return this.root.querySelector(selector);
  }

  get narrow() {
    return this.at(".all").clientWidth < NARROW;
  }

  show(data, report) {
    this.data = data;
    this.report = data.files ? report : () => {}; // a picture for comparison tells nobody
    this.parentOf = {};
    for (const half of data.picture.halves)
      for (const [id] of half.rows.flat()) this.parentOf[id] = half.part;
    this.take(data);
    this.at(".all").classList.toggle("compared", !data.files);
    this.at(".all").classList.toggle("still", Boolean(this.view.still));
    this.draw();
    showTools(this);
    showWalk(this);
    const { view } = this;
    this.choose(view.part, { silent: true, quietly: view.highlighted === view.part + data.model });
    view.highlighted = view.part + data.model;
    if (view.revealed !== view.start) reveal(this);
    view.revealed = view.start;
    this.ask();
    return followKeys(this);
  }

  // What the address says is taken over when it changes; between that, the component's own state holds.
  take(data) {
    const { view } = this;
    const start = JSON.stringify(data.start);
    if (view.start !== start) Object.assign(view, data.start, { start });
    view.step = Math.min(Math.max(view.step, 0), data.walk.length);
    view.part ??= view.step ? data.walk[view.step - 1].part : data.table ? "attention" : "stream";
    if (!data.parts[view.part]) view.part = this.parentOf[view.part] ?? "attention";
    if (this.parentOf[view.part]) view.open.add(this.parentOf[view.part]);
    view.block = Math.min(Math.max(view.block, 1), data.layers);
    view.head = Math.min(Math.max(view.head, 1), data.heads);
  }

  // Ask for the measured numbers once the picture has been painted, so that it never waits for them.
  ask() {
    const { data, view } = this;
    if (!data.ask || data.journey || view.asked === data.ask) return;
    view.asked = data.ask;
    requestAnimationFrame(() => setTimeout(() => this.report("wanted", data.ask), 0));
  }

  // Drawn anew only when it changes: an answer of the server must not swallow a press under way.
  draw() {
    const { data, view } = this;
    const said = Object.entries(data.parts).map(([id, part]) => [id, part.title, part.label]);
    const signature = JSON.stringify([data.name, data.picture, said, [...view.open]]);
    if (view.signature === signature) return;
    view.signature = signature;
    const focused = this.root.activeElement?.dataset?.id;
    this.drawn = drawPicture(data, view.open);
    const { svg } = this.drawn;
    this.at(".picture").replaceChildren(svg);
    if (focused) svg.querySelector(`[data-id="${focused}"]`)?.focus({ preventScroll: true });
    svg.onclick = (event) => {
      const g = event.target.closest("[data-id]");
      if (g) this.tap(g.dataset.id);
    };
    svg.onkeydown = (event) => {
      const g = event.target.closest("[data-id]");
      if (!g || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      this.tap(g.dataset.id);
    };
  }

  // The chosen part, and what was measured in the picture itself.
  mark() {
    const { data, view } = this;
    const { svg, places } = this.drawn;
    for (const g of svg.querySelectorAll("[data-id]"))
      g.setAttribute("aria-pressed", String(g.dataset.id === view.part));
    const lengths = data.journey?.lengths;
    const seen = lengths && streamLengths(lengths, view.block - 1);
    const longest = lengths && Math.max(...lengths.stream, ...lengths.between);
    const here = ["start", "entering", "between", "leaving", "end"].indexOf(data.parts[view.part].depth);
    places.vectors.forEach((line, index) => {
      line.classList.toggle("here", index === here);
      line.setAttribute("stroke-width", seen ? 2 + (24 * seen[index]) / longest : 9);
    });
    const [first, second] = additionWords(lengths?.said, view.block - 1, data.picture.parallel);
    places.addition1Words.textContent = first;
    places.addition2Words.textContent = second;
    const likeliest = data.journey?.parts?.loss;
    svg.querySelector('[data-id="loss"] .small').textContent = likeliest
      ? `likeliest next: ${likeliest.labels[0]}  ${likeliest.values[0]}`
      : data.parts.loss.label;
  }

  choose(id, { quietly = false, silent = false } = {}) {
    this.view.part = id;
    const parent = this.parentOf[id];
    if (parent && !this.view.open.has(parent)) {
      this.view.open.add(parent);
      this.draw();
    }
    this.mark();
    showCard(this);
    showReading(this);
    if (this.data.files) this.showCode(quietly);
    if (!silent) this.report("selected", id);
  }

  // Down or up the stream, without asking the server.
  goToBlock(block) {
    this.view.block = block;
    this.mark();
    showCard(this);
    showReading(this);
    showLine(this);
    showBlock(this);
  }

  tap(id) {
    this.view.line = null;
    if (OPENING.includes(id)) {
      if (this.view.part === id && this.view.open.has(id)) this.view.open.delete(id);
      else this.view.open.add(id);
      this.draw();
    }
    this.choose(id);
    if (this.narrow) this.bring(".card");
  }

  bring(selector, block = "start") {
    this.at(selector).scrollIntoView({ behavior: calm() || this.view.still ? "auto" : "smooth", block });
  }

  showCode(quietly) {
    const part = this.data.parts[this.view.part];
    const host = this.at(".code .listing");
    this.at(".code").classList.toggle("unknown", !part.lines);
    if (!part.lines) {
      this.at(".where").textContent = `The lines of ${part.title} are not known here.`;
      return;
    }
    const shown = listing(host, part.file, this.data.files[part.file], (line) => this.lineTapped(line));
    shown.highlight(part.lines, quietly);
    this.at(".code .bar b").textContent = part.file;
    this.at(".where").textContent = `${part.where}: ${part.title}`;
    host.ariaLabel = `${part.file}, ${part.where}, ${part.title}`;
    const copy = this.at(".code .bar button");
    copy.onclick = () => copied(copy, part.text);
  }

  // The narrowest part first; the same line again widens to the part around it.
  lineTapped(line) {
    const { data, view } = this;
    const owners = ownersOf(data.parts, data.parts[view.part].file, line);
    if (!owners.length) {
      this.at(".where").textContent = `line ${line} belongs to no part of the picture`;
      return;
    }
    const again = view.line === line && owners.includes(view.part);
    view.line = line;
    this.choose(owners[again ? (owners.indexOf(view.part) + 1) % owners.length : 0], { quietly: true });
  }
}

// The lengths of the stream beside the block's parts: entering the model, the block, between, after, at the end.
const streamLengths = ({ stream, between }, k) => [
  stream[0],
  stream[k],
  between[k],
  stream[k + 1],
  stream.at(-1),
];

// In parallel blocks one sum adds both: what attention adds alone leaves no stream behind.
const additionWords = (said, k, parallel) =>
  said
    ? [
        `adds ${said.attention[k]}${parallel ? "" : `, now ${said.between[k]}`}`,
        `adds ${said.feed_forward[k]}, now ${said.stream[k + 1]}`,
      ]
    : ["", ""];

// The parts whose lines in this file hold the line, the fewest lines first.
export function ownersOf(parts, file, line) {
  const size = (id) => parts[id].lines.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return Object.keys(parts)
    .filter(
      (id) =>
        parts[id].file === file && parts[id].lines.some(([first, last]) => first <= line && line <= last),
    )
    .sort((a, b) => size(a) - size(b));
}
