"""What the page that leaves out parts shows: its rows, and the sentences that the figures make true."""

from dataclasses import dataclass
from html import escape
from itertools import combinations

import numpy as np

from engine.experiments import parts
from engine.sweeps import Result
from views.bars import Bar, perplexity
from views.numbers import change, figure, probability, whole

KINDS = {
    "block": "A whole block",
    "attention": "Only the attention of a block",
    "feed-forward": "Only the feed-forward layer of a block",
    "head": "A single head of one block",
    "heads": "A single head, over all blocks",
}
MARKS = {"block": "stream", "attention": "attention", "feed-forward": "feed-forward", "head": "attention"}
CSS = """
.heads { overflow-x: auto; padding: 3px; }
.heads table { border-collapse: separate; border-spacing: 4px; }
.heads th { font-weight: 400; font-size: .85rem; color: var(--mark-norm); white-space: nowrap; border: 0;
  text-align: left; padding: 0 .5rem 0 0; }
.heads thead th { text-align: center; padding: 0; }
.heads thead td { border: 0; padding: 0; width: 0; }
.heads tbody td { min-width: 5.6rem; height: 2.9rem; vertical-align: top; padding: .25rem .4rem;
  border-radius: 4px; font-size: .9rem; line-height: 1.3;
  border: 1px solid color-mix(in srgb, var(--mark-norm) 45%, transparent); }
.heads td.guessed { outline: 3px solid var(--mark-accent); outline-offset: -2px; }
.heads small { float: right; font-size: .78rem; line-height: 1.5; color: var(--mark-norm); }
.heads i { display: block; height: .5rem; border-radius: 2px; background: var(--mark-attention); }
@media (max-width: 640px) {
  .heads table { border-spacing: 2px; }
  .heads th { font-size: .72rem; padding: 0 .2rem 0 0; }
  .heads tbody td { min-width: 2.65rem; padding: .15rem .2rem; font-size: .82rem; }
  .heads small { float: none; display: block; font-size: .65rem; white-space: nowrap; }
}
.heads-key { font-size: .85rem; color: var(--mark-norm); margin: .2rem 0 1rem; }
"""


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
    out = []
    for number, one in enumerate(wanted):
        result = found.get(one)
        out.append(
            Bar(
                name(one), result and result.perplexity, probability(result.top) if result else "",
                guesses[number - 1] if guesses and one else None,
                mark=MARKS[one[0].kind] if one else "norm",
            )
        )  # fmt: skip
    return out


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
    rows = _by_block(wanted)
    top = "".join(f'<th scope="col">head {c.head + 1}</th>' for c in rows[0])
    body = ""
    for row in rows:
        body += f'<tr><th scope="row">block {row[0].block + 1}</th>'
        for left_out in row:
            rise, one = rises.get((left_out,)), (left_out,)
            guessed = guess == f"{left_out.block + 1}.{left_out.head + 1}"
            shown = perplexity(found[one].perplexity) if one in found else "–"
            body += f"<td{' class=guessed' if guessed else ''}>{shown}<small>"
            body += "" if rise is None else growth(found[one].perplexity, base.perplexity)
            width = 0 if rise is None else 100 * max(rise, 0) / highest
            body += f'</small><i style="width: {width:.1f}%"></i></td>'
        body += "</tr>"
    key = (
        "Perplexity without the head, and how much it grows; bar: the rise of the loss, the highest in full."
    )
    key += " Framed: your guess." if guess else ""
    return (
        f'<style>{CSS}</style><div class="heads" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="heads-key">{key}</p>'
    )


def growth(value, base):
    """How much more it is: +0.3 %, −0.1 %, or × 12."""
    if value >= 10 * base:
        return f"× {figure(value / base, 2)}"
    return change(value / base - 1)


def head_guess_sentence(wanted, found, guess):
    """Where the head that the reader named came, once all is measured; "" before."""
    others = [one for one in wanted if one]
    named = [one for one in others if guess == f"{one[0].block + 1}.{one[0].head + 1}"]
    if not named or any(one not in found for one in others):
        return ""
    rank = 1 + sum(found[one].nats > found[named[0]].nats for one in others)
    if rank == 1:
        return "You named it."
    return f"You named {called(named[0])}: {rank - 1} of the {len(others) - 1} others cost more."


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
        f"As trained, the perplexity is {perplexity(base.perplexity)} over {whole(base.tokens)} "
        f"predictions, and the likeliest token gets {probability(base.top)} on average."
    ]
    if not others:
        return said
    worst = max(others, key=lambda one: others[one].nats)
    times = others[worst].perplexity / base.perplexity
    said.append(
        f"The most is lost {name(worst)}: {perplexity(others[worst].perplexity)}"
        + (f", {figure(times, 2)} times as much" if times >= 1.05 else "")
        + (f", worse than the {even:,} of even guessing." if others[worst].perplexity > even else ".")
    )
    if len(others) > 1:
        least = min(others, key=lambda one: others[one].nats)
        more = others[least].perplexity / base.perplexity - 1
        how = (
            "it even predicts these texts a little better"
            if more < -0.001
            else "hardly anything changes"
            if more < 0.01
            else f"perplexity grows by {figure(100 * more, 2)} %"
        )
        said.append(f"The least is lost {name(least)}: {how}.")
    return said


def order_to_guesses(raw, wanted):
    """An order as typed, the worst first, by the parts' numbers -> a place from 0 to 100 for every bar.

    Raises ValueError, in words for the reader, unless every part is named once.
    """
    numbers = [_number(one) for one in wanted if one]
    try:
        typed = [int(part) for part in raw.replace(",", " ").split()]
    except ValueError:
        typed = []
    if sorted(typed) != numbers:
        example = " ".join(map(str, reversed(numbers)))
        raise ValueError(f"An order names each of {numbers[0]} to {numbers[-1]} once, such as {example}.")
    step = 80 / (len(typed) - 1)
    return [round(90 - step * typed.index(number)) for number in numbers]


def _number(one):
    """The number, from 1, by which a part is known in an order: a head's, else its block's."""
    return 1 + (one[0].head if one[0].kind == "head" else one[0].block)


def guess_sentence(wanted, found, guesses):
    """How good the reader's order was, once all is measured; "" before."""
    others = [one for one in wanted if one]
    if not guesses or len(others) < 2 or any(one not in found for one in others):
        return ""
    pairs = list(combinations(range(len(others)), 2))
    nats = [found[one].nats for one in others]
    right = sum((guesses[a] - guesses[b]) * (nats[a] - nats[b]) > 0 for a, b in pairs)
    worst, thought = (
        max(range(len(nats)), key=nats.__getitem__),
        max(range(len(nats)), key=guesses.__getitem__),
    )
    named = (
        "and you named the worst"
        if worst == thought
        else f"you thought that most is lost {name(others[thought])}"
    )
    return f"Of {len(pairs)} pairs, your bars had {right} in the right order; {named}."
