// All weights of a head as a grid: a row for each token that looks, a column for each it can look at.

import { rampAt } from "../web/colours.js";

// The lower triangle, row by row in 16 bits -> a function (t, s): how much token t looks at s.
export function unpacked(text, T) {
  const packed = new Uint16Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  return (t, s) => (s > t || t >= T ? 0 : packed[(t * (t + 1)) / 2 + s] / 65535);
}

const ACCENT = [179, 32, 107, 130]; // what lies beyond the chosen row's diagonal

// One pixel for each of T × T weights.
export function paint(canvas, T, ramp, weight, chosen) {
  canvas.width = T;
  canvas.height = T;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(T, T);
  for (let t = 0; t < T; t += 1)
    for (let s = 0; s < T; s += 1) {
      const beyond = t === chosen ? ACCENT : [0, 0, 0, 0];
      image.data.set(s > t ? beyond : [...rampAt(ramp, weight(t, s)), 255], 4 * (t * T + s));
    }
  pen.putImageData(image, 0, 0);
}
