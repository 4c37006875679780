"""What the residual-stream page shows, and the sentences that its measurement makes true."""

import numpy as np

from engine.stream import FLOAT16_LARGEST
from views import plots
from views.numbers import figure, percent, whole

# Reported for the original weights, which differ from ours; None: not told.
ORIGINALS = {
    "gpt-4": "Reported for the original gpt-4, on its own held-out texts: a root mean square of 0.18 after "
    "the embedding, about 10 after block 1 and about 35 after block 4.",
    "store": "Reported for the original weights, on one product: entering 1.17; blocks 1 to 4: attention "
    "adds 2.90, 2.05, 2.26, 4.08, the feed-forward layer 3.00, 2.90, 4.12, 6.33, the stream is then 4.65, "
    "6.14, 8.46, 13.16 long; the largest number 50.6.",
}  # fmt: skip


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
            "type": "bar", "x": at[1:], "y": values, "name": name, "offsetgroup": mark,
            "marker": {"color": plots.colour(mark, dark), "pattern": {"shape": shape}},
            "hovertemplate": "block %{x}: %{y:.3f}<extra></extra>",
        }
        for values, name, mark, shape in (
            (growth.attention_added, "what attention adds", "attention", ""),
            (growth.feed_forward_added, "what the feed-forward layer adds", "feed-forward", "/"),
        )
    ]  # fmt: skip
    traces.append(
        {
            "type": "scatter", "mode": "lines+markers", "x": at, "y": growth.length,
            "name": "the stream after both",
            "line": {"color": plots.colour("stream", dark), "width": 4}, "marker": {"size": 9},
            "hovertemplate": "%{y:.3f}<extra></extra>",
        }
    )  # fmt: skip
    return plots.chart(traces, row_axis(L), "mean length of the vectors", dark)


def numbers_plot(growth, dark=False):
    """Root mean square and largest number, on a logarithmic axis with the float16 limit."""
    L = len(growth.cosine)
    at = np.arange(L + 1)
    traces = [
        {
            "type": "scatter", "mode": "lines+markers", "x": at, "y": values, "name": name,
            "line": {"color": plots.colour(mark, dark), "width": 3}, "marker": {"size": 10, "symbol": symbol},
            "hovertemplate": "%{y:,.4g}<extra></extra>",
        }
        for values, name, mark, symbol in (
            (growth.largest, "largest number", "accent", "diamond"),
            (growth.rms, "root mean square", "stream", "circle"),
        )
    ]  # fmt: skip
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
        "type": "scatter", "mode": "lines+markers", "x": np.arange(1, L + 1), "y": growth.cosine,
        "line": {"color": plots.colour("stream", dark), "width": 3}, "marker": {"size": 11},
        "hovertemplate": "block %{x}: %{y:.3f}<extra></extra>",
    }  # fmt: skip
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


def added_sentence(growth):
    """How far the stream grows, and which part adds most."""
    L = len(growth.cosine)
    first, last = growth.length[0], growth.length[-1]
    change = (
        f"{figure(last / first, 2)} times as long"
        if last >= first
        else f"only {figure(last / first, 2)} times as long"
    )
    start = f"A vector enters with a length of {figure(first)} and leaves {change}, {figure(last)}."
    both = np.stack((growth.attention_added, growth.feed_forward_added))
    part, block = np.unravel_index(both.argmax(), both.shape)
    name = ("attention", "the feed-forward layer")[part]
    share = both[part, block] / growth.length[block]
    most = (
        f"The largest addition is {name}'s in block {block + 1}: {figure(both[part, block])}, "
        f"{figure(share, 2)} times the length of what entered the block."
    )
    more = int((growth.feed_forward_added > growth.attention_added).sum())
    compare = {0: "Attention adds more than the feed-forward layer in every block.", L: (
        "The feed-forward layer adds more than attention in every block."
    )}.get(more, f"The feed-forward layer adds more than attention in {more} of {L} blocks.")  # fmt: skip
    if L == 1:
        compare = compare.replace(" in every block", "")
    return f"{start} {most} {compare}"


def numbers_sentence(growth, label):
    """The largest number, where it stands, and whether float16 could hold it.

    label: the token that holds it, in Markdown.
    """
    row = int(growth.largest.argmax())
    top = float(growth.largest[row])
    _, _, dimension = growth.place[row]
    where = "in the embedding" if row == 0 else f"after block {row}"
    held = growth.held[row]
    usual = int(held.argmax())
    share = held[usual] / held.sum()
    room = (
        f"float16 holds numbers up to 65,504, {figure(FLOAT16_LARGEST / top, 2)} times as much"
        if top <= FLOAT16_LARGEST
        else "float16, which ends at 65,504, could not hold it"
    )
    place = f"{where}, at the token {label}, in dimension {dimension}"
    at = f"The largest number, {figure(top)}, stands {place}; {room}."
    if usual == dimension:
        return (
            f"{at} In that row the same dimension holds the largest number of {percent(share)} of the tokens."
        )
    return (
        f"{at} That is one token's: in that row, dimension {usual} holds the largest number most often, for "
        f"{percent(share)} of the tokens."
    )


def direction_sentence(growth):
    """Which block turns the stream most."""
    cosine = growth.cosine
    most = int(cosine.argmin())
    turn = np.degrees(np.arccos(np.clip(cosine[most], -1, 1)))
    if len(cosine) == 1:
        first = f"The only block turns the vectors by about {turn:.0f}° (cosine {figure(float(cosine[0]))})."
    else:
        least = int(cosine.argmax())
        first = (
            f"Block {most + 1} turns the vectors most, by about {turn:.0f}° (cosine "
            f"{figure(float(cosine[most]))}); block {least + 1} least (cosine "
            f"{figure(float(cosine[least]))})."
        )
    if cosine[most] < 0:
        return f"{first} Below 0, a block adds more against the old direction than the stream had along it."
    if cosine.min() > 0.9:
        return f"{first} All cosines are above 0.9: each block adds little to what is there already."
    return f"{first} A cosine of 1 would mean the same direction, 0 a right angle."
