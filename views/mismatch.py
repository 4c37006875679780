"""What the page of mismatched details shows: its rows, its verdicts, and what is true of them."""

import math

from engine.experiments import Change
from views.bars import Bar, perplexity
from views.numbers import figure, probability

BASES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000)
EPSILONS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
NONSENSE, WORSE = 3.0, 1.02  # times the perplexity as trained
AT_ONCE, LOST, DANGEROUS, SAME = (
    "fails at once", "nonsense", "fluent and worse: the dangerous one", "not to be noticed here",
)  # fmt: skip
CSS = ".reads td { overflow-wrap: anywhere; }"  # what a broken model writes may have no spaces


def tries(model, base, epsilon):
    """The model as trained, then with each detail changed -> tuples of changes."""
    details = [
        Change("neighbours"), Change("base", value=float(base)), Change("no-rope"),
        Change("epsilon", value=float(epsilon)), Change("norms-after"), Change("no-gate"), Change("untied"),
    ]  # fmt: skip
    if model.name != "store":
        details.append(Change("no-qk-norm"))
    return [(), *((detail,) for detail in details)]


def name(one):
    """What a row is called."""
    return str(one[0]) if one else "as trained"


def verdict(trained, value, even):
    """Which kind of mistake a perplexity is, beside that of the model as trained and of even guessing."""
    if value >= max(even, trained * WORSE):
        return AT_ONCE
    if value >= NONSENSE * trained:
        return LOST
    return DANGEROUS if value >= WORSE * trained else SAME


def thresholds(even):
    """The verdicts in a sentence."""
    return (
        "**Where the lines are drawn.** "
        f"*{AT_ONCE.capitalize()}*: perplexity no better than even guessing ({even:,}). "
        f"*{LOST.capitalize()}*: at least {NONSENSE:g} times as trained. "
        f"*{DANGEROUS.capitalize()}*: at least {WORSE:g} times. "
        f"*{SAME.capitalize()}*: less than that. None of these mistakes raises an error."
    )


def rows(wanted, found, even):
    """The bars, each with its verdict."""
    base = found.get(())
    out = []
    for one in wanted:
        result = found.get(one)
        note = verdict(base.perplexity, result.perplexity, even) if one and result and base else ""
        out.append(
            Bar(
                name(one), result and result.perplexity, probability(result.top) if result else "", note=note,
                mark="attention" if one else "norm",
            )
        )  # fmt: skip
    return out


def columns(wanted, found, even):
    """The figures as columns, for a file."""
    shown, base = [one for one in wanted if one in found], found.get(())
    return {
        "model": [name(one) for one in shown],
        "perplexity": [found[one].perplexity for one in shown],
        "nats a token": [found[one].nats for one in shown],
        "mean top probability": [found[one].top for one in shown],
        "verdict": [
            verdict(base.perplexity, found[one].perplexity, even) if one and base else "" for one in shown
        ],
    }


def sentences(wanted, found, even):
    """What was measured, in words."""
    base, others = found.get(()), [one for one in wanted if one and one in found]
    if base is None:
        return ["Nothing is measured yet."]
    said = [f"As trained, the perplexity is {perplexity(base.perplexity)}."]
    kinds = {one: verdict(base.perplexity, found[one].perplexity, even) for one in others}
    for kind, beginning in (
        (DANGEROUS, "Nobody would notice at first, and yet it is worse"),
        (LOST, "Anyone who reads the text would notice"),
        (AT_ONCE, "No better than guessing"),
        (SAME, "On these texts it makes no difference"),
    ):
        ones = [one for one in others if kinds[one] == kind]
        if ones:
            times = [f" ({figure(found[one].perplexity / base.perplexity)} times)" for one in ones]
            named = [
                name(one) + ("" if kind == SAME else more) for one, more in zip(ones, times, strict=True)
            ]
            said.append(f"{beginning}: {', '.join(named)}.")
    return said


def nearest_base(base):
    """The base on offer that is nearest to this one, as ratios go."""
    return min(BASES, key=lambda offered: abs(math.log(offered / base)))
