// What has come with a grid, and what one cell of it shows.

import { probability, whole } from "../web/numbers.js";

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const floats = (text) => new Float32Array(bytes(text));

// A grid as it travels -> with R rows, T columns and k candidates a cell, its arrays row by row.
export function unpack(grid) {
  const ids = new (grid.wide ? Uint32Array : Uint16Array)(bytes(grid.ids));
  const T = grid.tokens.length;
  const R = grid.rows.length;
  const own = { ...grid, R, T, ids, k: ids.length / (R * T) };
  for (const name of ["p", "nextP", "entropy", "divergence"]) own[name] = floats(grid[name]);
  own.rank = new Int32Array(bytes(grid.rank));
  own.followed = grid.followed && floats(grid.followed);
  own.next = [...grid.tokens.slice(1), -1];
  own.label = (id) => grid.labels[id];
  own.settled = settled(own);
  own.largest = own.divergence.reduce((a, b) => Math.max(a, b), 1e-9);
  return own;
}

// 1 where the real next token is on top from this row on, 0.4 where it is on top but not to stay.
function settled({ R, T, ids, k, next }) {
  const found = new Float32Array(R * T);
  for (let c = 0; c < T; c++)
    for (let r = R - 1, stays = true; r >= 0; r--) {
      const right = ids[(r * T + c) * k] === next[c];
      stays &&= right;
      found[r * T + c] = stays ? 1 : right ? 0.4 : 0;
    }
  return found;
}

export const nats = (x, none = false) => (none ? "0" : x < 0.005 ? "< 0.01" : x.toFixed(2));

// What one cell shows under a measure: [its text, its place on the colour scale from 0 to 1].
export function shown(grid, measure, r, c) {
  const i = r * grid.T + c;
  const top = grid.label(grid.ids[i * grid.k]);
  if (measure === "top") return [top, grid.p[i * grid.k]];
  if (measure === "settled") return [top, grid.settled[i]];
  if (measure === "entropy") return [nats(grid.entropy[i]), grid.entropy[i] / Math.log(grid.vocabulary)];
  if (measure === "divergence")
    return [nats(grid.divergence[i], r === grid.R - 1), grid.divergence[i] / grid.largest];
  if (measure === "follow" && grid.followed) return [probability(grid.followed[i]), grid.followed[i]];
  if (grid.next[c] < 0) return ["–", 0];
  if (measure === "rank")
    return [whole(grid.rank[i]), 1 - Math.log(grid.rank[i]) / Math.log(grid.vocabulary)];
  return [probability(grid.nextP[i]), grid.nextP[i]];
}

export const brief = (name) => name.replace(" (the model's output)", ", the output");

export const briefest = (name) =>
  name
    .replace("after block", "block")
    .replace(" (the model's output)", ", output")
    .replace("after att", "att");

export const isRight = (grid, r, c) =>
  grid.next[c] >= 0 && grid.ids[(r * grid.T + c) * grid.k] === grid.next[c];

// Where the same place is in another model's grid: the output faces the output.
export function facing(from, r, to) {
  if (r === from.R - 1) return to.R - 1;
  const same = to.keys.indexOf(from.keys[r]);
  return same >= 0 && same < to.R ? same : to.R - 1;
}

// How many columns of a typewriter a text fills, and the most that a column of the grid has.
const wide = (text) => [...text].reduce((n, letter) => n + (letter > "\u2e80" ? 2 : 1), 0);
const MOST = 11;
export const longer = (text) => wide(text) > MOST && "long";

// A column is as wide as its longest label, within limits, and the same in all grids -> in letters.
export function widthsOf(grids, least = 5, beside = 1.7) {
  return grids[0].tokens.map((_, c) => {
    const most = Math.max(least, ...grids.map((grid) => widest(grid, c)));
    return Math.min(most, MOST) + beside;
  });
}

function widest(grid, c) {
  let most = wide(grid.label(grid.tokens[c]));
  if (grid.next[c] >= 0) most = Math.max(most, wide(grid.label(grid.next[c])));
  for (let r = 0; r < grid.R; r++)
    most = Math.max(most, wide(grid.label(grid.ids[(r * grid.T + c) * grid.k])));
  return most;
}

// Columns of these widths in as few lines as fit the room -> lists of columns, each line about as long.
export function linesOf(widths, room) {
  const all = widths.reduce((a, b) => a + b, 0);
  const goal = all / Math.ceil(all / room);
  const lines = [[]];
  let used = 0;
  let before = 0;
  widths.forEach((width, c) => {
    const full = lines.at(-1).length && (used + width > room || before >= goal * lines.length);
    if (full) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push(c);
    used += width;
    before += width;
  });
  return lines;
}
