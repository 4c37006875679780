"""A training as one looks: the curve, every head as it becomes what it becomes, and what came of it.

A run is a list of engine.tiny_training.Look, the first before any step.
"""

import numpy as np

from views import head_grid, plots
from views.numbers import counted, percent, probability, whole

COPIES = 0.5  # from here on a model is said to copy
GUESSES = {
    "first": "in the first third",
    "second": "in the second third",
    "third": "in the last third",
    "never": "not at all",
}


def curve(runs, steps, dark=False):
    """How well each model copies over the steps: a Plotly figure whose axes stand still from the start.

    runs: {title: run}, at most two.
    """
    marks = (("attention", "solid"), ("feed-forward", "dash"))
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": title,
            "x": [one.step for one in run],
            "y": [one.copied for one in run],
            "line": {"color": plots.colour(mark, dark), "dash": dash},
            "customdata": [probability(one.copied) for one in run],
            "hovertemplate": f"step %{{x}}: %{{customdata}}<extra>{title}</extra>",
        }
        for (title, run), (mark, dash) in zip(runs.items(), marks, strict=False)
    ]
    x = {"title": "steps", "range": [0, steps]}
    y = {"title": "probability of the right piece", "range": [-0.02, 1.02], "tickformat": ".0%"}
    return plots.chart(traces, x, y, dark, height=340, showlegend=True)


def columns(runs):
    """The same as a table, with every head's scores."""
    rows = [(title, one) for title, run in runs.items() for one in run]
    made = {"model": [title for title, _ in rows], "step": [one.step for _, one in rows]}
    made["loss, nats"] = [one.loss for _, one in rows]
    made["copied"] = [one.copied for _, one in rows]
    L = max(one.previous.shape[0] for _, one in rows)
    H = max(one.previous.shape[1] for _, one in rows)
    for kind in ("previous", "induction"):
        for b, h in np.ndindex(L, H):
            made[f"{kind}, block {b + 1} head {h + 1}"] = [
                float(getattr(one, kind)[b, h]) if b < len(one.previous) else None for _, one in rows
            ]
    return made


def heads(title, one):
    """Every head at one look, as a table in HTML: its induction score large, the other one small."""
    best = one.induction.argmax() if one.induction.max() >= COPIES else -1
    cells = [
        [
            head_grid.Cell(
                percent(float(ind)), f"before: {percent(float(prev))}", float(ind), b * row.size + h == best
            )
            for h, (ind, prev) in enumerate(zip(row, before, strict=True))
        ]
        for b, (row, before) in enumerate(zip(one.induction, one.previous, strict=True))
    ]
    key = (
        "Large, and as a bar: how much of its attention a head gives to the piece that followed the same "
        "piece the last time (induction). Small: to the piece just before."
    )
    return head_grid.html(f"The heads of {title}", cells, key)


def jump(run):
    """The step by which copying rose most since the look before, or None where the model does not copy."""
    copied = np.array([one.copied for one in run])
    if len(copied) < 2 or copied.max() < COPIES:
        return None
    return run[int(np.diff(copied).argmax()) + 1].step


def third(run, steps):
    """When it jumped, as the guesses name it."""
    at = jump(run)
    return "never" if at is None else ("first", "second", "third")[min(2, int(3 * at / steps))]


def judged(runs, guesses, steps, over):
    """What was guessed of each model, and what came; guesses: {title: key of GUESSES}; over: it has ended."""
    said = []
    for title, guess in guesses.items():
        if title not in runs or not guess:
            continue
        came = third(runs[title], steps)
        if came == "never" and not over:
            continue
        right = "as you guessed" if came == guess else f"you guessed {GUESSES[guess]}"
        said.append(f"With {title}: {happened(runs[title], came)}, {right}.")
    return said


def happened(run, came):
    """What a training showed, in words."""
    if came == "never":
        return f"it does not copy (at most {probability(max(one.copied for one in run))})"
    return f"copying rose most by step {whole(jump(run))}, {GUESSES[came]}"


def sentences(runs):
    """What to notice in what there is so far -> a list."""
    said = []
    for title, run in runs.items():
        last = run[-1]
        took = f"After {counted(last.step, 'step')} the model with {title} gives the right piece"
        said.append(f"{took} {probability(last.copied)}.")
        said.append(_heads_then(run))
    return list(filter(None, said))


def strongest(run):
    """(block, head), both from 0, of the strongest induction head at the end."""
    return tuple(int(i) for i in np.unravel_index(run[-1].induction.argmax(), run[-1].induction.shape))


def _heads_then(run):
    """Which heads stood where when the model began to copy."""
    at = jump(run)
    if at is None:
        return ""
    last = run[-1]
    block, head = strongest(run)
    score = percent(float(last.induction[block, head]))
    said = f"Block {block + 1}, head {head + 1} looks most at what followed the last time ({score})"
    earlier = last.previous[:block]
    if not earlier.size:
        return f"{said}."
    b, h = np.unravel_index(earlier.argmax(), earlier.shape)
    return (
        f"{said}; of the heads before it, block {b + 1}, head {h + 1} looks most at the piece just before "
        f"({percent(float(earlier[b, h]))})."
    )
