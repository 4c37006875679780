"""What the page that leaves out parts shows: its rows, and the sentences that the figures make true."""

from itertools import combinations

from engine.experiments import parts
from views.bars import Bar, perplexity
from views.numbers import figure, percent, whole

KINDS = {
    "block": "A whole block",
    "attention": "Only the attention of a block",
    "feed-forward": "Only the feed-forward layer of a block",
    "head": "A single head of one block",
}
MARKS = {"block": "stream", "attention": "attention", "feed-forward": "feed-forward", "head": "attention"}


def tries(model, kind, block=0):
    """The model as trained, then without each part of one kind -> tuples of changes."""
    changes = [c for c in parts(model, (kind,)) if kind != "head" or c.block == block]
    return [(), *((change,) for change in changes)]


def name(one):
    """What a row is called."""
    if not one:
        return "as trained"
    return str(one[0])


def rows(wanted, found, guesses=None):
    """The bars of these tries.  found: {try: Result}; guesses: perplexities for all but the first."""
    out = []
    for number, one in enumerate(wanted):
        result = found.get(one)
        out.append(
            Bar(
                name(one), result and result.perplexity, percent(result.top) if result else "",
                guesses[number - 1] if guesses and one else None,
                mark=MARKS[one[0].kind] if one else "norm",
            )
        )  # fmt: skip
    return out


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
        f"predictions, and the likeliest token gets {percent(base.top)} on average."
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
        change = others[least].perplexity / base.perplexity - 1
        how = (
            "it even predicts these texts a little better"
            if change < -0.001
            else "hardly anything changes"
            if change < 0.01
            else f"perplexity grows by {figure(100 * change, 2)} %"
        )
        said.append(f"The least is lost {name(least)}: {how}.")
    return said


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
