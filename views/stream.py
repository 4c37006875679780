"""What the residual-stream page shows, and the sentences that its measurement makes true."""

import numpy as np

from engine.stream import FLOAT16_LARGEST
from views import plots
from views.numbers import counted, figure, whole

# Quoted, so by name: what was reported for the original weights of two models, which differ from ours.
ORIGINALS = {
    "gpt-4": "Reported for the original gpt-4, on its own held-out texts: a root mean square of 0.18 after "
    "the embedding, about 10 after block 1 and about 35 after block 4.",
    "store": "Reported for the original weights, on one product: entering 1.17; blocks 1 to 4: attention "
    "adds 2.90, 2.05, 2.26, 4.08, the feed-forward layer 3.00, 2.90, 4.12, 6.33, the stream is then 4.65, "
    "6.14, 8.46, 13.16 long; the largest number 50.6.",
}


def rows(n_layer):
    """The names of the stream's rows."""
    return ["embedding", *(f"after block {block}" for block in range(1, n_layer + 1))]


def columns(growth):
    """Everything measured: {heading: values}, a row for each row of the stream."""
    blank = [None]
    return {
        "row": rows(len(growth.cosine)),
        "attention adds": blank + growth.attention_added.tolist(),
        "feed-forward adds": blank + growth.feed_forward_added.tolist(),
        "length of the stream": growth.length.tolist(),
        "root mean square": growth.rms.tolist(),
        "cosine with the row before": blank + growth.cosine.tolist(),
        "largest number": growth.largest.tolist(),
        "in dimension": growth.place[:, 2].tolist(),
    }


def added_plot(growth, dark=False):
    """Mean lengths: two bars a block and the stream as a line."""
    L = len(growth.cosine)
    at = np.arange(L + 1)
    traces = [
        {
            "type": "bar",
            "x": at[1:],
            "y": values,
            "name": name,
            "offsetgroup": mark,
            "marker": {"color": plots.colour(mark, dark), "pattern": {"shape": shape}},
            "hovertemplate": "block %{x}: %{y:.3f}<extra></extra>",
        }
        for values, name, mark, shape in (
            (growth.attention_added, "what attention adds", "attention", ""),
            (growth.feed_forward_added, "what the feed-forward layer adds", "feed-forward", "/"),
        )
    ]
    look = {"line": {"color": plots.colour("stream", dark), "width": 4}, "marker": {"size": 9}}
    line = plots.scatter("lines+markers", at, growth.length, "the stream after both", "%{y:.3f}", **look)
    return plots.chart([*traces, line], row_axis(L), "mean length of the vectors", dark)


def numbers_plot(growth, dark=False):
    """Root mean square and largest number, on a logarithmic axis with the float16 limit."""
    L = len(growth.cosine)
    at = np.arange(L + 1)
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": at,
            "y": values,
            "name": name,
            "line": {"color": plots.colour(mark, dark), "width": 3},
            "marker": {"size": 10, "symbol": symbol},
            "hovertemplate": "%{y:,.4g}<extra></extra>",
        }
        for values, name, mark, symbol in (
            (growth.largest, "largest number", "accent", "diamond"),
            (growth.rms, "root mean square", "stream", "circle"),
        )
    ]
    y = {"title": "absolute value", "type": "log", "dtick": 1, "exponentformat": "none"}
    return plots.chart(traces, row_axis(L), y, dark, shapes=[float16_line(dark)])


def float16_line(dark=False):
    """Where float16 ends, on an axis of absolute values."""
    named = f"float16 ends: {whole(int(FLOAT16_LARGEST))}"
    return plots.limit_line(FLOAT16_LARGEST, named, "feed-forward", dark, "top")


def direction_plot(growth, dark=False):
    """Mean cosine between a token's vector before and after each block."""
    L = len(growth.cosine)
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": np.arange(1, L + 1),
        "y": growth.cosine,
        "line": {"color": plots.colour("stream", dark), "width": 3},
        "marker": {"size": 11},
        "hovertemplate": "block %{x}: %{y:.3f}<extra></extra>",
    }
    low = min(0.0, float(growth.cosine.min())) - 0.05
    y = {"title": "cosine, before and after the block", "range": [low, 1.05]}
    return plots.chart([trace], row_axis(L, first=1), y, dark)


def row_axis(L, first=0):
    """The axis of the stream's rows, from `first` (0 the embedding) to after block L."""
    start = "embedding" if L <= 4 else "embed-<br>ding"  # on a phone it must not run into the 1
    names = [start, *map(str, range(1, L + 1))]
    ticks = list(range(first, L + 1))
    shown = {"tickvals": ticks, "ticktext": [names[i] for i in ticks], "tickangle": 0}
    return {"title": "block", "range": [first - 0.5, L + 0.5], **shown}


def what_was_read(tokens, kind, marked=True):
    """Over which tokens the means are.  kind: "40 stories" of ours, or None for the reader's text.

    marked: whether a marker stands before every text.
    """
    what = f"our {kind}" if kind else "this text"
    included = ", the marker at the start included" if marked else ""
    return f"Means over {counted(tokens, 'token')} of {what}{included}."


def added_sentence(growth):
    """How far the stream grows, and which part adds most."""
    first, last = growth.length[0], growth.length[-1]
    times = f"{'' if last >= first else 'only '}{figure(last / first, 2)} times as long"
    start = f"On average a vector enters with a length of {figure(first)} and leaves {times}, {figure(last)}."
    both = np.stack((growth.attention_added, growth.feed_forward_added))
    part, block = np.unravel_index(both.argmax(), both.shape)
    name = ("attention", "the feed-forward layer")[part]
    share = both[part, block] / growth.length[block]
    most = (
        f"The largest addition is {name}'s in block {block + 1}: {figure(both[part, block])}, "
        f"{figure(share, 2)} times the length of what entered the block."
    )
    return f"{start} {most} {_which_adds_more(growth.feed_forward_added > growth.attention_added)}"


def _which_adds_more(feed_forward):
    """In how many blocks the feed-forward layer adds more than attention.  (L,) bool"""
    L, more = len(feed_forward), int(feed_forward.sum())
    if L == 1:
        return f"The feed-forward layer adds {'more than' if more else 'no more than'} attention."
    if more in (0, L):
        return f"In every block the feed-forward layer adds {'more' if more else 'no more'} than attention."
    return f"The feed-forward layer adds more than attention in {more} of {L} blocks."


def numbers_sentence(growth, label):
    """The largest number, where it stands, and whether float16 could hold it.

    label: the token that holds it, in Markdown.
    """
    row = int(growth.largest.argmax())
    top = float(growth.largest[row])
    dimension = int(growth.place[row, 2])
    where = "in the embedding" if row == 0 else f"after block {row}"
    room = (
        f"float16 holds numbers up to 65,504, {figure(FLOAT16_LARGEST / top, 2)} times as much"
        if top <= FLOAT16_LARGEST
        else "float16, which ends at 65,504, could not hold it"
    )
    place = f"{where}, at the token {label}, in dimension {dimension}"
    at = f"The largest number, {figure(top)}, stands {place}; {room}."
    return f"{at}{_usual_dimension(growth.held[row], dimension)}"


def _usual_dimension(held, dimension):
    """Whether the other tokens have their largest number in the same dimension, or nothing to say ("").

    held (d,): for how many tokens each dimension holds the largest number.
    """
    tokens, here = int(held.sum()), int(held[dimension])
    if tokens == 1:
        return ""
    if here == held.max():
        return f" In that row the same dimension holds the largest number of {here:,} of {tokens:,} tokens."
    most = int(held.argmax())
    return (
        f" For most of the others it is not there: in that row dimension {dimension} holds the largest "
        f"number of {here:,} of {tokens:,} tokens, dimension {most} that of {int(held[most]):,}."
    )


def direction_sentence(growth):
    """Which block turns the stream most."""
    cosine = growth.cosine
    most = int(cosine.argmin())
    if len(cosine) == 1:
        first = f"The only block leaves a mean cosine of {_cosine(cosine[0])}."
    else:
        least = int(cosine.argmax())
        first = (
            f"Block {most + 1} turns the vectors most: a mean cosine of {_cosine(cosine[most])}. "
            f"Block {least + 1} turns them least: {_cosine(cosine[least])}."
        )
    if cosine[most] < 0:
        return f"{first} Below 0, a block adds more against the old direction than the stream had along it."
    return f"{first} A cosine of 1 would mean the same direction, 0 a right angle."


def _cosine(x):
    """0.5 -> "0.500 (60°)" """
    return f"{figure(float(x))} ({np.degrees(np.arccos(np.clip(x, -1, 1))):.0f}°)"
