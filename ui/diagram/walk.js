// The guided walk: one sentence a step, with the part that it is about and what was measured there.

import { button, element } from "../web/elements.js";
import { pageLink } from "../web/onward.js";
import { looksAt } from "./looks.js";
import { inOneLine, showLine } from "./reading.js";
import { bringBetween } from "./scroll.js";
import { blocks } from "./tools.js";

const BEGINNING = 130; // px of the stream that are enough to see it
const LINES = 240; // px of the code, its heading included
const HELD = 80; // px from the screen's top, where what stands beside the picture is held

function walkTo(diagram, step) {
  const { data, view } = diagram;
  view.step = step;
  const part = step ? data.walk[step - 1].part : view.part;
  diagram.choose(part, { silent: true });
  showWalk(diagram);
  reveal(diagram);
  diagram.report("step", [step, part]);
}

// The part in the picture, and what the step talks about beside it, above the bar.
export function reveal(diagram) {
  const { data, view } = diagram;
  if (!view.step) return;
  const { part, shows } = data.walk[view.step - 1];
  const drawn = diagram.at(`[data-id="${part}"] > .box, [data-id="${part}"] > .hit`);
  const talked = [drawn, shows === "tokens" && diagram.at(".chips")].filter(Boolean);
  const boxes = talked.map((one) => one.getBoundingClientRect());
  if (part === "stream") boxes[0].height = Math.min(boxes[0].height, BEGINNING);
  const bar = diagram.at(".walk").offsetHeight;
  bringBetween(diagram.root.host ?? diagram.root, boxes, codeBeside(diagram), bar, view.still);
}

// The first lines of the code, where they stand beside the picture and move with the page.
function codeBeside(diagram) {
  const side = diagram.at(".side").getBoundingClientRect();
  if (diagram.narrow || side.top < HELD) return null;
  const { top } = diagram.at(".code").getBoundingClientRect();
  return { top, bottom: top + LINES };
}

// Built anew only when it says something else: an answer of the server must not swallow a press under way, nor
// take the slider from under a finger.
export function showWalk(diagram) {
  const { data, view } = diagram;
  if (!data.walk.length) return;
  const bar = diagram.at(".walk");
  const high = bar.offsetHeight;
  const had = bar.contains(diagram.root.activeElement) && diagram.root.activeElement.className;
  diagram.at(".all").classList.toggle("walking", view.step > 0);
  const begun = String(view.step > 0);
  if (bar.dataset.begun !== begun)
    bar.replaceChildren(...(view.step ? underWay(diagram) : invitation(diagram)));
  bar.dataset.begun = begun;
  if (view.step) tell(diagram, bar);
  const again = had && bar.querySelector(`button.${had}`);
  if (again) (again.disabled ? bar.querySelector("button:enabled") : again).focus({ preventScroll: true });
  if (bar.offsetHeight > high) reveal(diagram); // what arrived late must not hide what it is about
}

// by: how many steps on; null ends the walk.
function leading(diagram, text, kind, by) {
  const made = button({ class: kind }, text);
  made.onclick = () => walkTo(diagram, by === null ? 0 : diagram.view.step + by);
  return made;
}

function invitation(diagram) {
  const start = leading(diagram, "Start the guided walk", "next", 1);
  start.title = "Follow one token from text to prediction, step by step, also with the arrow keys.";
  return [element("div", { class: "buttons" }, start)];
}

function underWay(diagram) {
  const buttons = [
    leading(diagram, "End", "end", null),
    leading(diagram, "Previous", "previous", -1),
    leading(diagram, "Next", "next", 1),
  ];
  return [element("div", { class: "told" }), element("div", { class: "buttons" }, ...buttons)];
}

// The step's sentence with what was measured there, and where the buttons can lead.
function tell(diagram, bar) {
  const { data, view } = diagram;
  const { parts, walk } = data;
  const { step } = view;
  const { part, text, shows } = walk[step - 1];
  bar.querySelector(".previous").disabled = step === 1;
  bar.querySelector(".next").disabled = step === walk.length;
  const where = [view.part, shows !== "blocks" && view.block, view.head];
  const says = JSON.stringify([data.model, step, text, data.ask, ...where, measuredOf(data)]);
  if (view.told === says && bar.querySelector(".told").firstChild) {
    showLine(diagram);
    return;
  }
  view.told = says;
  const title = element("strong", {}, `Step ${step} of ${walk.length}, ${parts[part].title}. `);
  const last = step === walk.length ? [waysOn(diagram)] : [];
  const told = element("p", { "aria-live": "polite" }, title, text);
  const line = last.length ? [] : [inOneLine(diagram)]; // the last step's numbers are these very ones
  bar.querySelector(".told").replaceChildren(told, ...measuredThere(diagram, shows), ...line, ...last);
}

const measuredOf = ({ journey }) => [journey?.token, journey?.pieces, journey?.error];

// What the step's text talks about, beside it.
function measuredThere(diagram, shows) {
  const { data, view } = diagram;
  const { journey } = data;
  if (shows === "blocks") return [blocks(diagram)];
  if (!journey?.parts) return [];
  if (shows === "looks") {
    return [element("p", {}, looksAt(journey, view))];
  }
  if (shows !== "numbers") return [];
  const measured = journey.parts[view.part];
  const values = (measured?.by_block ? measured.values[view.block - 1] : measured?.values) ?? [];
  const ofHead = (value) => (Array.isArray(value) ? value[view.head - 1] : value);
  const said = values.map((value, index) => `${measured.labels[index]} ${ofHead(value)}`).join("; ");
  const where = measured?.by_block ? `In block ${view.block}: ` : "";
  return [element("p", { class: "numbers" }, where + said)];
}

function waysOn({ data, go }) {
  const links = data.onward.map(([page, label]) => pageLink(page, label, go));
  return element("p", { class: "ways" }, "On from here: ", ...links);
}

const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };
const CLICKER = { ...ARROWS, PageDown: 1, PageUp: -1 };

// The arrow keys lead on, in class mode a presenter's clicker too, except where they have a use of their own
// -> what takes this back.
export function followKeys(diagram) {
  const { root, view } = diagram;
  const follow = (event) => {
    const by = (diagram.data.start.teaching ? CLICKER : ARROWS)[event.key];
    const origin = event.composedPath()[0];
    const elsewhere = !event.composedPath().includes(diagram.at(".all")) && origin !== document.body;
    const own = origin.closest?.("input, textarea, select, .listing, .strip, .chips, [contenteditable]");
    if (!by || !view.step || elsewhere || own || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = view.step + by;
    if (step < 1 || step > diagram.data.walk.length) return;
    event.preventDefault();
    walkTo(diagram, step);
  };
  document.removeEventListener("keydown", root.diagramKeys, true);
  document.addEventListener("keydown", follow, true); // ahead of a lesson's clicker, which goes on after the last
  root.diagramKeys = follow;
  return () => document.removeEventListener("keydown", follow, true);
}
