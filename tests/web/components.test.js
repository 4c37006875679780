import assert from "node:assert/strict";
import { test } from "node:test";
import { between, wedge } from "../../ui/clock_hands/clock_hands.js";
import { looksAt, mostLookedAt } from "../../ui/diagram/looks.js";
import { set } from "../../ui/diagram/card.js";
import { rowOf, title as readingTitle } from "../../ui/diagram/reading.js";
import { distance, widened } from "../../ui/diagram/scroll.js";
import { ownersOf } from "../../ui/diagram/diagram.js";
import { perplexityAt } from "../../ui/guess_bars/guess_bars.js";
import { numbersIn } from "../../ui/listing/listing.js";
import { unpacked } from "../../ui/pattern/grid.js";
import { cellSentence, inView, runsOf, sentence } from "../../ui/pattern/pattern.js";
import { byWeight } from "../../ui/web/arcs.js";

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

test("what a head looks at is said in words, and one token has nothing to choose", () => {
  const journey = { attention: [[[0.25, 0.75]], [[1]]], pieces: ["·a", "·b"], token: 1 };
  assert.equal(looksAt(journey, { block: 1, head: 1 }), "Head 1 looks most at itself 75 %, ·a 25 %.");
  const alone = { attention: [[[1]]], pieces: ["·a"], token: 0 };
  assert.equal(looksAt(alone, { block: 1, head: 1 }), "Head 1 can look at nothing but this token itself.");
});

test("the row that the lens reads goes down with the parts of a block", () => {
  const down = ["start", "entering", "between", "leaving", "end"].map((depth) => rowOf(depth, 2, 9));
  assert.deepEqual(down, [0, 2, 3, 4, 8]);
  assert.equal(rowOf("leaving", 4, 9), 8);
  assert.equal(readingTitle(8, 9), "At the end it says");
  assert.equal(readingTitle(3, 9), "After attention in block 2 it would say");
});

test("a step is scrolled to as little as can be", () => {
  assert.equal(distance(100, 200, 60, 400), 0);
  assert.equal(distance(20, 120, 60, 400), -40);
  assert.equal(distance(350, 450, 60, 400), 50);
  assert.equal(distance(100, 900, 60, 400), 40);
});

test("the code is shown beside a part where there is room for both", () => {
  assert.deepEqual(widened([100, 150], { top: 300, bottom: 430 }, 400), [100, 430]);
  assert.deepEqual(widened([100, 150], { top: 600, bottom: 730 }, 400), [100, 150]);
  assert.deepEqual(widened([100, 150], null, 400), [100, 150]);
});

test("subscripts are set", () => {
  const made = [];
  globalThis.document = {
    createElement: (name) => ({ name, append: (...all) => made.push(all), setAttribute() {} }),
  };
  const parts = set("q = x̂ W_q + b_q");
  assert.equal(parts.length, 5);
  assert.deepEqual(made, [["q"], ["q"]]);
  assert.equal(parts[2], " + b");
});

test("a pattern's weights are its lower triangle, and what follows is not seen", () => {
  const weight = unpacked(lower(65535, 32768, 32767), 2);
  assert.equal(weight(0, 0), 1);
  assert.equal(weight(0, 1), 0);
  assert.ok(weight(1, 0) > weight(1, 1));
  assert.deepEqual(
    byWeight((s) => weight(1, s), 2),
    [0, 1],
  );
});

test("what a token looks at is said without a rounded certainty", () => {
  const weight = unpacked(lower(65535, 65534, 1), 2);
  assert.equal(sentence(["a", "b"], weight, 0), "Token 0, “a”, looks at itself (100 %).");
  assert.equal(
    sentence(["a", "b"], weight, 1),
    "Token 1, “b”, looks at “a” at 0 (> 99.9 %), itself (< 0.1 %).",
  );
});

test("a cell of the grid is said in words, and above the diagonal there is nothing to say", () => {
  const weight = unpacked(lower(65535, 16384, 49151), 2);
  assert.equal(cellSentence(["a", "b"], weight, 1, 0), "“b” at 1 looks at “a” at 0: 25 %.");
  assert.equal(cellSentence(["a", "b"], weight, 0, 1), "");
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

test("an arc that fits is seen from end to end, and of a longer one the end at the chosen word", () => {
  const arc = (from, to) => [
    [from, from + 40],
    [to - 40, to],
  ];
  for (const [from, to] of [
    [0, 300],
    [500, 880],
    [900, 940],
  ]) {
    const left = inView(arc(from, to), 380);
    assert.ok(left <= from && to <= left + 380);
  }
  assert.equal(inView(arc(0, 2000), 380), 1626);
});

test("words that get little are gathered in runs, never the ends nor those beside them", () => {
  const weight = (s) => (s === 6 ? 0.2 : 0.001);
  assert.deepEqual(runsOf(0, 12, weight), [
    [2, 3, 4, 5],
    [7, 8, 9, 10],
  ]);
  assert.deepEqual(runsOf(4, 8, weight), []);
  assert.deepEqual(runsOf(5, 10, weight), [[7, 8]]);
});
