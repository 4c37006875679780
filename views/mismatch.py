"""What the page of mismatched details shows: its rows, and what is true of them."""

import math

from engine.families import DETAILS, Change
from engine.families.changes import lacking, plainly
from views.bars import Bar, perplexity, times
from views.numbers import counted, figure, probability

BASES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 1_000_000)
EPSILONS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
ROUNDING = 1e-4  # vectors nearer than this share of their length are the same, but for rounding
PAIR = ("the dog bit the boy.", "the boy bit the dog.")  # the same tokens, told apart by their order alone
CALLED = {"base": "RoPE's base", "epsilon": "ε in the norms"}  # details that have a value, without it
CSS = ".reads td { overflow-wrap: anywhere; }"  # what a broken model writes may have no spaces


def tries(model, base, epsilon):
    """The model as trained, then with each detail that it can have -> tuples of changes.

    A base or an epsilon that is the trained one is no mistake and left out.
    """
    values, trained = {"base": float(base), "epsilon": float(epsilon)}, trained_values(model)
    details = [Change(kind, value=values.get(kind)) for kind in DETAILS if kind in model.details]
    return [(), *((one,) for one in details if one.value is None or one.value != trained[one.kind])]


def trained_values(model):
    """The values of the details that have one, as in training."""
    return {"base": model.rope_base, "epsilon": model.epsilon}


def trained_said(model):
    """With which of the values that can be changed here a model was trained; "" for none."""
    written = {"base": "base {:,.0f}".format, "epsilon": lambda value: f"ε = {plainly(value)}"}
    values = trained_values(model)
    said = [write(values[kind]) for kind, write in written.items() if kind in model.details]
    return f"Trained with {' and '.join(said)}." if said else ""


def not_offered(model):
    """Which details are not offered for a model, in words; "" where all are."""
    missing = {kind: lacking(model, kind) for kind in DETAILS if kind not in model.details}
    parts = [f"no {part}" for part in dict.fromkeys(filter(None, missing.values()))]
    others = [CALLED.get(kind) or str(Change(kind)) for kind, part in missing.items() if not part]
    said = [f"{model.title} has {_listed(parts)} to change."] if parts else []
    said += [f"Not to be changed here: {_listed(others)}."] if others else []
    return " ".join(said)


def _listed(words):
    """a, b and c"""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


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
    return [_bar(one, found.get(one), found.get(()), even) for one in wanted]


def _bar(one, result, base, even):
    mark = "attention" if one else "norm"
    if result is None:
        return Bar(name(one), mark=mark)
    compared = note(base, result, even) if base else ""
    return Bar(name(one), result.perplexity, probability(result.top), note=compared, mark=mark)


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
    said += [
        f"{counted(len(others), 'mistake')} ran without any error.",
        _nearest_and_farthest(others, found),
    ]
    for kind, ones in (
        ("On these texts better than as trained", [o for o in others if found[o].nats < base.nats]),
        (f"No better than even guessing among {even:,}", [o for o in others if found[o].perplexity >= even]),
    ):
        said += [f"{kind}: {', '.join(map(name, ones))}."] if ones else []
    return said


def _nearest_and_farthest(others, found):
    base = found[()].nats
    by_distance = sorted(others, key=lambda one: abs(found[one].nats - base))
    near, far = (
        f"{name(one)} ({times(found[one].nats, base)} as trained)"
        for one in (by_distance[0], by_distance[-1])
    )
    return f"The nearest to it is {near}" + (f", the farthest {far}." if len(others) > 1 else ".")


def reading(one, ids, trained, text, found):
    """A row of the table of continuations.

    ids, trained: what this model and the one as trained went on with, trained None when it is not known;
    text: the ids as text; found: {try: Result}, as far as measured.
    """
    base, result, named = found.get(()), found.get(one), name(one)
    if one and base and result:
        named = named, f"{times(result.nats, base.nats)} the perplexity"
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
        said.append(
            "The mask alone tells some of it: each token sees other tokens before it. The last token has the "
            "same tokens before it in both, so its vector after block 1 is the same"
            f"{_later(masked.last_block, blocks)}."
        )
    return said


def _later(last_block, blocks):
    """What the blocks after the first make of the order under the mask alone."""
    if last_block >= ROUNDING:
        return (
            "; later blocks, which read what those tokens had seen, tell the two apart "
            f"({distance(last_block)} of its length)"
        )
    return ", and no later block tells them apart" if blocks > 1 else ", and there is no other block"


def same_tokens(first, second):
    """Whether two texts hold the same tokens in another order, the last one the same.  Ids of each."""
    return sorted(first) == sorted(second) and list(first) != list(second) and first[-1] == second[-1]


def nearest_base(base):
    """The base on offer that is nearest to this one, as ratios go."""
    return min(BASES, key=lambda offered: abs(math.log(offered / base)))
