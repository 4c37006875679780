// All weights of the chosen head, from every token to every token: asked for when the fold is opened.

import { element } from "../web/elements.js";
import { paint, unpacked } from "../pattern/grid.js";

// The fold; draw() paints it once it hangs.
export function matrix(diagram) {
  const { data, view } = diagram;
  const { block, head } = view;
  const name = `head ${head} of block ${block}`;
  const fold = element(
    "details",
    { class: "matrix", open: view.matrix },
    element("summary", {}, `The whole matrix of ${name}`),
  );
  fold.ontoggle = () => {
    if (view.matrix === fold.open) return;
    view.matrix = fold.open;
    ask(diagram);
  };
  const here = data.matrix?.of.join() === [block, head].join() && data.matrix;
  if (!here) fold.append(element("p", {}, "The weights are on their way …"));
  else if (here.error) fold.append(element("p", {}, here.error));
  else fold.append(grid(here, data.journey.token, name));
  if (view.matrix) ask(diagram);
  return fold;
}

// Tell the server whose weights are wanted: nobody's when the fold is shut.
function ask({ report, view }) {
  const wanted = view.matrix ? [view.block, view.head] : null;
  if (String(view.matrixAsked ?? null) === String(wanted)) return;
  view.matrixAsked = wanted;
  report("matrix", wanted);
}

function grid({ weights, size, ramp }, token, name) {
  const canvas = element("canvas", { role: "img", "aria-label": `The attention of ${name}, all tokens` });
  paint(canvas, size, ramp, unpacked(weights, size), token);
  const axis = (way, said) => {
    const ends = [0, size > 1 ? size - 1 : ""].map((end) => element("span", {}, end));
    return element(
      "p",
      { class: `axis ${way}`, "aria-hidden": "true" },
      ends[0],
      element("span", {}, said),
      ends[1],
    );
  };
  const note =
    "A row for each token, a column for each token it can look at; the coloured row is the chosen token's.";
  return element(
    "div",
    { class: "weights" },
    axis("across", "the token looked at"),
    axis("down", "the token that looks"),
    canvas,
    element("p", { class: "note" }, note),
  );
}
