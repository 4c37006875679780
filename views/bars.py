"""Bars on a logarithmic scale, as HTML that streams in quickly and reads as a table."""

import math
from dataclasses import dataclass
from html import escape

from views.numbers import figure

LOW, HIGH = 1.0, 1e6  # perplexities at both ends; a longer bar ends in an arrow
_TICKS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)

CSS = """
.bars { margin: .2rem 0 .6rem; font-variant-numeric: tabular-nums; }
.bars .row { display: grid; grid-template-columns: minmax(9rem, 17rem) 1fr 6.2rem 4.6rem; align-items: center;
  column-gap: .8rem; min-height: 2.6rem; }
.bars.narrow .row { grid-template-columns: minmax(9rem, 17rem) 1fr 6.2rem; }
.bars .row.head { min-height: 1.9rem; font-size: .85rem; color: var(--mark-norm); align-items: end; }
.bars .track { position: relative; height: 1.7rem; align-self: center;
  border-left: 1px solid var(--mark-norm); }
.bars .head .track { border: 0; }
.bars .fill { position: absolute; inset: 0 auto 0 0; background: var(--bar, var(--mark-attention));
  border-radius: 0 3px 3px 0; min-width: 2px; }
.bars .fill.beyond { border-right: 6px double var(--st-background-color, white); }
.bars .even { position: absolute; top: -.45rem; bottom: -.45rem; border-left: 2px dashed var(--mark-norm); }
.bars .base { position: absolute; top: -.45rem; bottom: -.45rem; border-left: 2px solid var(--mark-stream); }
.bars .guess { position: absolute; top: -.15rem; bottom: -.15rem; width: 0; margin-left: -2px;
  border-left: 4px solid var(--mark-accent); }
.bars .tick { position: absolute; bottom: 0; transform: translateX(-50%); white-space: nowrap; }
.bars .tick:first-child { transform: none; }
.bars .n { text-align: right; white-space: nowrap; }
.bars .sub { display: block; font-size: .82rem; color: var(--mark-norm); white-space: normal; }
.bars .key { font-size: .85rem; color: var(--mark-norm); }
.bars .key i { display: inline-block; height: .9em; margin: 0 .35em 0 1em; vertical-align: -.1em; }
.bars .key i:first-child { margin-left: 0; }
.bars :is(.fill, .even, .base, .guess, .key i) { forced-color-adjust: none; print-color-adjust: exact; }
@media (max-width: 640px) {
  .bars .row, .bars.narrow .row { grid-template-columns: 1fr auto auto; padding: .25rem 0; }
  .bars .track { grid-column: 1 / -1; grid-row: 2; }
  .bars .row.head .track { display: none; }
  .bars .tick:nth-child(even) { display: none; }
}
"""


@dataclass(frozen=True)
class Bar:
    """One row: its name, the perplexity (None: not measured yet), the mean top probability, a guess."""

    name: str
    value: float | None = None
    top: str = ""
    guess: float | None = None
    note: str = ""
    mark: str = "attention"


def place(value):
    """A perplexity -> its place on the scale, in percent."""
    value = min(max(value, LOW), HIGH)
    return 100 * math.log(value / LOW) / math.log(HIGH / LOW)


def perplexity(value):
    """A perplexity as it is written: 1.04, 24.3, 17,897, > 1,000,000."""
    if value is None:
        return "–"
    if value > HIGH:
        return f"> {HIGH:,.0f}"
    return f"{value:,.{2 if value < 10 else 1 if value < 1_000 else 0}f}"


def times(nats, base):
    """How many times one perplexity is another, from their losses: 1.09 times, 736 times, 0.9996 times."""
    if nats == base:
        return "exactly"
    ratio = math.exp(nats - base) if nats - base < 700 else math.inf
    for digits in range(3, 7):
        said = figure(ratio, digits)
        if abs(ratio - 1) > 0.01 or float(said) != 1:
            return f"{said} times"
    return "all but exactly"


def html(caption, bars, even, trained=None, called="as trained", tops=True):
    """All bars.  even: the vocabulary's size, where even guessing stands; trained: the model as it is.

    called: what the model as it is is called; tops: whether there is a column for the top token.
    """
    top = '<span role="columnheader" class="n">top token</span>' if tops else ""
    head = (
        '<div class="row head" role="row"><span role="columnheader">the model</span>'
        f'<span role="columnheader" class="track" aria-label="bar">{_ticks()}</span>'
        f'<span role="columnheader" class="n">perplexity</span>{top}</div>'
    )
    rows = "".join(_row(bar, even, trained, tops) for bar in bars)
    key = f'<i style="border-left: 2px dashed var(--mark-norm)"></i>even guessing among {even:,} tokens'
    if trained:
        key += '<i style="border-left: 2px solid var(--mark-stream)"></i>' + called
    if any(bar.guess is not None for bar in bars):
        key += '<i style="border-left: 4px solid var(--mark-accent)"></i>your guess'
    kind = "bars" if tops else "bars narrow"
    return (
        f'<style>{CSS}</style><div class="{kind}"><div role="table" aria-label="{escape(caption)}">'
        f'{head}{rows}</div><p class="key">{key}</p></div>'
    )


def _row(bar, even, trained, tops):
    note = f'<span class="sub">{escape(bar.note)}</span>' if bar.note else ""
    lines = f'<i class="even" style="left: {place(even):.2f}%"></i>'
    if trained:
        lines += f'<i class="base" style="left: {place(trained):.2f}%"></i>'
    if bar.value is not None:
        beyond = " beyond" if bar.value > HIGH else ""
        style = f"width: {place(bar.value):.2f}%; --bar: var(--mark-{bar.mark})"
        lines = f'<i class="fill{beyond}" style="{style}"></i>{lines}'
    if bar.guess is not None:
        lines += f'<i class="guess" style="left: {place(bar.guess):.2f}%"></i>'
    top = f'<span class="n" role="cell">{escape(bar.top) or "–"}</span>' if tops else ""
    return (
        f'<div class="row" role="row"><span role="rowheader">{escape(bar.name)}{note}</span>'
        f'<span class="track" role="cell">{lines}</span>'
        f'<span class="n" role="cell">{perplexity(bar.value)}</span>'
        f"{top}</div>"
    )


def _ticks():
    names = {1_000_000: "1 M"}
    return "".join(
        f'<span class="tick" style="left: {place(t):.2f}%">{names.get(t, f"{t:,}")}</span>' for t in _TICKS
    )
