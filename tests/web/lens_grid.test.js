import assert from "node:assert/strict";
import { test } from "node:test";
import { facing, isRight, linesOf, shown, unpack, widthsOf } from "../../ui/lens_grid/cells.js";
import { scaleFor } from "../../ui/lens_grid/saved.js";
import { fitted, wrapped } from "../../ui/lens_grid/strips.js";
import { reached } from "../../ui/lens_grid/table.js";

const packed = (Kind, values) => Buffer.from(new Kind(values).buffer).toString("base64");

// Two rows, three columns, one candidate a cell; the text is a b c.
const GIVEN = {
  keys: ["0", "1"],
  rows: ["embedding", "after block 1 (the model's output)"],
  tokens: [0, 1, 2],
  labels: { 0: "a", 1: "b", 2: "c" },
  vocabulary: 3,
  ids: packed(Uint16Array, [1, 0, 2, 1, 2, 2]),
  p: packed(Float32Array, [0.9, 0.5, 0.25, 0.99996, 0.5, 0.1]),
  nextP: packed(Float32Array, [0.9, 0, 0, 0.99996, 0.5, 0]),
  rank: packed(Int32Array, [1, 3, 0, 1, 1, 0]),
  entropy: packed(Float32Array, [0.001, 1, 1, 0, 1, 1]),
  divergence: packed(Float32Array, [0.5, 0.004, 0.1, 0, 0, 0]),
  followed: null,
};
const GRID = unpack(GIVEN);

test("a grid is unpacked row by row", () => {
  assert.deepEqual([GRID.R, GRID.T, GRID.k], [2, 3, 1]);
  assert.deepEqual(GRID.next, [1, 2, -1]);
  assert.deepEqual([...GRID.settled], [1, 0, 0, 1, 1, 0]);
});

test("ids of vocabularies beyond 65,536 arrive as they are", () => {
  const ids = packed(Uint32Array, [70_000, 0, 2, 151_935, 65_536, 2]);
  const wide = unpack({ ...GIVEN, wide: true, ids });
  assert.deepEqual([...wide.ids], [70_000, 0, 2, 151_935, 65_536, 2]);
  assert.equal(wide.k, 1);
});

test("a cell shows what the measure asks, and no certainty is rounded up", () => {
  assert.equal(shown(GRID, "top", 0, 0)[0], "b");
  assert.equal(shown(GRID, "next", 1, 0)[0], "> 99.9 %");
  assert.equal(shown(GRID, "next", 0, 1)[0], "< 0.1 %");
  assert.equal(shown(GRID, "next", 0, 2)[0], "–");
  assert.equal(shown(GRID, "rank", 0, 1)[0], "3");
  assert.equal(shown(GRID, "divergence", 0, 1)[0], "< 0.01");
  assert.equal(shown(GRID, "divergence", 1, 0)[0], "0");
});

test("the answer is right where the top candidate really comes next", () => {
  assert.deepEqual(
    [0, 1, 2].map((c) => isRight(GRID, 1, c)),
    [true, true, false],
  );
});

test("the output faces the output, a row its own, and a row that is not there the output", () => {
  const longer = { R: 4, keys: ["0", "1", "2", "3"] };
  assert.equal(facing(GRID, 1, longer), 3);
  assert.equal(facing(GRID, 0, longer), 0);
  assert.equal(facing(longer, 2, GRID), 1);
});

test("a column is at least as wide as its longest label, within limits", () => {
  assert.deepEqual(widthsOf([GRID]), [6.7, 6.7, 6.7]);
  const long = { ...GRID, label: () => "a label of more than eleven letters" };
  assert.deepEqual(widthsOf([long]), [12.7, 12.7, 12.7]);
});

test("lines of columns hold every column once, in order, and none is longer than the room", () => {
  const widths = Array.from({ length: 512 }, (_, i) => 40 + ((i * 37) % 60));
  for (const room of [100, 2400, 1e6]) {
    const lines = linesOf(widths, room);
    assert.deepEqual(lines.flat(), [...widths.keys()]);
    for (const line of lines) assert.ok(line.reduce((sum, c) => sum + widths[c], 0) <= room);
  }
  assert.equal(linesOf(widths, 1e6).length, 1);
});

test("the keys lead from cell to cell and stop at the edges", () => {
  assert.deepEqual(reached("ArrowDown", 0, 1, GRID), [1, 1]);
  assert.deepEqual(reached("ArrowUp", 0, 1, GRID), [0, 1]);
  assert.deepEqual(reached("End", 0, 1, GRID), [0, 2]);
  assert.equal(reached("x", 0, 1, GRID), null);
});

test("no picture is larger than browsers can draw", () => {
  assert.equal(scaleFor(1000, 1000), 2);
  for (const [wide, tall] of [
    [2600, 14000],
    [40000, 100],
    [15000, 15000],
  ]) {
    const scale = scaleFor(wide, tall);
    assert.ok(Math.max(wide, tall) * scale <= 16000);
    assert.ok(wide * tall * scale ** 2 <= 1.0001e8);
  }
});

test("columns wrap like a text: each line is filled before the next begins", () => {
  assert.deepEqual(wrapped([3, 3, 3, 3, 3], 9), [
    [0, 1, 2],
    [3, 4],
  ]);
  assert.deepEqual(wrapped([20, 1, 20], 9), [[0], [1], [2]]);
  assert.deepEqual(wrapped([1], 9), [[0]]);
});

test("as many strips are seen as fit, and their rows grow to fill the height", () => {
  const least = 12; // with 5 rows
  assert.deepEqual(fitted(4, least, 5, 30), { seen: 2, cell: 1.55 + 3 / 5 });
  assert.equal(fitted(1, least, 5, 14).seen, 1);
  assert.equal(fitted(1, least, 5, 900).cell, 4.3);
  assert.deepEqual(fitted(4, least, 5, 5), { seen: 1, cell: 1.55 });
});
