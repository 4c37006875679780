"""Why a block adds, and why it norms first: gradient lengths of untrained stacks, as a table and in words."""

import math

from views import tables
from views.numbers import figure

WAYS = {"ours": "x ← x + f(Norm(x))", "no_addition": "x ← f(Norm(x))", "post_norm": "x ← Norm(x + f(x))"}
CSS = """
.ways { display: grid; grid-template-columns: max-content 1fr max-content; gap: .4rem .8rem; }
.ways i { display: block; height: 1.1rem; min-width: 2px; background: var(--mark-stream); }
.ways b { text-align: right; font-weight: 400; }
"""
_TITLES = {
    "ours": "x + f(Norm(x)), ours",
    "no_addition": "f(Norm(x)), nothing added",
    "post_norm": "Norm(x + f(x)), post-norm",
}
_STARTS = {
    "plain": "Every matrix begins with deviation 1/√inputs",
    "ours": "Every matrix begins as in our file: 0.02, and √(2L) times smaller where a block adds",
}


def table(kept, start):
    """HTML: gradient length at the first block, by depth and by way of joining blocks."""
    lengths = kept["lengths"][start]
    rows = [
        [f"{depth} blocks", *(figure(lengths[kind][place]) for kind in _TITLES)]
        for place, depth in enumerate(kept["depths"])
    ]
    return tables.table(_STARTS[start], ["Depth", *_TITLES.values()], rows, numeric=(1, 2, 3))


def bars(kept, way):
    """HTML: one way's gradient lengths by depth, from the plain start, on one log scale for all ways."""
    lengths = kept["lengths"]["plain"]
    present = [length for kind in WAYS for length in lengths[kind] if length > 0]
    low, high = math.log(min(present)) - 0.5, math.log(max(present))
    cells = []
    for depth, length in zip(kept["depths"], lengths[way], strict=True):
        share = (math.log(length) - low) / (high - low) if length > 0 else 0
        bar = f'<div><i style="width: {100 * share:.1f}%"></i></div>'
        cells.append(f"<span>{depth} blocks</span>{bar}<b>{figure(length)}</b>")
    label = f"Gradient length at the first block, {WAYS[way]}, logarithmic"
    return f'<div class="ways" role="group" aria-label="{label}">{"".join(cells)}</div>'


def spread(lengths):
    """How many times the largest is the smallest; infinite where nothing arrives."""
    return max(lengths) / min(lengths) if min(lengths) > 0 else float("inf")


def sentences(kept):
    """What the measurement says, its numbers filled in."""
    plain, ours = kept["lengths"]["plain"], kept["lengths"]["ours"]
    first, last = kept["depths"][0], kept["depths"][-1]
    times = {kind: figure(plain[kind][-1] / plain[kind][0], 2) for kind in _TITLES}
    said = [
        f"From {first} to {last} blocks the gradient at the first block becomes {times['ours']} times "
        "as long with "
        f"our way, {times['no_addition']} times when nothing is added, and {times['post_norm']} times with "
        "the norm after the addition."
    ]
    lost = [depth for depth, length in zip(kept["depths"], ours["no_addition"], strict=True) if length == 0]
    if lost:
        said.append(
            f"From our own, smaller start, nothing at all arrives at {lost[0]} blocks when nothing is "
            "added: each "
            "block makes its numbers smaller, until float32 holds only zeros."
        )
    if spread(ours["post_norm"]) < 2:
        said.append(
            "That smaller start also keeps post-norm even at the beginning; without it, post-norm needs "
            "a slow "
            "warm-up (Xiong et al. 2020)."
        )
    return said


def explanation(kept):
    """The Why, in Markdown."""
    setup = kept["setup"]
    return (
        "The slope of x + f(x) is 1 + f′(x), so whatever f does, the 1 leaves a road open for the "
        "gradient from the "
        "last block to the first (He et al. 2015). Take the addition away and every block multiplies "
        "the gradient "
        "by a factor of its own: the more blocks, the further it runs away, up or down. A norm *after* the "
        "addition stands on that road, a norm *before* f beside it. Measured on untrained stacks of "
        "this file's "
        f"blocks, {setup['d_model']} wide, on random tokens: "
        "the length of "
        f"the gradient at the first block, the median of {setup['seeds']} starts."
    )
