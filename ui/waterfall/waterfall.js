// A sum as bars that begin where the one before ended; the server says what stands in each row.

import { bringWhenThere, button, element } from "../web/elements.js";
import { roving } from "../web/roving.js";

export default function mount({ data, parentElement: root, setTriggerValue }) {
  const host = root.querySelector(".fall");
  const signature = JSON.stringify([data.rows, data.head, data.ends]);
  if (host.dataset.signature !== signature) {
    const held = root.activeElement?.dataset?.part;
    host.dataset.signature = signature;
    host.ariaLabel = data.label;
    host.replaceChildren(headOf(data.head), ...data.rows.map((row) => rowOf(row, data)));
    root.querySelector(".key").textContent = data.key;
    if (held) host.querySelector(`[data-part="${held}"]`)?.focus({ preventScroll: true });
  }
  const buttons = [...host.querySelectorAll("button")];
  const chosen = buttons.findIndex((one) => one.dataset.part === data.chosen);
  for (const [i, one] of buttons.entries()) one.setAttribute("aria-pressed", String(i === chosen));
  const held = buttons.indexOf(root.activeElement);
  roving(host, buttons, held < 0 ? chosen : held);
  const along = host.onkeydown;
  host.onkeydown = (event) => along(downward(event));
  host.onclick = (event) => {
    const part = event.target.closest("button")?.dataset.part;
    if (!part) return;
    setTriggerValue("part", part);
    if (part.includes(".") && part !== data.chosen) bringWhenThere(`.st-key-says-${part.replace(".", "-")}`);
  };
}

// Rows lie below one another, so the arrows up and down lead along them too.
function downward(event) {
  const key = { ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft" }[event.key];
  if (!key) return event;
  const { target, altKey, ctrlKey, metaKey } = event;
  return { key, target, altKey, ctrlKey, metaKey, preventDefault: () => event.preventDefault() };
}

function headOf([part, wrote, lost]) {
  const cells = [
    element("span", {}, part),
    element("span", { class: "track" }),
    element("span", { class: "n" }, wrote),
    element("span", { class: "n" }, lost),
  ];
  return element("div", { class: "row head", "aria-hidden": "true" }, ...cells);
}

function rowOf(row, { ends }) {
  const kinds = ["row", row.inner && "inner", row.id === "sum" && "sum"].filter(Boolean).join(" ");
  const cells = [
    element("span", { class: "name" }, row.name),
    element("span", { class: "track" }, ...bars(row, ends)),
    element("span", { class: "n" }, row.wrote),
    element("span", { class: "n" }, row.lost),
  ];
  if (!row.taps) return element("div", { class: kinds }, ...cells);
  return button({ class: kinds, "data-part": row.id, "aria-label": row.said, title: row.exact }, ...cells);
}

function bars(row, ends) {
  const { left, width, zero } = placed(row, ends);
  const bar = element("i", { class: row.to < row.from && "down" });
  bar.style.left = `${left}%`;
  bar.style.width = `${width}%`;
  bar.style.setProperty("--own", `var(--mark-${row.mark})`);
  const line = element("b");
  line.style.left = `${zero}%`;
  return [line, bar];
}

// Where a bar and the line at 0 lie between two ends, in percent.
export function placed({ from, to }, [low, high]) {
  const place = (x) => (100 * (x - low)) / (high - low || 1);
  const left = place(Math.min(from, to));
  return { left, width: place(Math.max(from, to)) - left, zero: place(0) };
}
