// The card of the chosen part: what it does, what was measured in it, and the pages that go further.

import { button, element } from "../web/elements.js";
import { pageLink } from "../web/onward.js";
import { arcs, looksAt } from "./looks.js";
import { matrix } from "./matrix.js";

const OF_A_HEAD = ["attention", "queries", "keys", "values", "qk_norm", "rope", "causal_softmax"];
const WITH_WEIGHTS = ["attention", "causal_softmax"];
const IN_BARS = ["output", "loss"]; // their first numbers are the bars beside the card
const LATER = ["block", "feed_forward"]; // so many numbers that they stand below the code
const NOTHING = { first: [], more: [], draw: () => {} };

export function showCard(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const part = data.parts[view.part];
  const card = diagram.at(".card");
  const { block, head } = view;
  const measured = [data.ask, journey?.token, journey?.error, data.matrix?.of, data.matrix?.error];
  const shows = JSON.stringify([data.model, view.part, block, head, ...measured]);
  if (view.card === shows && !data.table) return;
  view.card = shows;
  card.style.setProperty("--part", `var(--mark-${part.mark})`);
  const back = button({ class: "back" }, "Back to the picture");
  back.onclick = () => diagram.bring(".picture");
  const { first, more, draw } = data.ask ? measuredNumbers(diagram) : NOTHING;
  const duty = element("p", { class: "duty" }, part.duty);
  const differs = part.differs && element("p", { class: "duty differs" }, part.differs);
  const rest = [
    ...more,
    element("p", { class: "formula" }, ...set(part.formula)),
    known(part, view, Boolean(data.table)),
    ...(part.pages?.length ? [further(part.pages, diagram)] : []),
    data.table ? differences(data) : back,
  ];
  card.replaceChildren(
    element("div", { class: "first" }, element("h2", {}, part.title), duty, differs || "", ...first),
    element("div", { class: "more" }, ...rest),
  );
  draw();
}

// A formula with its subscripts set: "W_q" becomes W with a lowered q.
export function set(formula) {
  return formula.split(/_(\w+)/).map((text, index) => (index % 2 ? element("sub", {}, text) : text));
}

// What is known of a part without running the model: for a second look.
function known(part, view, compared) {
  const list = element("dl");
  define(list, "Shape", part.letters === part.shape ? part.shape : `${part.letters}, here ${part.shape}`);
  define(list, "Letters", part.key);
  define(list, "Parameters", part.parameters);
  define(list, "Paper", part.paper);
  const fold = element(
    "details",
    { open: compared || view.known },
    element("summary", {}, "Shape, parameters, paper"),
    list,
  );
  fold.ontoggle = () => {
    view.known = fold.open;
  };
  return fold;
}

const further = (pages, { go }) =>
  element("p", { class: "further" }, ...pages.map(([page, label]) => pageLink(page, label, go)));

function define(list, term, text) {
  if (text) list.append(element("dt", {}, term), element("dd", {}, text));
}

function differences({ heading, table }) {
  const rows = table.map(([what, ours, theirs]) => {
    const differs = ours !== theirs;
    return element(
      "tr",
      { class: differs && "differs" },
      element("th", { scope: "row" }, what),
      element("td", {}, ours),
      element("td", {}, (differs ? "≠ " : "") + theirs),
    );
  });
  const head = element("tr", {}, ...heading.map((name) => element("th", { scope: "col" }, name)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

// What was measured at the chosen token -> what stands above the code, what below it, and what draws the arcs
// once they hang.
function measuredNumbers(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const box = element("div", { class: "journey" });
  const looking = WITH_WEIGHTS.includes(view.part);
  const below = !looking && (OF_A_HEAD.includes(view.part) || LATER.includes(view.part));
  const placed = (rest = [], draw = NOTHING.draw) =>
    below ? { first: [], more: [box, ...rest], draw } : { first: [box], more: rest, draw };
  if (!journey || journey.error) {
    box.append(element("p", {}, journey ? journey.error : "The measured numbers are on their way …"));
    return placed();
  }
  const measured = journey.parts[view.part];
  const where = measured?.by_block ? `, in block ${view.block}` : "";
  const heading = `Measured at token ${journey.token}, ${journey.pieces[journey.token]}${where}`;
  box.append(element("h3", {}, heading));
  const numbers = numbersOf(measured, view, IN_BARS.includes(view.part) ? journey.read.at(-1).length : 0);
  const heads = OF_A_HEAD.includes(view.part) ? [headButtons(diagram)] : [];
  if (!looking) {
    box.append(...heads, numbers);
    return placed();
  }
  box.append(element("p", { class: "looks" }, looksAt(journey, view)));
  const [strip, draw] = arcs(journey, view);
  return placed([...heads, strip, matrix(diagram), numbers], draw);
}

// inBars: how many of the values the bars show.
function numbersOf(measured, { block, head }, inBars) {
  const values = (measured?.by_block ? measured.values[block - 1] : measured?.values) ?? [];
  if (!values.length) return element("p", {}, "Nothing is measured at this part.");
  const list = element("dl");
  values.slice(inBars).forEach((value, index) => {
    define(list, measured.labels[inBars + index], Array.isArray(value) ? value[head - 1] : value);
  });
  return list.childElementCount ? list : element("p", {}, "The bars show the likeliest next tokens.");
}

function headButtons(diagram) {
  const { data, view } = diagram;
  const heads = element("div", { class: "heads", role: "group", "aria-label": "Head" }, "Head ");
  for (let h = 1; h <= data.heads; h += 1) {
    const one = button({ "aria-pressed": String(h === view.head), "aria-label": `Head ${h}` }, String(h));
    one.onclick = () => {
      view.head = h;
      showCard(diagram);
      diagram.at(`.heads button:nth-of-type(${h})`).focus();
      diagram.report("head", h);
    };
    heads.append(one);
  }
  return heads;
}
