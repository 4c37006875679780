"""A text whose tokens are coloured by a probability, as HTML that wraps on any screen."""

from html import escape

from views import marks
from views.numbers import exact, probability

CSS = """
.coloured { line-height: 2.15; margin: .1rem 0 1rem; overflow-wrap: anywhere; }
.coloured .t { padding: .22em .12em; border-radius: 3px; margin-right: 1px; white-space: pre-wrap; }
.coloured .t.told { outline: 2px solid var(--mark-accent); outline-offset: -1px; }
.coloured .t.plain { color: var(--mark-norm); }
.ramp-key { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; font-size: .85rem;
  color: var(--mark-norm); margin: 0 0 .6rem; }
.coloured .t, .ramp-key i { forced-color-adjust: none; print-color-adjust: exact; }
.ramp-key i { width: 8rem; height: .8rem; border-radius: 3px; }
"""


def html(pieces, probabilities, told=()):
    """One text.  pieces: labels; probabilities: of each token given those before, None for the first.

    told: the places of tokens to be framed.
    """
    spans = []
    for place, (piece, p) in enumerate(zip(pieces, probabilities, strict=True)):
        if p is None:
            spans.append(f'<span class="t plain">{escape(piece)}</span>')
            continue
        ink = "#ffffff" if p >= marks.INK_FLIPS else "#000000"
        frame = " told" if place in told else ""
        spans.append(
            f'<span class="t{frame}" style="background: {marks.ramp(p)}; color: {ink}" '
            f'title="{escape(piece)}: {probability(p)} ({exact(p)})">{escape(piece)}</span><wbr>'
        )
    return f'<div class="coloured">{"".join(spans)}</div>'


def key(framed=""):
    """What the colours mean; framed: what a frame means here."""
    ramp = ", ".join(marks.RAMP)
    frame = (
        f'<span class="coloured"><span class="t told">frame</span></span> {escape(framed)}' if framed else ""
    )
    return (
        f'<style>{CSS}</style><div class="ramp-key"><span>Probability of each token, given all before it: 0 %'
        f'</span><i style="background: linear-gradient(to right, {ramp})"></i><span>100 %</span>{frame}</div>'
    )
