import assert from "node:assert/strict";
import { test } from "node:test";
import { rampAt, rampColour } from "../../ui/web/colours.js";

const RAMP = ["#000000", "#ffffff", "#ff0000"];

test("a ramp's colours stand at even places, and between them they are mixed", () => {
  assert.deepEqual(
    [0, 0.5, 1].map((p) => rampAt(RAMP, p)),
    [
      [0, 0, 0],
      [255, 255, 255],
      [255, 0, 0],
    ],
  );
  assert.deepEqual(rampAt(RAMP, 0.25), [128, 128, 128]);
});

test("beyond the ends the ramp stays as it is at them", () => {
  assert.equal(rampColour(RAMP, -3), "rgb(0, 0, 0)");
  assert.equal(rampColour(RAMP, 7), "rgb(255, 0, 0)");
});
