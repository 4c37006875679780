import assert from "node:assert/strict";
import { test } from "node:test";
import { stepped } from "../../ui/web/roving.js";

test("arrows, Home and End lead within the row and not out of it", () => {
  const from = (at) => ["ArrowLeft", "ArrowRight", "Home", "End"].map((key) => stepped(key, at, 3));
  assert.deepEqual(from(1), [0, 2, 0, 2]);
  assert.deepEqual(from(0), [null, 1, 0, 2]);
  assert.deepEqual(from(2), [1, null, 0, 2]);
  assert.equal(stepped("a", 1, 3), null);
});
