const NS = "http://www.w3.org/2000/svg";
const svgElement = (name, attributes, text) => {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
};
const WIDE = 380, HIGH = 48, STREAM = 30, LEFT = 66, RIGHT = 326, EDGE = 6;

// Draws the whole model; open: a Set of the parts whose insides are shown.
export function drawPicture(data, open) {
  const { picture, parts } = data;
  const svg = svgElement("svg", { role: "group", "aria-label": data.name });
  const tip = svgElement("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
    orient: "auto-start-reverse", style: "fill: var(--mark-norm)" });
  tip.append(svgElement("path", { d: "M0 0 L8 4 L0 8 z" }));
  const defs = svgElement("defs", {});
  defs.append(tip);
  const under = svgElement("g", { "aria-hidden": "true" }), buttons = [];
  svg.append(defs, under);
  const line = (points, kind = "flow") =>
    under.append(svgElement("polyline", { points: points.map(p => p.join(",")).join(" "), class: kind }));
  const button = (id, extra) => {
    const part = parts[id];
    const label = part.title + (part.label ? ", " + part.label : "") + (part.differs ? ", differs" : "");
    const g = svgElement("g", { role: "button", tabindex: 0, "data-id": id, "aria-label": label, "aria-pressed": "false",
      style: "--part: var(--mark-" + part.mark + ")", class: part.differs ? "differs" : "", ...extra });
    buttons.push(g);
    return g;
  };
  const box = (id, x, y, w, extra = {}, h = HIGH) => {
    const part = parts[id], g = button(id, extra), two = part.label && w > 130;
    g.append(svgElement("rect", { class: "box", x, y, width: w, height: h, rx: 5 }));
    const title = (part.differs ? "≠ " : "") + part.title;
    const size = Math.min(15, (w - 8) / (title.length * 0.53));
    g.append(svgElement("text", { x: x + w / 2, y: y + h / 2 + (two ? -3 : 5), style: "font-size:" + size + "px" }, title));
    if (two) g.append(svgElement("text", { x: x + w / 2, y: y + h / 2 + 14, class: "small" }, part.label));
  };
  const places = {};
  let y = 4, centre = (EDGE + RIGHT) / 2;
  picture.above.forEach((id, index) => {
    if (index) { line([[centre, y - 14], [centre, y - 1]]); }
    box(id, EDGE, y, RIGHT - EDGE);
    places[id] = y + HIGH / 2;
    y += HIGH + 14;
  });
  const streamTop = y - 14;
  y += 22;
  const frameTop = y;
  const streamButton = button("stream");
  places.segments = [[streamTop]];
  y += 8;
  box("block", LEFT, y, 122);
  box("blocks", LEFT + 130, y, 130);
  y += HIGH + 12;
  const additions = [];
  for (const half of picture.halves) {
    const isOpen = open.has(half.part), middle = y + HIGH / 2, toggles = { "aria-expanded": String(isOpen) };
    line([[STREAM, middle], [LEFT - 1, middle]]);
    let bottom;
    if (!isOpen) {
      box(half.norm, LEFT, y, 84);
      line([[LEFT + 84, middle], [LEFT + 97, middle]]);
      box(half.part, LEFT + 98, y, RIGHT - LEFT - 98, toggles);
      bottom = y + HIGH;
    } else {
      box(half.norm, LEFT, y, RIGHT - LEFT);
      const top = y + HIGH + 14;
      line([[(LEFT + RIGHT) / 2, y + HIGH], [(LEFT + RIGHT) / 2, top - 1]]);
      box(half.part, LEFT, top, RIGHT - LEFT, toggles);
      const wide = RIGHT - LEFT - 16, column = (wide - 8 * (half.columns - 1)) / half.columns + 8;
      let inner = top + HIGH + 12;
      const last = Array(half.columns).fill(top + HIGH);
      for (const row of half.rows) {
        for (const [id, first, covers] of row) {
          for (let c = first; c < first + covers; c += 1) {
            const x = LEFT + 8 + c * column + (column - 8) / 2;
            line([[x, last[c]], [x, inner - 1]]);
            last[c] = inner + HIGH;
          }
          box(id, LEFT + 8 + first * column, inner, covers * column - 8);
        }
        inner += HIGH + 12;
      }
      bottom = inner - 4;
      under.prepend(svgElement("rect", { class: "group", x: LEFT, y: top, width: RIGHT - LEFT, height: bottom - top, rx: 5,
        style: "--part: var(--mark-" + parts[half.part].mark + ")" }));
    }
    const at = bottom + 28, from = isOpen ? (LEFT + RIGHT) / 2 : LEFT + 98 + (RIGHT - LEFT - 98) / 2;
    line([[from, bottom], [from, at], [STREAM + 17, at]]);
    additions.push([half.add, at]);
    places[half.add] = at;
    places.segments[places.segments.length - 1].push(at);
    places.segments.push([at]);
    y = at + 28;
  }
  const frameBottom = y + 2;
  under.prepend(svgElement("rect", { class: "frame", x: 2, y: frameTop, width: RIGHT + 4, height: frameBottom - frameTop,
    rx: 8 }));
  places.segments[places.segments.length - 1].push(frameBottom);
  y = frameBottom + 22;
  places.segments.push([frameBottom, y]);
  places.segments.unshift([streamTop, frameTop]);
  places.segments[1][0] = frameTop;
  picture.below.forEach((id, index) => {
    if (index) line([[centre, y - 14], [centre, y - 1]]);
    box(id, EDGE, y, RIGHT - EDGE);
    places[id] = y + HIGH / 2;
    y += HIGH + 14;
  });
  streamButton.append(svgElement("rect", { class: "hit", x: 4, y: streamTop, width: 52, height: places.final_norm - HIGH / 2 - streamTop }));
  places.vectors = places.segments.map(([top, end]) => {
    const segment = svgElement("line", { class: "vector", x1: STREAM, x2: STREAM, y1: top, y2: end, "stroke-width": 9 });
    streamButton.append(segment);
    return segment;
  });
  streamButton.append(svgElement("text", { x: STREAM + 24, y: streamTop + 16, class: "small start" }, parts.stream.title.toLowerCase()));
  for (const [id, at] of additions) {
    const g = button(id);
    g.append(svgElement("rect", { class: "hit", x: 6, y: at - 24, width: 48, height: 48 }));
    g.append(svgElement("circle", { class: "box", cx: STREAM, cy: at, r: 16 }));
    g.append(svgElement("text", { x: STREAM, y: at + 7, style: "font-size: 21px" }, "+"));
    buttons.splice(buttons.indexOf(g), 1);
    const after = buttons.findIndex(other => other.dataset.id === (id === "addition1" ? "norm2" : "final_norm"));
    buttons.splice(after, 0, g);
    const words = svgElement("text", { x: STREAM + 24, y: at - 6, class: "measured" });
    under.append(words);
    places[id + "Words"] = words;
  }
  if (picture.tied) {
    const g = button("tie"), a = places.embedding, b = places.output;
    g.append(svgElement("rect", { class: "hit", x: 332, y: a, width: 48, height: b - a }));
    g.append(svgElement("polyline", { class: "ties", points: `${RIGHT},${a} 354,${a} 354,${b} ${RIGHT},${b}` }));
    g.append(svgElement("text", { class: "small", transform: `translate(371 ${(a + b) / 2}) rotate(90)` }, "the tie: one matrix for both"));
  }
  svg.append(...buttons);  // reached with Tab in the order of the pass
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${y - 10}`);
  return { svg, places };
}
