// A text as a row of buttons, one a token.

import { button } from "../web/elements.js";
import { roving } from "../web/roving.js";

export default function mount({ data, parentElement: root, setTriggerValue }) {
  const line = root.querySelector(".line");
  const signature = data.pieces.join("\u0000");
  root.querySelector(".label").textContent = data.label;
  line.ariaLabel = data.label;
  const fresh = line.dataset.signature !== signature;
  if (fresh) {
    line.dataset.signature = signature;
    const made = data.pieces.map((piece, t) => button({ "aria-label": `token ${t}, ${piece}` }, piece));
    line.replaceChildren(...made);
  }
  const tokens = [...line.children];
  for (const [t, one] of tokens.entries()) {
    one.setAttribute("aria-pressed", String(t === data.chosen));
    one.onclick = () => setTriggerValue("token", t);
  }
  const held = tokens.indexOf(root.activeElement);
  roving(line, tokens, held < 0 ? data.chosen : held);
  const chosen = tokens[data.chosen];
  if (fresh && chosen) line.scrollTop = chosen.offsetTop - line.offsetTop - line.clientHeight / 2;
}
