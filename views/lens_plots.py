"""Curves of the logit lens."""

from views import plots
from views.numbers import percent

LINES = (("mean top probability", "solid", "circle"), ("share right", "dash", "square"))


def confidence(names, measured, dark=False):
    """By row: mean top probability (lines) and share of right answers (dashed).

    measured: {what was read: (2, R) as engine.lens.confidence gives it}; a Plotly figure.
    """
    import plotly.graph_objects as go

    colours = [plots.colour("embedding", dark), plots.colour("feed-forward", dark)]
    traces = []
    for colour, (where, pair) in zip(colours, measured.items(), strict=False):
        for values, (what, dash, symbol) in zip(pair, LINES, strict=True):
            traces.append(
                go.Scatter(
                    x=list(range(len(names))),
                    y=[100 * float(v) for v in values],
                    mode="lines+markers",
                    name=f"{what}, {where}",
                    line={"color": colour, "dash": dash},
                    marker={"symbol": symbol},
                    customdata=[percent(float(v)) for v in values],
                    hovertemplate=f"%{{x}}: %{{customdata}}<extra>{what}, {where}</extra>",
                )
            )
    ticks = [*(_brief(name) for name in names[:-1]), "output"]
    within = "; a: within it, after attention" if any(tick.endswith("a") for tick in ticks) else ""
    x = {"title": f"after block{within}", "tickvals": list(range(len(names))), "ticktext": ticks}
    y = {"title": "%", "range": [-2, 102]}
    return plots.chart(traces, x, y, dark)


def _brief(name):
    """A row's name as there is room for it below the axis: "3" after block 3, "3a" within it."""
    if name.endswith(", after attention"):
        return name.removeprefix("block ").replace(", after attention", "a")
    return name.removeprefix("after block ")
