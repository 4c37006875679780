import assert from "node:assert/strict";
import { test } from "node:test";
import { reached } from "../../ui/patch_grid/patch_grid.js";
import { placed } from "../../ui/waterfall/waterfall.js";

test("a bar reaches from where the sum stood to where it stands, whichever is larger", () => {
  assert.deepEqual(placed({ from: 0, to: 5 }, [-5, 5]), { left: 50, width: 50, zero: 50 });
  assert.deepEqual(placed({ from: 5, to: 0 }, [0, 10]), { left: 0, width: 50, zero: 0 });
  assert.deepEqual(placed({ from: 0, to: 0 }, [0, 0]), { left: 0, width: 0, zero: 0 });
});

test("the arrow keys lead from cell to cell and not beyond the grid", () => {
  const data = { rows: ["a", "b"], columns: [{}, {}, {}] };
  assert.equal(reached("ArrowDown", "0.1", data), "1.1");
  assert.equal(reached("ArrowUp", "1.1", data), "0.1");
  assert.equal(reached("ArrowRight", "0.1", data), "0.2");
  assert.equal(reached("Home", "1.2", data), "1.0");
  assert.equal(reached("End", "0.0", data), "0.2");
  for (const [key, cell] of [
    ["ArrowUp", "0.0"],
    ["ArrowDown", "1.0"],
    ["ArrowLeft", "0.0"],
    ["ArrowRight", "0.2"],
    ["x", "0.0"],
  ])
    assert.equal(reached(key, cell, data), null);
});
