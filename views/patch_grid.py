"""How far an answer comes back when one text's stream is put into another's pass: the grid, and in words."""

from html import escape

import numpy as np

from views import marks
from views.numbers import probability

KINDS = {
    "stream": "The stream, at every row",
    "attention": "Only what attention adds",
    "feed-forward": "Only what the feed-forward layer adds",
    "head": "Only what single heads add",
}
HALF = 0.5
_MUCH = 0.05  # so far below 0 or above 1 is told

CSS = """
.pair { margin: 0; max-height: 8rem; overflow-y: auto; padding: 3px; }
.pair p { line-height: 1.8; margin: 0; overflow-wrap: anywhere; }
.pair b { display: inline-block; min-width: 3.6rem; font-weight: 400; font-size: .85rem;
  color: var(--mark-norm); }
.pair span { white-space: pre-wrap; padding: .15em .1em; }
.pair span.differs { outline: 2px solid var(--mark-accent); border-radius: 3px; }
.after { list-style: none; padding: 0; margin: .2rem 0 1rem; max-width: 34rem; }
.after li { display: grid; grid-template-columns: minmax(5rem, 9rem) 1fr 4.6rem; gap: .6rem;
  align-items: center; min-height: 1.9rem; }
.after code { white-space: pre; overflow: hidden; text-overflow: ellipsis; width: fit-content;
  max-width: 100%; }
.after .track { height: 1rem; background: color-mix(in srgb, var(--mark-norm) 15%, transparent); }
.after .fill { display: block; height: 100%; background: #2f7ebc; forced-color-adjust: none;
  print-color-adjust: exact; }
.after .n { text-align: right; }
"""


def row_names(kind, n_layer, n_head, block=0):
    """The grid's rows.  block: whose heads, from 0."""
    if kind == "head":
        return [f"block {block + 1}, head {head}" for head in range(1, n_head + 1)]
    if kind == "stream":
        return ["embedding", *(f"after block {b}" for b in range(1, n_layer + 1))]
    part = "attention" if kind == "attention" else "feed-forward"
    return [f"block {b}, {part}" for b in range(1, n_layer + 1)]


def number(x):
    """How far an answer comes back, as it is written."""
    if x == 0:
        return "0"
    said = f"{x:.2f}".replace("-", "−")
    return "0.00" if said == "−0.00" else said


def data(names, first, second, back, what):
    """The grid as the component takes it.

    names: of the rows; first, second: labels of both texts' tokens; back (R, T), nan where not measured.
    """
    return {
        "label": what,
        "corner": "token",
        "rows": names,
        "columns": [{"first": a, "second": b, "differs": d} for a, b, d in _columns(first, second)],
        "cells": [_cell(x) for x in back.ravel()],
        "ramp": marks.RAMP,
        "flips": marks.INK_FLIPS,
        "key": ["0: the second text's answer", "1: the first text's", "underlined: below 0 or above 1"],
    }


def _columns(first, second):
    return [(a, b, a != b) for a, b in zip(first, second, strict=True)]


def _cell(x):
    if np.isnan(x):
        return None
    said = number(x)
    beyond = not 0 <= float(said.replace("−", "-")) <= 1
    return [said, round(float(min(max(x, 0.0), 1.0)), 3), beyond]


def lined_up(first, second, differ):
    """Both texts, their tokens in a row, those that differ framed.  differ: for each text the places."""
    return f"<style>{CSS}</style>" + _line("first", first, differ[0]) + _line("second", second, differ[1])


def _line(name, pieces, differ):
    places = set(differ)
    spans = "".join(
        f'<span class="differs">{escape(p)}</span><wbr>' if i in places else f"<span>{escape(p)}</span><wbr>"
        for i, p in enumerate(pieces)
    )
    return f'<div class="pair"><p><b>{name}</b>{spans}</p></div>'


def differing(first, second):
    """The places where two lists of ids of any lengths differ, once their common ends are taken off."""
    short = min(len(first), len(second))
    start = next((i for i in range(short) if first[i] != second[i]), short)
    end = next((i for i in range(short - start) if first[-1 - i] != second[-1 - i]), short - start)
    if len(first) == len(second):
        return [[i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]] * 2
    return list(range(start, len(first) - end)), list(range(start, len(second) - end))


def candidates(labels, probabilities, caption):
    """The likeliest tokens after a change, as a list with bars."""
    rows = "".join(
        f"<li><code>{escape(label)}</code>{_bar(p)}<span class=n>{probability(p)}</span></li>"
        for label, p in zip(labels, probabilities, strict=True)
    )
    return f"<style>{CSS}</style><ol class=after aria-label='{escape(caption)}'>{rows}</ol>"


def _bar(p):
    return f"<span class=track><i class=fill style='width: {100 * p:.1f}%'></i></span>"


def gaps(answers, both):
    """How far apart the two answers are at the end of each text.  answers: as they are shown."""
    first, second = (f"{x:+,.2f}".replace("-", "−") for x in both)
    return (
        f"The score of {answers[0]} less that of {answers[1]}: **{first}** after the first text, "
        f"**{second}** after the second. A cell says how much of this difference comes back."
    )


def ways(names, back, differ, label):
    """Where the answer comes back: at the changed tokens, at the last, and in between.

    names: rows of the stream; back (R, T), all measured; differ: the changed places; label(place) as shown.
    """
    last = back.shape[1] - 1
    if list(differ) == [last]:
        return (
            ["The last token is the changed one, so all comes back there in every row."]
            if _all_back(back)
            else []
        )
    changed = back[:, differ].max(1)
    word = "the changed token" if len(differ) == 1 else "one of the changed tokens"
    found = [_up_to(names, changed, word), _from_on(names, back[:, last])]
    between = _between(names, back, [*differ, last], label)
    return [one for one in (*found, between) if one]


def _all_back(back):
    return bool((np.abs(back[:, -1] - 1) < _MUCH).all())


def _up_to(names, values, word):
    """Down to which row, without a gap, at least half comes back at a token."""
    enough = values >= HALF
    rows = int(np.argmin(enough)) if not enough.all() else len(enough)
    if not rows:
        return ""
    where = f"in the row “{names[0]}”" if rows == 1 else f"down to the row “{names[rows - 1]}”"
    return f"At {word} at least half of the answer comes back {where}."


def _from_on(names, values):
    """From which row on, without a gap, at least half comes back at the last token."""
    enough = values[::-1] >= HALF
    rows = int(np.argmin(enough)) if not enough.all() else len(enough)
    if not rows:
        return ""
    where = f"from the row “{names[-rows]}” on" if rows > 1 else f"in the row “{names[-1]}” alone"
    return f"At the last token at least half comes back {where}."


def _between(names, back, known, label):
    """The token beside these at which most comes back."""
    rest = np.delete(back, known, axis=1)
    if not rest.size or rest.max() < 0.1:
        return ""
    places = np.delete(np.arange(back.shape[1]), known)
    row, at = np.unravel_index(rest.argmax(), rest.shape)
    token = int(places[at])
    return (
        f"Of the other tokens {label(token)} (token {token}) brings back most: {number(rest[row, at])}, "
        f"in the row “{names[row]}”."
    )


def strongest(names, back, label):
    """The cell of a grid of additions at which most comes back; "" where it is next to nothing."""
    row, token = np.unravel_index(back.argmax(), back.shape)
    if back[row, token] < _MUCH:
        return "No single addition brings back a twentieth of the answer."
    return (
        f"Most comes back by {names[row]} at {label(int(token))} (token {token}): {number(back[row, token])}."
    )


def beyond(back):
    """That values lie below 0 or above 1, where some do."""
    low, high = float(back.min()), float(back.max())
    said = []
    if low < -_MUCH:
        said.append(
            f"The lowest value is {number(low)}: further from the first answer than the second text is."
        )
    if high > 1 + _MUCH:
        said.append(f"The highest is {number(high)}: further than the first text's own.")
    return " ".join(said)


def guessed(names, back, guess, label):
    """What the reader marked, beside the most that comes back in that row.  guess: (row, token)."""
    row, token = guess
    own, best = float(back[row, token]), int(back[row].argmax())
    said = f"You marked {label(token)} in the row “{names[row]}”: **{number(own)}** comes back there"
    if best == token:
        return f"{said}, the most of that row."
    return f"{said}; in that row most comes back at {label(best)} (token {best}): {number(back[row, best])}."


def columns(names, second, back):
    """The grid as a table."""
    return {"row": list(names), **{f"{i}: {piece}": back[:, i] for i, piece in enumerate(second)}}
