// The grid as a picture to keep: all its columns, in as many bands as it takes, drawn from the same data.

import { rampColour } from "../web/colours.js";
import { element } from "../web/elements.js";
import { brief, isRight, linesOf, shown } from "./cells.js";

const ROOM = 2400; // the most that the columns of a band fill, in px
const GAP = 1;
const MARGIN = 12;
const LARGEST = 16_000; // px of a side, and
const MOST = 100_000_000; // px in all, that every browser can draw

export function savePicture(lens) {
  const look = lookOf(lens);
  const columns = lens.tables[0].heads.map((head) => head.offsetWidth + GAP);
  const bands = linesOf(columns, ROOM);
  const sheet = { lens, look, columns, bands, ...sizeOf(lens, look, columns, bands) };
  const canvas = element("canvas");
  const scale = scaleFor(sheet.wide, sheet.tall);
  canvas.width = sheet.wide * scale;
  canvas.height = sheet.tall * scale;
  sheet.pen = canvas.getContext("2d");
  sheet.pen.scale(scale, scale);
  drawSheet(sheet);
  canvas.toBlob((blob) => download(blob, `lens-${lens.grids[0].title}.png`.replaceAll(" ", "-")));
}

function download(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// Twice as sharp as on screen, or as sharp as a browser can draw it.
export const scaleFor = (wide, tall) =>
  Math.min(2, LARGEST / Math.max(wide, tall), Math.sqrt(MOST / (wide * tall)));

function lookOf({ host, data }) {
  const style = getComputedStyle(host);
  const size = data.teaching ? 22 : 14;
  return {
    font: style.fontFamily,
    code: style.getPropertyValue("--st-code-font") || "monospace",
    ink: style.color,
    paper: style.getPropertyValue("--st-background-color") || "#fff",
    accent: style.getPropertyValue("--st-primary-color"),
    size,
    line: Math.round(size * 1.6),
    heads: Math.round(size * 14.5),
    high: Math.round(size * 2.4),
  };
}

function sizeOf({ grids, view }, { line, heads, high }, columns, bands) {
  const widest = Math.max(...bands.map((band) => band.reduce((sum, c) => sum + columns[c], 0)));
  const more = Object.keys(view.guesses).length ? 4 : 3; // rows beside the grid's own
  const rows = grids.reduce((sum, grid) => sum + (grid.R + more) * (high + GAP) + 1.5 * line, 0);
  return { wide: Math.max(heads + widest + 2 * MARGIN, 560), tall: bands.length * rows + 3.5 * line };
}

function drawSheet(sheet) {
  const { pen, lens, look, wide, tall } = sheet;
  pen.fillStyle = look.paper;
  pen.fillRect(0, 0, wide, tall);
  pen.textBaseline = "middle";
  sheet.y = look.line;
  drawKey(sheet);
  for (const band of sheet.bands)
    lens.grids.forEach((grid, g) => {
      drawGrid(sheet, grid, g, band);
    });
}

// Words within a room, cut with an ellipsis where they are too long.
function write(
  { pen, look },
  words,
  x,
  y,
  room,
  { align = "left", family = look.font, weight = 400, colour = look.ink } = {},
) {
  pen.font = `${weight} ${look.size}px ${family}`;
  pen.fillStyle = colour;
  pen.textAlign = align;
  let letters = [...words];
  while (letters.length > 1 && pen.measureText(letters.join("")).width > room)
    letters = [...letters.slice(0, -2), "…"];
  pen.fillText(letters.join(""), x, y);
}

function ring(pen, { x, y, w, h }, edge, width, colour) {
  const inset = edge + width / 2;
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.strokeRect(x + inset, y + inset, w - 2 * inset, h - 2 * inset);
}

// The frame of a right answer, from the edge inwards.
function drawFrame({ pen, lens }, box) {
  let depth = 0;
  for (const [colour, width] of lens.data.frame) {
    ring(pen, box, depth, width, colour);
    depth += width;
  }
}

function drawKey(sheet) {
  const { pen, lens, look, wide } = sheet;
  const { size, line } = look;
  const [key, name] = lens.measure;
  const said = key === "follow" ? `Followed: ${lens.data.follow.label}` : name;
  const ramp = { x: wide - 18 * size, y: sheet.y - size / 2, w: 120, h: size };
  write(sheet, said, MARGIN, sheet.y, ramp.x - 100 - MARGIN, { weight: 600 });
  write(sheet, lens.low.textContent, ramp.x - 8, sheet.y, 90, { align: "right" });
  const blend = pen.createLinearGradient(ramp.x, 0, ramp.x + ramp.w, 0);
  lens.data.ramp.forEach((colour, i, all) => {
    blend.addColorStop(i / (all.length - 1), colour);
  });
  pen.fillStyle = blend;
  pen.fillRect(ramp.x, ramp.y, ramp.w, ramp.h);
  ring(pen, ramp, -0.25, 0.5, look.ink);
  write(sheet, lens.high.textContent, ramp.x + ramp.w + 8, sheet.y, 120);
  sheet.y += line;
  const sample = { x: ramp.x, y: sheet.y - size * 0.6, w: size * 1.9, h: size * 1.2 };
  pen.fillStyle = rampColour(lens.data.ramp, 1 / 3);
  pen.fillRect(sample.x, sample.y, sample.w, sample.h);
  drawFrame(sheet, sample);
  write(sheet, "real next token on top", sample.x + sample.w + 8, sheet.y, 240);
  sheet.y += line;
}

// One grid's columns of one band.
function drawGrid(sheet, grid, g, band) {
  const { lens, look, wide } = sheet;
  const { view } = lens;
  write(sheet, grid.title, MARGIN, sheet.y, wide - 2 * MARGIN, { weight: 600 });
  sheet.y += look.line;
  across(sheet, band, "position", (c) => `${c}`, look.font);
  sheet.y -= look.high / 3;
  across(sheet, band, "token", (c) => (lens.beyond(c) ? "…" : grid.label(grid.tokens[c])));
  drawRows(sheet, grid, g, band);
  across(sheet, band, "real next token", (c) => {
    if (lens.beyond(c + 1)) return "?";
    return grid.next[c] < 0 ? "–" : grid.label(grid.next[c]);
  });
  if (Object.keys(view.guesses).length) across(sheet, band, "the room's guess", (c) => view.guesses[c] ?? "");
  sheet.y += look.line / 2;
}

const leftOf = ({ look, columns }, band, i) =>
  MARGIN + look.heads + band.slice(0, i).reduce((sum, c) => sum + columns[c], 0);

// A row's name, and words in each of its columns.
function across(sheet, band, name, words, family = sheet.look.code) {
  const { look, columns } = sheet;
  const y = sheet.y + look.high / 2;
  nameRow(sheet, name);
  band.forEach((c, i) => {
    const middle = leftOf(sheet, band, i) + columns[c] / 2;
    write(sheet, words(c), middle, y, columns[c] - 6, { align: "center", family });
  });
  sheet.y += look.high + GAP;
}

function nameRow(sheet, name) {
  const { heads, high } = sheet.look;
  write(sheet, name, heads + 4, sheet.y + high / 2, heads - 8, { align: "right", weight: 600 });
}

function drawRows(sheet, grid, g, band) {
  const { lens, look, pen } = sheet;
  const [at, r, c] = lens.place();
  const chosen = [g === at ? r : lens.opposite(at, r, grid), c];
  let outlined = null; // the chosen cell, whose outline lies over its neighbours
  grid.rows.forEach((name, row) => {
    nameRow(sheet, brief(name));
    band.forEach((column, i) => {
      const box = { x: leftOf(sheet, band, i), y: sheet.y, w: sheet.columns[column] - GAP, h: look.high };
      const here = row === chosen[0] && column === chosen[1];
      drawCell(sheet, grid, row, column, box, here);
      if (here) outlined = box;
    });
    sheet.y += look.high + GAP;
  });
  if (outlined) ring(pen, outlined, -3, 3, look.accent);
}

function drawCell(sheet, grid, r, c, box, chosen) {
  const { pen, lens, look } = sheet;
  const hidden = lens.covered(grid).has(r) || lens.beyond(c);
  const [words, place] = shown(grid, lens.measure[0], r, c);
  pen.fillStyle = hidden ? look.paper : rampColour(lens.data.ramp, place);
  pen.fillRect(box.x, box.y, box.w, box.h);
  if (hidden) return;
  const colour = place >= lens.data.flips ? "#fff" : "#000";
  const style = { align: "center", family: look.code, colour, weight: chosen ? 700 : 400 };
  write(sheet, words, box.x + box.w / 2, box.y + box.h / 2, box.w - 8, style);
  if (isRight(grid, r, c) && !lens.beyond(c + 1)) drawFrame(sheet, box);
}
