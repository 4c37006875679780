// The panel beside the grid: what one cell says.

import { element, shape } from "../web/elements.js";
import { exact, probability, whole } from "../web/numbers.js";
import { briefest, nats } from "./cells.js";
import { guessing } from "./teaching.js";

const BLUE = "#2f7ebc";

export function showCell(lens, g, r, c) {
  const grid = lens.grids[g];
  const nameOf = ({ rows }, row) => (lens.stage ? briefest(rows[row]) : rows[row]);
  const title = element("h2", {}, `${nameOf(grid, r)}, position ${c}`);
  if (lens.beyond(c)) {
    lens.panel.replaceChildren(title, element("p", {}, "This column is still covered."));
    return;
  }
  const each = lens.grids.map((other, o) => {
    const row = o === g ? r : lens.opposite(g, r, other);
    const of =
      lens.grids.length > 1 && element("p", { class: "of" }, `${other.title}, ${nameOf(other, row)}`);
    const covered = lens.covered(other).has(row);
    const said = covered
      ? [element("p", {}, "This row is still covered. Guess before you look.")]
      : candidates(lens, other, row, c);
    return element("div", {}, of, ...said);
  });
  const all = element("div", { class: lens.grids.length > 1 ? "each two" : "each" }, ...each);
  lens.panel.replaceChildren(title, after(lens, grid, c), ...guessing(lens, c), all);
}

function after(lens, grid, c) {
  const said = element("p", {}, "After ", element("code", {}, grid.label(grid.tokens[c])));
  if (c === grid.T - 1) said.append(", where the text ends");
  else if (!lens.beyond(c + 1))
    said.append(" the text goes on with ", element("code", {}, grid.label(grid.next[c])));
  return said;
}

function candidates(lens, grid, r, c) {
  const i = r * grid.T + c;
  const real = lens.beyond(c + 1) ? -1 : grid.next[c]; // -1: none, or covered
  const ids = [...grid.ids.subarray(i * grid.k, (i + 1) * grid.k)];
  const list = element("ol", { "aria-label": "The likeliest next tokens" });
  list.append(...ids.map((id, k) => candidate(lens, grid, id, grid.p[i * grid.k + k], real, k + 1)));
  if (real >= 0 && !ids.includes(real))
    list.append(candidate(lens, grid, real, grid.nextP[i], real, grid.rank[i]));
  const found = [list, facts(lens, grid, r, c, real)];
  const beside = lens.stage && lens.grids.length > 1; // two of them leave no room for it
  return real >= 0 && !beside ? [...found, path(lens, grid, r, c)] : found;
}

function facts(lens, grid, r, c, real) {
  const i = r * grid.T + c;
  const list = element("dl");
  const fact = (name, text, of, title) => {
    const meaning = lens.data.measures.find(([key]) => key === of)[3];
    const kept = text.replace(/([<>]|\d) (?=[\d%])/g, "$1\u00a0"); // no line ends within a number
    list.append(element("dt", { title: meaning }, name), element("dd", { title }, kept));
  };
  if (real >= 0) {
    const p = grid.nextP[i];
    const rank = `rank ${whole(grid.rank[i])} of ${whole(grid.vocabulary)}`;
    fact("Real next token", `${rank}, ${probability(p)}`, "rank", exact(p));
  }
  const entropy = grid.entropy[i];
  const among = `among ${Math.exp(entropy).toFixed(entropy < 2.3 ? 1 : 0)} equally likely`;
  fact("Entropy", `${nats(entropy)} nats: ${lens.stage ? "as" : "as unsure as"} ${among}`, "entropy");
  fact("KL to the output", `${nats(grid.divergence[i], r === grid.R - 1)} nats`, "divergence");
  if (lens.data.follow && grid.followed) {
    const p = grid.followed[i];
    fact(`Followed ${lens.data.follow.label}`, probability(p), "follow", exact(p));
  }
  return list;
}

function candidate(lens, grid, id, p, real, rank) {
  const right = id === real;
  const label = grid.label(id);
  const fill = element("div", { class: "fill" });
  fill.style.width = `${100 * p}%`;
  const follow = Boolean(lens.ask);
  const title = `id ${id}, rank ${rank}, probability ${exact(p)}`;
  const said = `${label}, ${probability(p)}${right ? ", the real next token" : ""}`;
  const row = element(
    follow ? "button" : "div",
    {
      type: follow && "button",
      class: right ? "candidate right" : "candidate",
      "data-id": id,
      "data-p": p,
      title: title + (follow ? ". Tap to follow this token through the grid." : ""),
      "aria-label": follow ? `${said}. Follow it through the grid.` : null,
    },
    element("code", {}, label),
    element("div", { class: "track" }, fill),
    element("span", { class: "number" }, probability(p)),
  );
  if (follow) row.onclick = () => lens.ask("follow", id);
  return element("li", {}, row);
}

// The real next token's way down the rows: probability as a path, rank as a number.
function path(lens, grid, r, c) {
  const covered = lens.covered(grid);
  const open = grid.rows.map((_, row) => row).filter((row) => !covered.has(row));
  const left = lens.data.teaching ? 128 : 106;
  const step = grid.R > 12 ? 17 : lens.data.teaching ? 24 : 20;
  const room = { left, right: 250, top: 16, x: (p) => left + (250 - left) * p, y: (row) => 28 + step * row };
  const size = `0 0 360 ${room.y(grid.R - 1) + 14}`;
  const label = `Probability and rank of the real next token in every row of ${grid.title}`;
  const svg = shape("svg", { viewBox: size, role: "img", "aria-label": label }, ...axes(grid, room));
  const at = (row) => grid.nextP[row * grid.T + c];
  const points = open.map((row) => `${room.x(at(row))},${room.y(row)}`).join(" ");
  svg.append(shape("polyline", { points, fill: "none", stroke: BLUE, "stroke-width": 2 }));
  for (const row of open) svg.append(...stop(grid, room, row, c, row === r));
  return element("div", {}, element("p", { class: "of" }, "The real next token, row by row"), svg);
}

const words = (x, y, text, anchor, weight) =>
  shape("text", { x, y: y + 4, "text-anchor": anchor, "font-weight": weight }, text);

function axes(grid, { left, right, top, x, y }) {
  const ends = [0, 1].map((p) => {
    const line = { x1: x(p), x2: x(p), y1: top, y2: y(grid.R - 1) + 8 };
    return shape("line", { ...line, stroke: "var(--st-border-color)" });
  });
  return [
    words(left, 4, "0 %", "middle"),
    words(right, 4, "100 %", "middle"),
    words(355, 4, "rank", "end"),
    ...ends,
  ];
}

function stop(grid, { left, x, y }, row, c, chosen) {
  const i = row * grid.T + c;
  const p = grid.nextP[i];
  const look = { r: chosen ? 5.5 : 3.5, fill: chosen ? "var(--st-primary-color)" : BLUE };
  const title = shape("title", {}, `${grid.rows[row]}: ${exact(p)}`);
  const name = row === grid.R - 1 ? "output" : grid.rows[row].replace("after attention", "attention");
  const weight = chosen ? 700 : 400;
  return [
    words(left - 10, y(row), name, "end", weight),
    shape("circle", { cx: x(p), cy: y(row), ...look }, title),
    words(311, y(row), probability(p), "end", weight),
    words(355, y(row), whole(grid.rank[i]), "end", weight),
  ];
}
