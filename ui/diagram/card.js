// The card of the chosen part: what it does, what was measured in it, and the pages that go further.

import { button, element } from "../web/elements.js";
import { pageLink } from "../web/onward.js";
import { arcs, looksAt } from "./looks.js";

const OF_A_HEAD = ["attention", "queries", "keys", "values", "qk_norm", "rope", "causal_softmax"];
const WITH_WEIGHTS = ["attention", "causal_softmax"];

export function showCard(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const part = data.parts[view.part];
  const card = diagram.at(".card");
  const { block, head } = view;
  const measured = [data.ask, journey?.token, journey?.error];
  const shows = JSON.stringify([data.model, view.part, block, head, ...measured]);
  if (view.card === shows && !data.table) return;
  view.card = shows;
  card.style.setProperty("--part", `var(--mark-${part.mark})`);
  const back = button({ class: "back" }, "Back to the picture");
  back.onclick = () => diagram.bring(".picture");
  const [numbers, draw] = data.ask ? measuredNumbers(diagram) : [[], () => {}];
  card.replaceChildren(
    element("h2", {}, part.title),
    element("p", { class: "duty" }, part.duty),
    ...(part.differs ? [element("p", { class: "duty differs" }, part.differs)] : []),
    ...numbers,
    element("p", { class: "formula" }, ...set(part.formula)),
    known(part, view, Boolean(data.table)),
    ...(part.pages?.length ? [further(part.pages, diagram)] : []),
    data.table ? differences(data) : back,
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

// What was measured at the chosen token -> the elements, and what draws their arcs once they hang.
function measuredNumbers(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const box = element("div", { class: "journey" });
  if (!journey || journey.error) {
    box.append(element("p", {}, journey ? journey.error : "The measured numbers are on their way …"));
    return [[box], () => {}];
  }
  const measured = journey.parts[view.part];
  const where = measured?.by_block ? `, in block ${view.block}` : "";
  const heading = `Measured at token ${journey.token}, ${journey.pieces[journey.token]}${where}`;
  box.append(element("h3", {}, heading));
  const [strip, draw] = WITH_WEIGHTS.includes(view.part) ? arcs(journey, view) : [null, () => {}];
  if (strip) box.append(element("p", { class: "looks" }, looksAt(journey, view)));
  if (OF_A_HEAD.includes(view.part)) box.append(headButtons(diagram));
  if (strip) box.append(strip);
  const values = (measured?.by_block ? measured.values[view.block - 1] : measured?.values) ?? [];
  const list = element("dl");
  values.forEach((value, index) => {
    define(list, measured.labels[index], Array.isArray(value) ? value[view.head - 1] : value);
  });
  box.append(list);
  if (!values.length) box.append(element("p", {}, "Nothing is measured at this part."));
  return [[box], draw];
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
