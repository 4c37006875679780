"""Why a block adds, and why it norms first: gradient lengths of untrained stacks, as a table and in words."""

import math
from statistics import median

from engine.gradients import quartiles
from views import tables
from views.numbers import figure

WAYS = {"ours": "x ← x + f(Norm(x))", "no_addition": "x ← f(Norm(x))", "post_norm": "x ← Norm(x + f(x))"}
CSS = """
.ways { display: grid; grid-template-columns: max-content 1fr max-content; gap: .4rem .8rem; }
.ways i { display: block; height: 1.1rem; min-width: 2px; background: var(--mark-stream); }
.ways i { forced-color-adjust: none; print-color-adjust: exact; }
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
        [f"{depth} blocks", *(_middle(lengths[kind][place]) for kind in _TITLES)]
        for place, depth in enumerate(kept["depths"])
    ]
    title = f"{_STARTS[start]}: the median, and the middle half of the starts"
    return tables.table(title, ["Depth", *_TITLES.values()], rows, numeric=(1, 2, 3))


def _middle(seeds):
    """ "3.3 (3.1 to 3.6)": the median and the quartiles, in two digits."""
    low, middle, high = map(rough, quartiles(seeds))
    return f"{middle} ({low} to {high})"


def rough(x):
    """A length in two digits: 76,321 -> "76,000", 0.0219 -> "0.022"; no more than starts agree on."""
    x = float(x)
    return figure(x and round(x, 1 - math.floor(math.log10(x))), 2)


def bars(kept, way):
    """HTML: one way's median lengths by depth, from the plain start, on one log scale for all ways."""
    lengths = {kind: [median(seeds) for seeds in kept["lengths"]["plain"][kind]] for kind in WAYS}
    present = [length for kind in WAYS for length in lengths[kind] if length > 0]
    low, high = math.log(min(present)) - 0.5, math.log(max(present))
    cells = []
    for depth, length in zip(kept["depths"], lengths[way], strict=True):
        share = (math.log(length) - low) / (high - low) if length > 0 else 0
        bar = f'<div><i style="width: {100 * share:.1f}%"></i></div>'
        cells.append(f"<span>{depth} blocks</span>{bar}<b>{rough(length)}</b>")
    label = f"Gradient length at the first block, {WAYS[way]}, logarithmic"
    return f'<div class="ways" role="group" aria-label="{label}">{"".join(cells)}</div>'


def growth(by_depth):
    """How many times as long the gradient is at the last depth, start by start: -> a list over the seeds."""
    return [last / first for first, last in zip(by_depth[0], by_depth[-1], strict=True)]


def sentences(kept):
    """What the measurement says, its numbers filled in."""
    first, last = kept["depths"][0], kept["depths"][-1]
    times = {kind: quartiles(growth(kept["lengths"]["plain"][kind])) for kind in _TITLES}
    said = {
        kind: f"{rough(middle)} times ({rough(low)} to {rough(high)})"
        for kind, (low, middle, high) in times.items()
    }
    return [
        f"From {first} to {last} blocks the gradient at the first block becomes {said['ours']} as long with "
        f"our way, {said['no_addition']} when nothing is added, and {said['post_norm']} with the norm after "
        "the addition; in brackets, the middle half of the starts.",
        *_lost(kept),
        *_even(kept),
    ]


def _lost(kept):
    """Where nothing arrives at all from our own start when nothing is added, or nothing to say."""
    seeds = kept["setup"]["seeds"]
    for depth, lengths in zip(kept["depths"], kept["lengths"]["ours"]["no_addition"], strict=True):
        none = lengths.count(0)
        if none > seeds / 2:
            return [
                f"From our own, smaller start, nothing at all arrives at {depth} blocks in {none} of {seeds} "
                "starts when nothing is added: each block makes its numbers smaller, until float32 holds "
                "only zeros."
            ]
    return []


def _even(kept):
    """That post-norm is even from our own start, where it is."""
    medians = [median(seeds) for seeds in kept["lengths"]["ours"]["post_norm"]]
    if min(medians) <= 0 or max(medians) >= 2 * min(medians):
        return []
    return [
        "From that smaller start post-norm, too, is about as long at every depth (its medians differ by a "
        f"factor of {figure(max(medians) / min(medians))}); its trouble begins in training, which needs a "
        "slow warm-up (Xiong et al. 2020)."
    ]


def explanation(kept):
    """The Why, in Markdown."""
    setup = kept["setup"]
    return (
        "The slope of x + f(x) is 1 + f′(x), so whatever f does, the 1 leaves a road open for the gradient "
        "from the last block to the first (He et al. 2015). Take the addition away and every block "
        "multiplies the gradient by a factor of its own: the more blocks, the further it runs away, up or "
        "down. A norm *after* the addition stands on that road, a norm *before* f beside it. Measured "
        f"beforehand on untrained stacks of this file's blocks, {setup['d_model']} wide, on random tokens "
        "(`python -m training.gradients` measures them again): the length of the gradient at the first "
        f"block, from {setup['seeds']} starts."
    )
