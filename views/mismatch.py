"""What the page of mismatched details shows: its rows, and what is true of them."""

import math

from engine.experiments import Change
from views.bars import Bar, perplexity, times
from views.numbers import counted, figure, probability

BASES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000)
EPSILONS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
ROUNDING = 1e-4  # vectors nearer than this share of their length are the same, but for rounding
PAIR = ("the dog bit the boy.", "the boy bit the dog.")  # the same tokens, told apart by their order alone
CSS = ".reads td { overflow-wrap: anywhere; }"  # what a broken model writes may have no spaces


def tries(model, base, epsilon):
    """The model as trained, then with each detail changed -> tuples of changes.

    A base or an epsilon that is the trained one is no mistake and left out.
    """
    details = [
        Change("neighbours"),
        Change("base", value=float(base)),
        Change("no-rope"),
        Change("epsilon", value=float(epsilon)),
        Change("norms-after"),
        Change("no-gate"),
        Change("untied"),
    ]
    if model.name != "store":
        details.append(Change("no-qk-norm"))
    trained = {"base": model.setting("rope_base"), "epsilon": model.epsilon}
    return [(), *((one,) for one in details if one.value is None or one.value != trained[one.kind])]


def name(one):
    """What a row is called."""
    return str(one[0]) if one else "as trained"


def note(base, result, even):
    """What stands below a row's name: how it compares, in figures."""
    if result is base:
        return ""
    lost = f"; no better than even guessing among {even:,}" if result.perplexity >= even else ""
    return f"{times(result.nats, base.nats)} as trained{lost}"


def rows(wanted, found, even):
    """The bars, each with how it compares."""
    base = found.get(())
    out = []
    for one in wanted:
        result = found.get(one)
        out.append(
            Bar(
                name(one),
                result and result.perplexity,
                probability(result.top) if result else "",
                note=note(base, result, even) if result and base else "",
                mark="attention" if one else "norm",
            )
        )
    return out


def columns(wanted, found):
    """The figures as columns, for a file."""
    shown, base = [one for one in wanted if one in found], found.get(())
    return {
        "model": [name(one) for one in shown],
        "perplexity": [found[one].perplexity for one in shown],
        "nats a token": [found[one].nats for one in shown],
        "nats above as trained": [found[one].nats - base.nats if base else math.nan for one in shown],
        "mean top probability": [found[one].top for one in shown],
    }


def sentences(wanted, found, even):
    """What was measured, in words."""
    base, others = found.get(()), [one for one in wanted if one and one in found]
    if base is None:
        return ["Nothing is measured yet."]
    said = [f"As trained, the perplexity is {perplexity(base.perplexity)}."]
    if not others:
        return said

    def compared(one):
        return f"{name(one)} ({times(found[one].nats, base.nats)} as trained)"

    by_distance = sorted(others, key=lambda one: abs(found[one].nats - base.nats))
    said.append(f"{counted(len(others), 'mistake')} ran without any error.")
    said.append(f"The nearest to it is {compared(by_distance[0])}")
    said[-1] += f", the farthest {compared(by_distance[-1])}." if len(others) > 1 else "."
    for kind, ones in (
        ("On these texts better than as trained", [o for o in others if found[o].nats < base.nats]),
        (f"No better than even guessing among {even:,}", [o for o in others if found[o].perplexity >= even]),
    ):
        if ones:
            said.append(f"{kind}: {', '.join(map(name, ones))}.")
    return said


def reading(one, ids, trained, text, found):
    """A row of the table of continuations.

    ids, trained: what this model and the one as trained went on with, trained None when it is not known;
    text: the ids as text; found: {try: Result}, as far as measured.
    """
    base, result = found.get(()), found.get(one)
    named = (
        (name(one), f"{times(result.nats, base.nats)} the perplexity")
        if one and base and result
        else name(one)
    )
    words = " ".join(text.split()) or ("(the end, at once)" if len(ids) < 2 else "(blank)")
    if not one or trained is None:
        return named, words
    return named, (words, alike(ids, trained))


def alike(ids, trained):
    """How far a continuation goes along with that of the model as trained."""
    if tuple(ids) == tuple(trained):
        return "token for token as trained"
    pairs = zip(ids, trained, strict=False)
    same = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(ids), len(trained)))
    return (
        f"as trained for {counted(same, 'token')}, then another way"
        if same
        else "from the first token another way"
    )


def orders_table(found):
    """What tells the order of tokens, as the rows of a table: {name: likeness.Order} -> rows."""
    return [
        (name, *map(distance, (order.sets, order.first_block, order.last_block)))
        for name, order in found.items()
    ]


def distance(share):
    """A distance between vectors, as a share of their length: 0 where only rounding differs."""
    return "0" if share < ROUNDING else figure(share, 2)


def orders_said(found, blocks):
    """What the distances between the two texts of the same tokens show."""
    blind, masked = found["no mask, no RoPE"], found["the mask alone"]
    said = []
    if blind.sets < ROUNDING:
        said.append(
            "Without mask and RoPE both texts leave the same set of vectors: nothing in them tells who bit "
            "whom."
        )
    if masked.sets >= ROUNDING and masked.first_block < ROUNDING:
        last = "The last token has the same tokens before it in both, so its vector after block 1 is the same"
        later = masked.last_block >= ROUNDING
        last += (
            f"; later blocks, which read what those tokens had seen, tell the two apart "
            f"({distance(masked.last_block)} of its length)."
            if later
            else ", and no later block tells them apart."
            if blocks > 1
            else ", and there is no other block."
        )
        said.append(f"The mask alone tells some of it: each token sees other tokens before it. {last}")
    return said


def nearest_base(base):
    """The base on offer that is nearest to this one, as ratios go."""
    return min(BASES, key=lambda offered: abs(math.log(offered / base)))
