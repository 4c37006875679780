import { element, shape } from "../web/elements.js";

const TURN = 2 * Math.PI;

export default function mount({ data, parentElement: root }) {
  const dials = root.querySelector(".dials");
  dials.ariaLabel = data.label;
  const names = JSON.stringify(data.hands.map((hand) => [hand.name, hand.turn]));
  if (dials.dataset.names !== names) {
    dials.replaceChildren(...data.hands.map(dial));
    dials.dataset.names = names;
  }
  data.hands.forEach((hand, i) => {
    const figure = dials.children[i];
    point(figure.querySelector(".q"), hand.query);
    point(figure.querySelector(".k"), hand.key);
    figure.querySelector(".wedge").setAttribute("d", wedge(hand.key, hand.query));
  });
}

function dial(hand) {
  const svg = shape(
    "svg",
    { viewBox: "0 0 100 100", "aria-hidden": "true" },
    shape("path", { class: "wedge" }),
    shape("circle", { class: "rim", cx: 50, cy: 50, r: 46 }),
    shape("line", { class: "hand k", x1: 50, y1: 50, x2: 50, y2: 22 }),
    shape("line", { class: "hand q", x1: 50, y1: 50, x2: 50, y2: 8 }),
  );
  return element("figure", {}, svg, element("b", {}, hand.name), element("span", {}, hand.turn));
}

function point(hand, angle) {
  const before = Number(hand.dataset.angle ?? angle);
  const to = before + between(before, angle);
  hand.dataset.angle = to;
  hand.style.transform = `rotate(${to}rad)`;
}

// The nearest way round, in radians: from 350 to 10 degrees it is 20 on, not 340 back.
export function between(from, to) {
  return ((((to - from) % TURN) + 1.5 * TURN) % TURN) - TURN / 2;
}

// The piece of the dial between two hands, as an SVG path.
export function wedge(from, to) {
  const angle = between(from, to);
  const at = (one) => `${50 + 46 * Math.sin(one)} ${50 - 46 * Math.cos(one)}`;
  return `M50 50 L${at(from)} A46 46 0 0 ${angle > 0 ? 1 : 0} ${at(from + angle)} Z`;
}
