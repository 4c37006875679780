"""What the page that leaves out parts shows: its rows, and the sentences that the figures make true."""

import math
from dataclasses import dataclass

import numpy as np

from engine.experiments import parts
from engine.sweeps import Result
from views import head_grid
from views.bars import Bar, perplexity, times
from views.numbers import change, counted, figure, percent, probability

KINDS = {
    "block": "A whole block",
    "attention": "Only the attention of a block",
    "feed-forward": "Only the feed-forward layer of a block",
    "head": "A single head of one block",
    "heads": "A single head, over all blocks",
}
MARKS = {"block": "stream", "attention": "attention", "feed-forward": "feed-forward", "head": "attention"}
LEAST_FALL = 0.001  # of probability: a fall by less is none to speak of


def tries(model, kind, block=0):
    """The model as trained, then without each part of one kind -> tuples of changes."""
    changes = parts(model, ("head",) if kind == "heads" else (kind,))
    if kind == "head":
        changes = [c for c in changes if c.block == block]
    return [(), *((change,) for change in changes)]


def name(one):
    """What a row is called."""
    if not one:
        return "as trained"
    return str(one[0])


def title(one, probabilities=None):
    """What stands above the text read without a part, as Markdown."""
    if probabilities is None:
        return f"**{name(one)}**, not read yet"
    return f"**{name(one)}**, perplexity {perplexity(summary(probabilities).perplexity)}"


def summary(probabilities):
    """The probabilities of a text's tokens (T-1,) -> its Result; the likeliest tokens are not known (nan)."""
    nats = float(-np.log(np.maximum(probabilities, 1e-300)).mean())
    return Result(nats, float("nan"), len(probabilities))


@dataclass(frozen=True)
class Fall:
    """The token that lost the most probability: in which try, at which place, from what to what."""

    one: tuple
    place: int
    before: float
    after: float


def largest_fall(found):
    """found: {try: probabilities (T-1,)}, () among them -> Fall."""
    drops = {one: found[()] - given for one, given in found.items() if one}
    one = max(drops, key=lambda one: drops[one].max())
    place = int(drops[one].argmax())
    return Fall(one, place, float(found[()][place]), float(found[one][place]))


def rows(wanted, found, guesses=None):
    """The bars of these tries.  found: {try: Result}; guesses: perplexities for all but the first."""
    predicted = [None, *(guesses or [None] * (len(wanted) - 1))]
    return [_bar(one, found.get(one), guess) for one, guess in zip(wanted, predicted, strict=True)]


def _bar(one, result, guess):
    mark = MARKS[one[0].kind] if one else "norm"
    if result is None:
        return Bar(name(one), guess=guess, mark=mark)
    return Bar(name(one), result.perplexity, probability(result.top), guess, mark=mark)


def untouched(wanted):
    """Every head that is to be left out, as ui.head_map takes them, before anything is measured."""
    return [
        [
            {"bars": [["attention", None, "?"]], "label": f"Head {c.head + 1} of block {c.block + 1}"}
            for c in row
        ]
        for row in _by_block(wanted)
    ]


def _by_block(wanted):
    """The heads that these tries leave out -> a list of changes for every block."""
    changes = [one[0] for one in wanted if one]
    return [[c for c in changes if c.block == b] for b in sorted({c.block for c in changes})]


def head_map(caption, wanted, found, guess=None):
    """The perplexity without each head, as a map of blocks and heads that fills.

    found: {try: something with nats and perplexity}; guess: "block.head", from 1.
    """
    base = found.get(())
    rises = {one: r.nats - base.nats for one, r in found.items() if base and one in wanted and one}
    highest = max([1e-6, *rises.values()])

    def cell(change):
        result, one = found.get((change,)), (change,)
        return head_grid.Cell(
            perplexity(result and result.perplexity),
            growth(result.perplexity, base.perplexity) if one in rises else "",
            max(rises.get(one, 0), 0) / highest,
            guess == f"{change.block + 1}.{change.head + 1}",
        )

    key = (
        "Perplexity without the head, and how much it grows; bar: the rise of the loss, the highest in full."
    )
    key += " Framed: your guess." if guess else ""
    return head_grid.html(caption, [list(map(cell, row)) for row in _by_block(wanted)], key)


def growth(value, base):
    """How much more it is: +0.3 %, −0.1 %, or × 12."""
    if value >= 10 * base:
        return f"× {figure(value / base, 2)}"
    return change(value / base - 1)


def called(one):
    """Head 2 of block 3."""
    return f"head {one[0].head + 1} of block {one[0].block + 1}"


def columns(wanted, found):
    """The figures as columns, for a file."""
    shown = [one for one in wanted if one in found]
    return {
        "model": [name(one) for one in shown],
        "perplexity": [found[one].perplexity for one in shown],
        "nats a token": [found[one].nats for one in shown],
        "mean top probability": [found[one].top for one in shown],
        "tokens predicted": [found[one].tokens for one in shown],
    }


def sentences(wanted, found, even):
    """What was measured, in words; as long as results are missing, what there is."""
    base = found.get(())
    others = {one: r for one, r in found.items() if one in wanted and one}
    if base is None:
        return ["Nothing is measured yet."]
    said = [
        f"As trained, the perplexity is {perplexity(base.perplexity)} over "
        f"{counted(base.tokens, 'prediction')}, and the likeliest token gets {probability(base.top)} on "
        "average."
    ]
    if not others:
        return said
    missing = len(wanted) - 1 - len(others)
    far = f"Of the {len(others)} measured so far, most" if missing else "Most"
    most, least = (pick(r.nats for r in others.values()) for pick in (max, min))
    if most <= base.nats:
        return [*said, "None of those measured is missed on these texts: the perplexity never rises."]
    said.append(f"{far} is lost {alike(others, most)}: {_rise(most, base, even)}.")
    if least < most:
        said.append(f"Least is lost {alike(others, least)}: {_small(least, base)}.")
    return said


def alike(results, nats):
    """The names of all tries with exactly this loss."""
    return " and ".join(name(one) for one, result in results.items() if result.nats == nats)


def _rise(nats, base, even):
    reached = Result(nats, math.nan, base.tokens).perplexity
    worse = f", worse than the {even:,} of even guessing" if reached > even else ""
    return f"{perplexity(reached)}, {times(nats, base.nats)} as much{worse}"


def _small(nats, base):
    compared = f"{times(nats, base.nats)} the perplexity"
    return f"these texts are even predicted better, at {compared}" if nats < base.nats else compared


def fall_said(found, pieces):
    """The token that loses most, in words.  found: as largest_fall(); pieces: the tokens as Markdown."""
    fall = largest_fall(found)
    lost = fall.before - fall.after
    if lost < LEAST_FALL:
        return "No token's probability falls by as much as 0.1 percentage points."
    before, after = (probability(p) for p in (fall.before, fall.after))
    if before == after:
        before, after = (percent(p, tenths=True) for p in (fall.before, fall.after))
    where = f"{name(fall.one)}, the token “{pieces[fall.place + 1]}”"
    return f"The largest fall: {where} goes from {before} to {after}."
