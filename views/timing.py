"""Where the time of a forward pass goes, as a figure, a table and sentences."""

from views.numbers import figure, percent, whole
from views.plots import chart, colour
from views.tables import table

PARTS = {"attention": "Attention", "feed_forward": "Feed-forward", "output": "Output layer"}
_MARKS = {"attention": "attention", "feed_forward": "feed-forward", "output": "embedding"}
_SYMBOLS = {"attention": "circle", "feed_forward": "square", "output": "diamond"}


def beforehand(lengths):
    """What a click will do.  lengths: of the texts, in tokens."""
    read = f"texts of {lengths[0]} to {lengths[-1]} tokens"
    return f"Runs the real model on {read}, many times each: a few seconds."


def shares_figure(measured, counted, dark=False):
    """Shares of the three parts against the text's length: measured as lines, counted as dots.

    measured: [Timed]; counted: the same lengths' {part: share}.
    """
    import plotly.graph_objects as go

    lengths, traces = [one.tokens for one in measured], []
    for part, title in PARTS.items():
        ink = colour(_MARKS[part], dark)
        traces.append(
            go.Scatter(
                x=lengths,
                y=[one.shares[part] for one in measured],
                name=f"{title}, measured",
                mode="lines+markers",
                line={"color": ink, "width": 2.5},
                marker={"symbol": _SYMBOLS[part], "size": 9},
            )
        )
        traces.append(
            go.Scatter(
                x=lengths,
                y=[one[part] for one in counted],
                name=f"{title}, counted",
                mode="lines",
                line={"color": ink, "dash": "dot", "width": 1.5},
            )
        )
    for trace in traces:
        trace.customdata = [percent(y, tenths=True) for y in trace.y]
        trace.hovertemplate = f"{trace.name}<br>%{{x}} tokens<br>%{{customdata}}<extra></extra>"
    ticks = {"tickvals": lengths, "ticktext": [str(n) for n in lengths]}
    return chart(
        traces,
        {"title": "tokens in the text", "type": "log", **ticks},
        {"title": "share of the three parts", "tickformat": ".0%", "rangemode": "tozero"},
        dark,
        height=480,
    )


def times_table(measured, counted):
    """The same as a table, with the times."""
    rows = []
    for one, shares in zip(measured, counted, strict=True):
        cells = [
            (_time(one.seconds[part]), f"{percent(one.shares[part])}, counted {percent(shares[part])}")
            for part in PARTS
        ]
        rows.append([whole(one.tokens), *cells, _time(one.whole)])
    head = ["tokens", *PARTS.values(), "whole pass"]
    return table("Processor time of one pass", head, rows, numeric=range(1, 5))


def _time(seconds):
    return f"{1000 * seconds:.2f} ms"


def growth(measured):
    """How much longer each part takes for the longest text than for the shortest, in a sentence."""
    first, last = measured[0], measured[-1]
    grown = {part: figure(last.seconds[part] / first.seconds[part]) for part in PARTS}
    return (
        f"From {first.tokens} to {last.tokens} tokens, {figure(last.tokens / first.tokens)} times as many, "
        f"attention takes {grown['attention']} times as long, the feed-forward layers "
        f"{grown['feed_forward']} times and the output layer {grown['output']} times."
    )


WHY = (
    "Only attention compares every token with every earlier one: its scores and its weighted sums grow with "
    "the square of the length, its four matrices, like all others, with the length. What the counts leave "
    "out takes time too: copying numbers, norms, the softmax, and the fixed cost of starting each operation, "
    "which weighs most on short texts."
)
