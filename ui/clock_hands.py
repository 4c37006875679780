"""Clock hands: a dial a pair, one hand turned to the query's position and one to the key's."""

import streamlit as st

_HTML = """
<div class="key"><span class="query">query's hand</span><span class="its-key">key's hand</span>
<span class="between">the angle between them</span></div>
<div class="dials" role="img"></div>
"""
_CSS = """
.dials { display: grid; grid-template-columns: repeat(auto-fill, minmax(4.9rem, 1fr)); gap: 0.6rem 0.3rem; }
figure { margin: 0; text-align: center; color: var(--st-text-color); font: 0.8rem var(--st-font);
  font-variant-numeric: tabular-nums; }
figure b { display: block; font-weight: 600; }
svg { width: 100%; max-width: 6rem; display: block; margin: 0 auto; }
.rim { fill: none; stroke: var(--mark-norm); stroke-width: 1.5; }
.wedge { fill: var(--mark-norm); opacity: 0.28; }
.hand { stroke-linecap: round; transform-origin: 50px 50px; transition: transform 0.25s; }
.hand.q { stroke: var(--mark-accent); stroke-width: 5; }
.hand.k { stroke: var(--mark-embedding); stroke-width: 8; }
.key { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; margin-bottom: 0.7rem;
  font: 0.9rem var(--st-font); color: var(--st-text-color); }
.key span::before { content: ""; display: inline-block; width: 1.6rem; margin-right: 0.4rem;
  vertical-align: middle; border-top: 3px solid var(--mark-accent); }
.key .its-key::before { width: 1rem; border-top: 6px solid var(--mark-embedding); }
.key .between::before { border-top: 0.9rem solid var(--mark-norm); opacity: 0.28; }
@media (prefers-reduced-motion: reduce) { .hand { transition: none; } }
"""
_JS = """
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
"""
_component = st.components.v2.component("clock_hands", html=_HTML, css=_CSS, js=_JS)


def show(hands, label):
    """Draw the dials.

    hands: [{name, turn, query, key}], a dial each: its name, how long a full turn takes, and two angles in
    radians, clockwise from the top.  label: the picture in a sentence, for who can't see it.
    """
    _component(data={"hands": hands, "label": label}, key="clock-hands")
