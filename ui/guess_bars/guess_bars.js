import { element } from "../web/elements.js";
import { whole } from "../web/numbers.js";
import { steady } from "../web/ranges.js";

export default function mount({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".guess");
  host.ariaLabel = data.caption;
  root.querySelector(".key").textContent = data.key;
  const signature = data.names.join("\u0000");
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    host.replaceChildren(...data.names.map((name, i) => row(name, data.guesses[i], data)));
  }
  const inputs = [...host.querySelectorAll("input")];
  host.onchange = () =>
    setStateValue(
      "guesses",
      inputs.map((input) => Number(input.value)),
    );
  inputs.forEach((input, i) => {
    if (Number(input.value) === data.guesses[i] || root.activeElement === input) return;
    input.value = data.guesses[i];
    input.oninput();
  });
}

function row(name, guess, { even, high }) {
  const input = steady(element("input", { type: "range", min: 0, max: 100, step: 1, value: guess }));
  const said = element("span", { class: "n" });
  const middle = element("i", { class: "even" });
  middle.style.left = `${even}%`;
  input.oninput = () => {
    input.style.setProperty("--at", `${input.value}%`);
    said.textContent = whole(perplexityAt(Number(input.value), high));
    input.setAttribute("aria-valuetext", `perplexity ${said.textContent}`);
  };
  input.oninput();
  const track = element("span", { class: "track" }, input, middle);
  return element("label", { class: "row" }, element("span", {}, name), track, said);
}

// A place from 0 to 100 on a logarithmic scale that ends at high -> the perplexity there, to two digits.
export function perplexityAt(place, high) {
  return Number((high ** (place / 100)).toPrecision(2));
}
