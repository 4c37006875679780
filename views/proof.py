"""The proof on the page about depth: what the repeated pieces still get with heads switched off."""

import random

from views import head_grid
from views.depth import SEEN, called, induction_heads, mean, worth
from views.numbers import figure, percent, probability

MISSED = 0.2  # of what the pieces get as trained: a head that costs as much is missed
MOST_NAMES = 6


def switched_off(scores, chosen, draw=0):
    """Which heads the table switches off -> {what the row is called: [(block, head)]}."""
    other, specialists = another_head(scores, chosen, draw), induction_heads(scores)
    rows = {"as trained": [], f"without {called([chosen])}": [chosen]}
    if other != chosen:
        rows[f"without {called([other])}, drawn at random"] = [other]
    if len(specialists) > 1:
        rows[f"without all {len(specialists)} {_kind()}"] = specialists
    return rows


def _kind():
    return f"heads that score {percent(SEEN)} or more for induction"


def another_head(scores, chosen, draw=0):
    """A head drawn at random, the same for the same chosen one and draw; no specialist, if there is one."""
    others = [one for one in every_head(scores) if one != chosen]
    plain = [one for one in others if scores.induction[one] < SEEN and scores.previous[one] < SEEN]
    return random.Random(f"{chosen}{draw or ''}").choice(plain or others or [chosen])


def every_head(scores):
    """All heads -> a list of (block, head), from 0."""
    L, H = scores.induction.shape
    return [(b, h) for b in range(L) for h in range(H)]


def lost(given, later):
    """A row of the table: what the later pieces get, loss and perplexity; dashes before it is read."""
    if given is None:
        return "–", "–", "–"
    nats, perplexity = worth(given)
    return probability(mean(given, later)), f"{nats:.3f}", figure(perplexity)


def grid(shape, base, alone, chosen):
    """What the pieces get without each head, as a map.  base: as trained, or None; alone: {head: mean}."""
    most = max([1e-9, *(base - kept for kept in alone.values())]) if base is not None else 1

    def cell(one):
        kept = alone.get(one)
        if kept is None or base is None:
            return head_grid.Cell(framed=one == chosen)
        return head_grid.Cell(probability(kept), bar=max(base - kept, 0) / most, framed=one == chosen)

    L, H = shape
    rows = [[cell((b, h)) for h in range(H)] for b in range(L)]
    key = (
        "What the pieces get when they come back, without this one head; bar: how much they lose, the most "
        "in full. Framed: the chosen head."
    )
    return head_grid.html("What is left without each head", rows, key)


def proven(base, alone, together=None):
    """What switching heads off did to the pieces when they come back.

    base: their mean probability as trained; alone: {(block, head): the same without it}, all heads;
    together: without all heads that score SEEN or more for induction, when these are several.
    """
    said = [f"As trained, the pieces get {probability(base)} when they come back."]
    if base < SEEN:
        return [*said, "There is little to lose here, whichever head is switched off."]
    missed = sorted((one for one in alone if base - alone[one] >= MISSED * base), key=alone.get)
    rest = [kept for one, kept in alone.items() if one not in missed]
    if missed:
        said.append(
            f"Switched off one by one, these cost them at least a fifth of that: {_named(missed, alone)}."
        )
    else:
        worst = min(alone, key=alone.get)
        said.append(
            f"No head, switched off by itself, costs them a fifth of that; the least is left without "
            f"{called([worst])}: {probability(alone[worst])}."
        )
    if missed and rest:
        said.append(f"Without any other one, the lowest that is left is {probability(min(rest))}.")
    if together is not None:
        said.append(f"Without all {_kind()}, {probability(together)} is left.")
    return said


def _named(missed, alone):
    shown = [f"{called([one])} ({probability(alone[one])} left)" for one in missed[:MOST_NAMES]]
    more = len(missed) - len(shown)
    return ", ".join(shown) + (f", and {more} more" if more else "")
