// The guided walk: one sentence a step, with the part that it is about.

import { button, element } from "../web/elements.js";

function walkTo(diagram, step) {
  const { data, view } = diagram;
  view.step = step;
  const part = step ? data.walk[step - 1].part : view.part;
  diagram.choose(part, { silent: true });
  showWalk(diagram);
  diagram.bring(`[data-id="${part}"]`, diagram.narrow ? "center" : "nearest");
  diagram.report("step", [step, part]);
}

export function showWalk(diagram) {
  const { data, view } = diagram;
  if (!data.walk.length) return;
  const bar = diagram.at(".walk");
  const had = bar.contains(diagram.root.activeElement) && diagram.root.activeElement.className;
  bar.classList.toggle("walking", view.step > 0);
  bar.replaceChildren(...(view.step ? underWay(diagram) : invitation(diagram)));
  const again = had && bar.querySelector(`button.${had}`);
  if (again) (again.disabled ? bar.querySelector("button:enabled") : again).focus({ preventScroll: true });
}

function leading(diagram, text, kind, to, usable = true) {
  const made = button({ class: kind, disabled: !usable }, text);
  made.onclick = () => walkTo(diagram, to);
  return made;
}

const invitation = (diagram) => [
  element("div", { class: "buttons" }, leading(diagram, "Start the guided walk", "next", 1)),
  element("p", {}, "Follow one token from text to prediction, step by step, also with the arrow keys."),
];

function underWay(diagram) {
  const { parts, walk } = diagram.data;
  const { step } = diagram.view;
  const title = parts[walk[step - 1].part].title;
  const buttons = [
    leading(diagram, "Previous", "previous", step - 1, step > 1),
    leading(diagram, "Next", "next", step + 1, step < walk.length),
    leading(diagram, "End", "end", 0),
  ];
  const where = element("strong", {}, `Step ${step} of ${walk.length}, ${title}. `);
  return [
    element("div", { class: "buttons" }, ...buttons),
    element("p", { "aria-live": "polite" }, where, walk[step - 1].text),
  ];
}

// The arrow keys lead on, except where they have a use of their own -> what takes this back.
export function followKeys(diagram) {
  const { root, view } = diagram;
  const follow = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const origin = event.composedPath()[0];
    const elsewhere = !event.composedPath().includes(diagram.at(".all")) && origin !== document.body;
    const own = origin.closest?.("input, textarea, select, .listing, .strip, .chips, [contenteditable]");
    if (!by || !view.step || elsewhere || own || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = view.step + by;
    if (step < 1 || step > diagram.data.walk.length) return;
    event.preventDefault();
    walkTo(diagram, step);
  };
  document.removeEventListener("keydown", root.diagramKeys);
  document.addEventListener("keydown", follow);
  root.diagramKeys = follow;
  return () => document.removeEventListener("keydown", follow);
}
