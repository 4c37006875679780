"""What weights with grouped queries do in code without them: the shapes, and what was said to them."""

from views.norm import scientific
from views.numbers import figure, whole


def table(given):
    """The matrices' shapes: {heading: values}.  given: an engine.grouped.Shapes."""
    rows = (("queries", given.query, given.heads), ("keys", given.key, given.groups))
    rows += (("values", given.key, given.groups),)
    return {
        "matrix": [name for name, *_ in rows],
        "shape": [f"{whole(a)} × {whole(b)}" for _, (a, b), _ in rows],
        "heads": [str(heads) for *_, heads in rows],
    }


def shapes_sentence(given, title):
    """How much smaller the key and value matrices are."""
    share = figure(given.query[1] / given.key[1], 2).removesuffix(".0")
    return (
        f"{title} has {given.heads} query heads and {given.groups} key/value heads (Ainslie et al. 2023), so "
        f"its query matrix is {share} times its key matrix and its value matrix. Code that expects a key and "
        "a value for every head, as ours does, can't read it:"
    )


def repeated_sentence(given, difference, limit=1e-4):
    """Whether writing each key and value head several times lets the same code run it."""
    times = given.heads // given.groups
    same = (
        f"by no more than about {scientific(difference)}, which is rounding"
        if difference < limit
        else f"by {scientific(difference)}, more than rounding explains"
    )
    return (
        f"With each key and value head written {times} times it runs, and what comes out differs from "
        f"PyTorch's own grouped attention {same} (random weights in these shapes). That is the kind of "
        "mismatch to hope for: it speaks. Another base or pairing says nothing."
    )
