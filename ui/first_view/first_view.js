// The first view: a text to write on, bars of what the model expects next, and three ways on.

import { button, element } from "../web/elements.js";
import { doorPicture } from "./doors.js";

const PAUSE = 120; // ms without a key before the bars are asked for
const SETTLED = 1200; // ms without a key before the text is kept in the address

export default function mount({ data, parentElement: root, setStateValue, setTriggerValue }) {
  root.first ??= new First(root);
  root.first.show(data, setStateValue, setTriggerValue);
  return () => root.first.leave();
}

class First {
  constructor(root) {
    this.at = (selector) => root.querySelector(selector);
    this.area = this.at("textarea");
    this.focused = () => root.activeElement === this.area;
    this.area.oninput = () => this.typed();
    this.area.onchange = () => this.keep();
  }

  show(data, report, go) {
    Object.assign(this, { data, report, go });
    this.at(".asks").textContent = data.asks;
    if (this.given !== data.text && data.text !== this.sent && !this.focused()) this.area.value = data.text;
    this.given = data.text;
    this.draw();
    this.doors();
    if (data.wanted !== null && this.wanted !== data.wanted) this.ask(data.wanted);
  }

  // Ask for bars once the page has been painted, so that it never waits for a model.
  ask(wanted) {
    this.wanted = wanted;
    requestAnimationFrame(() => setTimeout(() => this.tell(false), 0));
  }

  leave() {
    clearTimeout(this.soon);
    clearTimeout(this.later);
  }

  tell(settled) {
    if (settled) this.sent = this.area.value;
    this.report("typed", [this.area.value, settled, this.wanted]);
  }

  typed() {
    this.leave();
    this.mark();
    this.soon = setTimeout(() => this.tell(false), PAUSE);
    this.later = setTimeout(() => this.keep(), SETTLED);
  }

  keep() {
    this.leave();
    this.tell(true);
  }

  write(text) {
    this.area.value += text;
    this.area.scrollTop = this.area.scrollHeight;
    this.typed();
  }

  mark() {
    const { shown } = this.data;
    this.at(".next").classList.toggle("waiting", shown?.of !== this.area.value);
  }

  draw() {
    const { shown } = this.data;
    const list = this.at("ol");
    this.mark();
    this.at(".said").textContent = shown?.error ?? shown?.said ?? "The model is being loaded …";
    const bars = shown?.bars ?? [];
    while (list.children.length > bars.length) list.lastElementChild.remove();
    bars.forEach((bar, index) => {
      if (!list.children[index]) list.append(emptyBar());
      this.fill(list.children[index].firstElementChild, bar);
    });
  }

  // A bar is filled anew in its place, so that it grows or shrinks and keeps the focus.
  fill(one, { piece, add, p, said }) {
    const [name, track, share] = one.children;
    name.textContent = piece;
    track.firstElementChild.style.setProperty("--p", `${100 * p}%`);
    share.textContent = said;
    one.disabled = add === null;
    one.ariaLabel = add === null ? `${piece}, ${said}` : `Write ${piece}, ${said}`;
    one.onclick = () => this.write(add);
  }

  doors() {
    const { doors, query } = this.data;
    const nav = this.at(".doors");
    const signature = JSON.stringify(doors);
    if (nav.dataset.signature !== signature) {
      nav.dataset.signature = signature;
      nav.replaceChildren(...doors.map((door) => this.door(door)));
    }
    doors.forEach(({ page, extra }, index) => {
      nav.children[index].href = `./${page}?${new URLSearchParams({ ...query, ...extra })}`;
    });
  }

  door({ page, title, line, mark }) {
    const words = element("span", {}, element("b", {}, title), line);
    const link = element("a", { style: `--door: var(--mark-${mark})` }, doorPicture(page), words);
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.leave();
      this.go("door", [page, this.area.value]);
    };
    return link;
  }
}

const emptyBar = () =>
  element(
    "li",
    {},
    button(
      {},
      element("span", { class: "piece" }),
      element("span", { class: "track" }, element("i")),
      element("span", { class: "p" }),
    ),
  );
