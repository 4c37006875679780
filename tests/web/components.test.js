import assert from "node:assert/strict";
import { test } from "node:test";
import { between, wedge } from "../../ui/clock_hands/clock_hands.js";
import { mostLookedAt } from "../../ui/diagram/card.js";
import { ownersOf } from "../../ui/diagram/diagram.js";
import { perplexityAt } from "../../ui/guess_bars/guess_bars.js";
import { numbersIn } from "../../ui/listing/listing.js";
import { byWeight, sentence, unpacked } from "../../ui/pattern/pattern.js";

const lower = (...weights) => Buffer.from(Uint16Array.from(weights).buffer).toString("base64");

test("a line belongs to the parts whose lines hold it, the narrowest first", () => {
  const parts = {
    block: { file: "model.py", lines: [[1, 20]] },
    norm: {
      file: "model.py",
      lines: [
        [3, 4],
        [9, 9],
      ],
    },
    other: { file: "store.py", lines: [[1, 99]] },
  };
  assert.deepEqual(ownersOf(parts, "model.py", 9), ["norm", "block"]);
  assert.deepEqual(ownersOf(parts, "model.py", 5), ["block"]);
  assert.deepEqual(ownersOf(parts, "model.py", 21), []);
});

test("ranges of lines are their numbers", () => {
  assert.deepEqual(
    [
      ...numbersIn([
        [2, 4],
        [7, 7],
      ]),
    ],
    [2, 3, 4, 7],
  );
});

test("a head's most looked at tokens come first, and none has 100 %", () => {
  assert.deepEqual(mostLookedAt([0.00001, 0.99998], ["a", "b"], 5), ["b > 99.9 %", "a < 0.1 %"]);
});

test("a pattern's weights are its lower triangle, and what follows is not seen", () => {
  const weight = unpacked(lower(65535, 32768, 32767), 2);
  assert.equal(weight(0, 0), 1);
  assert.equal(weight(0, 1), 0);
  assert.ok(weight(1, 0) > weight(1, 1));
  assert.deepEqual(byWeight(weight, 1), [0, 1]);
});

test("what a token looks at is said without a rounded certainty", () => {
  const weight = unpacked(lower(65535, 65534, 1), 2);
  assert.equal(sentence(["a", "b"], weight, 0), "Token 0, a, looks at itself (100 %).");
  assert.equal(
    sentence(["a", "b"], weight, 1),
    "Token 1, b, looks at token 0, a (> 99.9 %); itself (< 0.1 %).",
  );
});

test("a hand turns the nearest way round", () => {
  const degrees = (from, to) =>
    Math.round((between((from * Math.PI) / 180, (to * Math.PI) / 180) * 180) / Math.PI);
  assert.equal(degrees(350, 10), 20);
  assert.equal(degrees(10, 350), -20);
  assert.match(wedge(0, Math.PI / 2), /^M50 50 L50 4 A46 46 0 0 1 96 50/);
});

test("the bars' scale is logarithmic and its guesses have two digits", () => {
  assert.deepEqual(
    [0, 50, 100].map((place) => perplexityAt(place, 1e6)),
    [1, 1000, 1e6],
  );
  assert.equal(perplexityAt(33, 1e6), 95);
});
