const NS = "http://www.w3.org/2000/svg";
const TURN = 2 * Math.PI;

function shape(name, attributes) {
  const made = document.createElementNS(NS, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
}

function dial(hand) {
  const svg = shape("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" });
  svg.append(
    shape("path", { class: "wedge" }),
    shape("circle", { class: "rim", cx: 50, cy: 50, r: 46 }),
    shape("line", { class: "hand k", x1: 50, y1: 50, x2: 50, y2: 22 }),
    shape("line", { class: "hand q", x1: 50, y1: 50, x2: 50, y2: 8 }),
  );
  const figure = document.createElement("figure");
  const name = document.createElement("b");
  name.textContent = hand.name;
  const turn = document.createElement("span");
  turn.textContent = hand.turn;
  figure.append(svg, name, turn);
  return figure;
}

// The nearest way round: a hand that goes from 350 to 10 degrees moves on by 20.
function point(hand, angle) {
  const before = Number(hand.dataset.angle ?? angle);
  const to = before + ((angle - before) % TURN + 1.5 * TURN) % TURN - TURN / 2;
  hand.dataset.angle = to;
  hand.style.transform = `rotate(${to}rad)`;
}

function wedge(from, to) {
  const between = ((to - from) % TURN + 1.5 * TURN) % TURN - TURN / 2;
  const at = (angle) => `${50 + 46 * Math.sin(angle)} ${50 - 46 * Math.cos(angle)}`;
  return `M50 50 L${at(from)} A46 46 0 0 ${between > 0 ? 1 : 0} ${at(from + between)} Z`;
}

export default function ({ data, parentElement: root }) {
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
