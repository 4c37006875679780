// The small pictures of the three doors.

import { shape } from "../web/elements.js";

const bar = (x, y, width, height, fill) => shape("rect", { x, y, width, height, rx: 1.5, fill });

const DRAWN = {
  diagram: () => [
    bar(6, 2, 3, 36, "var(--mark-stream)"),
    bar(14, 4, 22, 8, "var(--mark-attention)"),
    bar(14, 16, 22, 8, "var(--mark-feed-forward)"),
    bar(14, 28, 22, 8, "var(--mark-embedding)"),
  ],
  lens: () =>
    [0, 1, 2].flatMap((row) =>
      [0, 1, 2].map((column) =>
        bar(3 + 12 * column, 3 + 12 * row, 10, 10, `var(--ramp-${Math.min(6, 1 + row * 2 + (column % 2))})`),
      ),
    ),
  code: () =>
    [30, 22, 34, 18, 26].map((width, row) =>
      bar(row % 2 ? 8 : 3, 4 + 7 * row, width - (row % 2 ? 5 : 0), 3.5, "var(--mark-norm)"),
    ),
};

export const doorPicture = (page) =>
  shape("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, ...(DRAWN[page]?.() ?? []));
