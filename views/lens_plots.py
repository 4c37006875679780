"""Curves and figures of the logit lens."""

from engine.lens import row_names
from views import marks, plots
from views.numbers import exact, percent

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


def heatmap(model, ids, lens, within=False):
    """The grid as a Plotly figure, in Plotly's own JSON as a dict.  Columns are places, never labels."""
    label = model.tokenizer.label
    names = row_names(model.architecture.n_layer, within)
    heads = [f"{t} {plots.escape(label(i))}" for t, i in enumerate(ids)]

    def hover(r, t):
        lines = (
            f"{plots.escape(label(i))} (id {i}): {exact(float(p))}"
            for i, p in zip(lens.ids[r, t], lens.probabilities[r, t], strict=True)
        )
        return "<br>".join((f"<b>{names[r]}, position {t}</b>", *lines))

    rows, columns = range(len(names)), range(len(ids))
    return {
        "data": [
            {
                "type": "heatmap",
                "zmin": 0,
                "zmax": 1,
                "xgap": 1,
                "ygap": 1,
                "z": lens.probabilities[:, :, 0].tolist(),
                "text": [[plots.escape(label(lens.ids[r, t, 0])) for t in columns] for r in rows],
                "hovertext": [[hover(r, t) for t in columns] for r in rows],
                "texttemplate": "%{text}",
                "hovertemplate": "%{hovertext}<extra></extra>",
                "colorscale": marks.scale(),
            }
        ],
        "layout": {
            "title": {"text": f"Logit lens of {model.title}: the top candidate and its probability"},
            "width": max(700, 62 * len(ids) + 200),
            "height": 46 * len(names) + 160,
            "xaxis": {"tickvals": list(columns), "ticktext": heads, "side": "top"},
            "yaxis": {"tickvals": list(rows), "ticktext": list(names), "autorange": "reversed"},
        },
    }
