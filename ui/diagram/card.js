// The card of the chosen part: what it does, and what was measured in it.

import { button, element } from "../web/elements.js";
import { percent } from "../web/numbers.js";

const OF_A_HEAD = ["attention", "queries", "keys", "values", "qk_norm", "rope", "causal_softmax"];
const WITH_WEIGHTS = ["attention", "causal_softmax"];

export function showCard(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const part = data.parts[view.part];
  const card = diagram.at(".card");
  const shows = JSON.stringify([
    data.model,
    view.part,
    view.block,
    view.head,
    data.ask,
    journey?.token,
    journey?.error,
  ]);
  if (view.card === shows && !data.table) return;
  view.card = shows;
  card.style.setProperty("--part", `var(--mark-${part.mark})`);
  const back = button({ class: "back" }, "Back to the picture");
  back.onclick = () => diagram.bring(".picture");
  card.replaceChildren(
    element("h2", {}, part.title),
    element("p", { class: "duty" }, part.duty),
    ...(part.differs ? [element("p", { class: "duty differs" }, part.differs)] : []),
    element("div", { class: "facts" }, known(part), ...(data.ask ? measuredNumbers(diagram) : [])),
    data.table ? differences(data) : back,
  );
}

// What is known of a part without running the model.
function known(part) {
  const list = element("dl");
  define(list, "Formula", part.formula, "formula");
  define(list, "Shape", part.letters === part.shape ? part.shape : `${part.letters}, here ${part.shape}`);
  define(list, "Parameters", part.parameters);
  define(list, "Paper", part.paper);
  return list;
}

function define(list, term, text, kind) {
  if (text) list.append(element("dt", {}, term), element("dd", { class: kind }, text));
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

function measuredNumbers(diagram) {
  const { data, view } = diagram;
  const { journey } = data;
  const box = element("div", { class: "journey" });
  if (!journey || journey.error) {
    box.append(element("p", {}, journey ? journey.error : "The measured numbers are on their way …"));
    return [box];
  }
  const measured = journey.parts[view.part];
  const where = measured?.by_block ? `, in block ${view.block}` : "";
  box.append(
    element("h3", {}, `Measured at token ${journey.token}, ${journey.pieces[journey.token]}${where}`),
  );
  if (OF_A_HEAD.includes(view.part)) box.append(headButtons(diagram));
  const values = (measured?.by_block ? measured.values[view.block - 1] : measured?.values) ?? [];
  const list = element("dl");
  values.forEach((value, index) => {
    define(list, measured.labels[index], Array.isArray(value) ? value[view.head - 1] : value);
  });
  box.append(list);
  if (!values.length) box.append(element("p", {}, "Nothing is measured at this part."));
  return WITH_WEIGHTS.includes(view.part) ? [box, weightBars(journey, view)] : [box];
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

// Where the head looks: a bar for each token, its weight as its height.
function weightBars({ attention, pieces }, { block, head }) {
  const weights = attention[block - 1][head - 1];
  const cells = weights.map((weight, index) => {
    const bar = element("i");
    bar.style.setProperty("--w", `${100 * weight}%`);
    return element("span", {}, bar, percent(weight), element("br"), pieces[index]);
  });
  const label = `Where head ${head} looks: ${mostLookedAt(weights, pieces).join(", ")}`;
  return element("div", { class: "strip", tabindex: 0, role: "img", "aria-label": label }, ...cells);
}

export function mostLookedAt(weights, pieces, most = 5) {
  return weights
    .map((weight, index) => [weight, index])
    .sort((a, b) => b[0] - a[0])
    .slice(0, most)
    .map(([weight, index]) => `${pieces[index]} ${percent(weight)}`);
}
