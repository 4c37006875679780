import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, exact, percent, probability } from "../../ui/web/numbers.js";

test("only none of it is 0 % and only all of it is 100 %", () => {
  assert.deepEqual(
    [0, 1e-9, 0.9999, 1].map((p) => percent(p)),
    ["0 %", "< 0.1 %", "> 99.9 %", "100 %"],
  );
  assert.deepEqual([0, 1].map(probability), ["< 0.1 %", "> 99.9 %"]);
});

test("what is no share is refused", () => {
  for (const p of [-0.3, 1.2, Number.POSITIVE_INFINITY, "0.5x"])
    assert.throws(() => percent(p), /is no share/);
});

test("one token is one token", () => {
  assert.deepEqual(
    [1, 2, 1234].map((n) => counted(n, "token")),
    ["1 token", "2 tokens", "1,234 tokens"],
  );
});

test("a power of ten is raised, never written with an e", () => {
  assert.equal(exact(1.5e-7), "1.500 × 10⁻⁷");
});
