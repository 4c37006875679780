import assert from "node:assert/strict";
import { test } from "node:test";
import { stepOf } from "../../ui/web/paging.js";

const on = (matching) => ({ matches: (selector) => selector.split(", ").includes(matching) });
const pressed = (key, target = on("body"), more = {}) => ({ key, composedPath: () => [target], ...more });

test("every key that a clicker or a keyboard has for the next page turns it", () => {
  for (const key of [" ", "PageDown", "ArrowDown", "n"]) assert.deepEqual(stepOf(pressed(key)), [1, 0]);
  for (const key of ["PageUp", "ArrowUp", "p"]) assert.deepEqual(stepOf(pressed(key)), [-1, 0]);
  assert.deepEqual(stepOf(pressed(" ", on("body"), { shiftKey: true })), [-1, 0]);
  assert.deepEqual(stepOf(pressed("ArrowRight")), [0, 1]);
});

test("a field keeps its keys, and so does what is pressed together with Ctrl, Alt or Shift", () => {
  for (const key of [" ", "ArrowDown", "n"]) assert.equal(stepOf(pressed(key, on("textarea"))), null);
  for (const held of ["ctrlKey", "altKey", "metaKey", "shiftKey"])
    assert.equal(stepOf(pressed("ArrowDown", on("body"), { [held]: true })), null);
});

test("Space belongs to a button only when the button was reached with Tab", () => {
  assert.deepEqual(stepOf(pressed(" ", on("button"))), [1, 0]);
  assert.equal(stepOf(pressed(" ", on("button")), true), null);
  assert.deepEqual(stepOf(pressed("PageDown", on("button")), true), [1, 0]);
});
