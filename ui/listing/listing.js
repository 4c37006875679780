import { element } from "../web/elements.js";

// Draw a file's lines once -> { highlight(lines, quietly) }.  rows: a list of [kind, text] for each line;
// onLine(line): called for a tapped line, or null when lines can't be tapped.
export function listing(host, file, rows, onLine) {
  let pre = host.querySelector("pre");
  const signature = file + rows.length + (onLine ? "!" : "");
  if (pre?.dataset.signature !== signature) {
    pre = element("pre", { "data-signature": signature });
    pre.append(...rows.map((pieces, index) => lineOf(pieces, index + 1, Boolean(onLine))));
    host.classList.toggle("clickable", Boolean(onLine));
    host.replaceChildren(pre, placed());
    host.scrollTop = 0;
    keepPlace(host);
  }
  if (onLine) answerTaps(host, pre, onLine);
  return { highlight: (lines, quietly) => highlight(host, pre, lines, quietly) };
}

function lineOf(pieces, line, clickable) {
  const number = clickable
    ? element("button", { type: "button", tabindex: -1, "aria-label": `Line ${line}` })
    : element("span");
  number.className = "n";
  number.dataset.n = line;
  const texts = pieces.map(([kind, text]) => element("span", { class: kind || null }, text));
  return element("span", { class: "row", "data-line": line }, number, ...texts, "\n");
}

// An element that tells when it was put into the page, or elsewhere in it.
function placed() {
  const name = "listing-placed";
  if (!customElements.get(name)) {
    const Placed = class extends HTMLElement {
      connectedCallback() {
        this.dispatchEvent(new Event("placed"));
      }
    };
    customElements.define(name, Placed);
  }
  return element(name);
}

// A browser forgets how far a listing was scrolled when the page moves it elsewhere.
function keepPlace(host) {
  const kept = { top: 0, left: 0 };
  host.onscroll = () => Object.assign(kept, { top: host.scrollTop, left: host.scrollLeft });
  host.lastChild.addEventListener("placed", () => host.scrollTo({ ...kept, behavior: "instant" }));
}

function answerTaps(host, pre, onLine) {
  const tabTo = (button) => {
    for (const one of pre.querySelectorAll('button[tabindex="0"]')) one.tabIndex = -1;
    button.tabIndex = 0;
  };
  if (!pre.querySelector('button[tabindex="0"]')) tabTo(pre.firstChild.firstChild);
  pre.onclick = (event) => {
    const row = event.target.closest(".row");
    const picked = host.getRootNode().getSelection?.() ?? document.getSelection();
    if (!row || (picked && !picked.isCollapsed && picked.toString().length > 1)) return;
    tabTo(row.firstChild);
    onLine(Number(row.dataset.line));
  };
  pre.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = event.target.closest(".row");
    const next = step && row && pre.children[Number(row.dataset.line) - 1 + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    tabTo(next.firstChild);
    next.firstChild.focus();
  };
}

function highlight(host, pre, lines, quietly) {
  const on = numbersIn(lines);
  for (const row of pre.children) row.classList.toggle("on", on.has(Number(row.dataset.line)));
  if (quietly || !lines.length) return;
  // The file scrolls, not the page: as much of the lines as fits, their first line near the top.
  const top = pre.children[lines[0][0] - 1];
  const end = pre.children[lines.at(-1)[1] - 1];
  const spare = host.clientHeight - (end.offsetTop + end.offsetHeight - top.offsetTop);
  host.scrollTop = top.offsetTop - pre.offsetTop - Math.max(24, spare / 2);
}

// [[28, 30], [117, 117]] -> {28, 29, 30, 117}
export function numbersIn(lines) {
  return new Set(
    lines.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
  );
}
