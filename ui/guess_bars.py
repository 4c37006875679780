"""Bars that the reader drags to say what will come out, before looking."""

import streamlit as st

from views import bars

_CSS = """
.guess { font-family: var(--st-font); color: var(--st-text-color); font-variant-numeric: tabular-nums; }
.row { display: grid; grid-template-columns: minmax(9rem, 17rem) 1fr 6.2rem; align-items: center;
  column-gap: .8rem; min-height: 2.75rem; }
.track { position: relative; display: flex; }
.even { position: absolute; top: 0; bottom: 0; border-left: 2px dashed var(--mark-norm);
  pointer-events: none; }
input { width: 100%; height: 2.75rem; margin: 0; appearance: none; background: none; cursor: ew-resize;
  touch-action: pan-y; }
input::-webkit-slider-runnable-track { height: 1.7rem; border-left: 1px solid var(--mark-norm);
  background: linear-gradient(to right, color-mix(in srgb, var(--mark-accent) 45%, transparent)
  var(--at), color-mix(in srgb, var(--mark-norm) 10%, transparent) var(--at)); }
input::-moz-range-track { height: 1.7rem; background: linear-gradient(to right,
  color-mix(in srgb, var(--mark-accent) 45%, transparent) var(--at),
  color-mix(in srgb, var(--mark-norm) 10%, transparent) var(--at)); }
input::-webkit-slider-thumb { appearance: none; width: 14px; height: 2.3rem; margin-top: -.3rem;
  background: var(--mark-accent); border: 0; border-radius: 4px; }
input::-moz-range-thumb { width: 14px; height: 2.3rem; background: var(--mark-accent); border: 0;
  border-radius: 4px; }
input:focus-visible { outline: 3px solid var(--mark-accent); outline-offset: 2px; }
.n { text-align: right; white-space: nowrap; }
.key { font-size: .85rem; color: var(--mark-norm); margin: .3rem 0 0; }
@media (max-width: 640px) {
  .row { grid-template-columns: 1fr auto; } .track { grid-column: 1 / -1; grid-row: 2; }
}
"""
_HTML = '<div class="guess" role="group"></div><p class="key"></p>\n'
_JS = """
const written = (v) => v >= 1000 ? Math.round(v / 10 ** (Math.floor(Math.log10(v)) - 1))
  * 10 ** (Math.floor(Math.log10(v)) - 1) : Number(v.toPrecision(2));
export default function ({ data, parentElement: root, setStateValue }) {
  const host = root.querySelector(".guess");
  host.ariaLabel = data.caption;
  root.querySelector(".key").textContent = data.key;
  const value = (at) => Math.exp(Math.log(data.high) * at / 100);
  const signature = data.names.join("\\u0000");
  if (host.dataset.signature !== signature) {
    host.dataset.signature = signature;
    host.replaceChildren(...data.names.map((name, i) => {
      const row = document.createElement("label"), text = document.createElement("span");
      const track = document.createElement("span"), even = document.createElement("i");
      const input = document.createElement("input"), n = document.createElement("span");
      row.className = "row"; track.className = "track"; even.className = "even"; n.className = "n";
      text.textContent = name;
      even.style.left = data.even + "%";
      Object.assign(input, { type: "range", min: 0, max: 100, step: 1, value: data.guesses[i] });
      const show = () => {
        input.style.setProperty("--at", input.value + "%");
        n.textContent = written(value(Number(input.value))).toLocaleString("en-US");
        input.setAttribute("aria-valuetext", "perplexity " + n.textContent);
      };
      input.oninput = show;
      input.onchange = () => {
        setStateValue("guesses", [...host.querySelectorAll("input")].map(e => Number(e.value)));
      };
      show();
      track.append(input, even);
      row.append(text, track, n);
      return row;
    }));
  }
  host.querySelectorAll("input").forEach((input, i) => {
    if (Number(input.value) !== data.guesses[i] && root.activeElement !== input) {
      input.value = data.guesses[i];
      input.oninput();
    }
  });
}
"""
_component = st.components.v2.component("guess_bars", html=_HTML, css=_CSS, js=_JS)


def show(caption, names, guesses, even, key, on_change):
    """Draw the bars -> the guesses, whole numbers from 0 to 100 along the scale of views.bars."""
    state_key = f"guess-bars-{key}"

    def moved():
        on_change(_clean(st.session_state.get(state_key), guesses))

    _component(
        data={
            "caption": caption, "names": names, "guesses": guesses, "even": bars.place(even),
            "high": bars.HIGH,
            "key": f"Dashed: even guessing among {even:,} tokens. The arrow keys work too.",
        },
        key=state_key, on_guesses_change=moved,
    )  # fmt: skip


def _clean(state, old):
    """What came from the browser, if it is what the component sends."""
    sent = (state or {}).get("guesses")
    fits = isinstance(sent, list) and len(sent) == len(old)
    if not fits or not all(isinstance(v, (int, float)) and 0 <= v <= 100 for v in sent):
        return old
    return [int(v) for v in sent]


def value(at):
    """A place from 0 to 100 -> the perplexity there."""
    return bars.HIGH ** (at / 100)
