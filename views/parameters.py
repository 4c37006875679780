"""Counts of parameters as figures, tables and sentences."""

import csv
import io

from engine.counting import count_parameters, doubled
from views import marks
from views.numbers import figure, short, whole
from views.tables import table

PART_MARKS = {
    "embedding": "embedding", "positions": "embedding", "attention": "attention",
    "feed_forward": "feed-forward", "norms": "norm", "output": "embedding",
}  # fmt: skip
_HATCHES = {"positions": "/", "output": "\\"}  # parts that share a colour differ in their pattern

CSS = """
.figures { padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem 2.4rem; margin: 0.2rem 0 0.4rem; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.figures dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.figures div:first-child dd { font-size: 1.9rem; line-height: 1.2; }
.figures dt { opacity: 0.8; font-size: 0.85rem; }
"""


def share(part, whole_number):
    """A share with one decimal, since shares are compared: "80.0 %"."""
    if 0 < part < 0.001 * whole_number:
        return "< 0.1 %"
    return f"{100 * part / whole_number:.1f} %"


def figures(counted):
    """The few numbers that matter most, as an HTML list."""
    tied = counted.architecture.tied
    shown = (
        (f"parameters, {short(counted.total)}", whole(counted.total)),
        (
            "embedding share" if tied else "share of embedding and output",
            f"{100 * counted.embedding_share:.1f} %",
        ),
        ("one block", whole(counted.per_block)),
        ("saved by tying" if tied else "tying would save", whole(counted.tying_saves)),
    )
    pairs = "".join(f"<div><dt>{title}</dt><dd>{value}</dd></div>" for title, value in shown)
    return f'<dl class="figures">{pairs}</dl>'


def treemap(counted, dark=False):
    """The whole model as one area, parts and matrices by their size, as a Plotly figure."""
    import plotly.graph_objects as go

    ids, labels, parents, values = ["all"], ["the whole model"], [""], [counted.total]
    colours, hover = ["rgba(128, 128, 128, 0.15)"], [whole(counted.total)]
    paper = "#15161a" if dark else "#ffffff"
    for part in counted.parts:
        colour = marks.BY_NAME[PART_MARKS[part.id]][dark]
        for one, above in ((part, "all"), *((row, part.id) for row in part.rows if len(part.rows) > 1)):
            ids.append(one.id)
            labels.append(one.title)
            parents.append(above)
            values.append(one.count)
            colours.append(colour)
            hover.append(f"{one.formula}<br>= {one.filled}<br>= {whole(one.count)}")
    drawn = go.Treemap(
        ids=ids, labels=labels, parents=parents, values=values, branchvalues="total", customdata=hover,
        marker={"colors": colours, "line": {"width": 1, "color": paper}},
        texttemplate="%{label}<br>%{value:,}<br>%{percentRoot:.1%}", sort=False,
        hovertemplate="%{label}<br>%{customdata}<extra></extra>", maxdepth=3, tiling={"pad": 2},
        textfont={"color": [marks.STREAM[dark], *[paper] * (len(ids) - 1)], "size": 14},
        pathbar={"visible": True, "thickness": 28},
    )  # fmt: skip
    picture = go.Figure(drawn)
    picture.update_layout(margin={"l": 0, "r": 0, "t": 30, "b": 0}, height=400)
    return picture


def bars(named, dark=False, as_shares=False):
    """Several models as stacked bars.  named: {title: Table}."""
    import plotly.graph_objects as go

    picture = go.Figure()
    ids = [part for part in PART_MARKS if any(part in counted for counted in named.values())]
    for part_id in ids:
        counts = [counted[part_id].count if part_id in counted else 0 for counted in named.values()]
        title = next(counted[part_id].title for counted in named.values() if part_id in counted)
        sizes = [n / counted.total for n, counted in zip(counts, named.values(), strict=True)]
        picture.add_bar(
            x=sizes if as_shares else counts, y=list(range(len(named))), name=title, orientation="h",
            marker={
                "color": marks.BY_NAME[PART_MARKS[part_id]][dark],
                "pattern": {"shape": _HATCHES.get(part_id, "")},
            },
            customdata=[[n, f"{100 * s:.1f} %"] for n, s in zip(counts, sizes, strict=True)],
            hovertemplate=title + "<br>%{customdata[0]:,}<br>%{customdata[1]}<extra></extra>",
        )  # fmt: skip
    picture.update_layout(
        barmode="stack", height=130 + 70 * len(named), margin={"l": 10, "r": 20, "t": 40, "b": 40},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        yaxis={"tickvals": list(range(len(named))), "ticktext": list(named), "autorange": "reversed"},
        xaxis={"title": "share of the parameters" if as_shares else "parameters",
               "tickformat": ".0%" if as_shares else "~s"},
    )  # fmt: skip
    return picture


def in_words(counted):
    """What the figure shows, for those who do not see it."""
    shares = ", ".join(f"{part.title} {share(part.count, counted.total)}" for part in counted.parts)
    return f"{whole(counted.total)} parameters: {shares}."


def parts_table(counted):
    """Every part with its formula, the numbers filled in, the count and the share, down to the total."""
    rows = [
        [part.title, (part.formula, part.filled), whole(part.count), share(part.count, counted.total)]
        for part in counted.parts
    ]
    return table(
        "By part", ["part", "formula", "parameters", "share"], rows, numeric=(2, 3),
        foot=["Total", "", whole(counted.total), "100 %"], marks=[PART_MARKS[p.id] for p in counted.parts],
    )  # fmt: skip


def rows_table(counted):
    """Every matrix and vector: its shape, how many of them, and the sum."""
    rows = [
        [
            row.title, " × ".join(whole(n) for n in row.shape), (row.formula, row.filled), whole(row.each),
            whole(row.copies), whole(row.count), share(row.count, counted.total),
        ]
        for row in counted.rows
    ]  # fmt: skip
    return table(
        "By matrix, in the order of the forward pass",
        ["matrix", "shape", "formula", "each", "times", "parameters", "share"],
        rows, numeric=(3, 4, 5, 6), marks=[PART_MARKS[row.part] for row in counted.rows],
        foot=["Total", "", "", "", "", whole(counted.total), "100 %"],
    )  # fmt: skip


def doubling_table(counted):
    """What happens to each part when d and F are doubled."""
    twice = count_parameters(doubled(counted.architecture))
    pairs = [(part.title, part.count, twice[part.id].count) for part in counted.parts]
    blocks = ("All blocks together", counted.blocks, twice.blocks)
    rows = [[title, whole(a), whole(b), f"× {b / a:.2f}"] for title, a, b in (*pairs, blocks)]
    return table(
        "Doubling d and F", ["part", "now", "doubled", "factor"], rows, numeric=(1, 2, 3),
        foot=["Total", whole(counted.total), whole(twice.total), f"× {twice.total / counted.total:.2f}"],
        marks=[*(PART_MARKS[part.id] for part in counted.parts), None],
    )  # fmt: skip


def comparison_table(named):
    """Two models part by part.  named: {title: Table}."""
    (one, first), (two, second) = named.items()
    rows, dots = [], []
    for part_id, mark in PART_MARKS.items():
        if part_id not in first and part_id not in second:
            continue
        counts = [counted[part_id].count if part_id in counted else 0 for counted in (first, second)]
        title = (first if part_id in first else second)[part_id].title
        rows.append([
            title,
            *((whole(n), share(n, c.total)) for n, c in zip(counts, (first, second), strict=True)),
            _ratio(*counts),
        ])  # fmt: skip
        dots.append(mark)
    return table(
        "Part by part", ["part", one, two, "second / first"], rows, numeric=(1, 2, 3), marks=dots,
        foot=["Total", whole(first.total), whole(second.total), _ratio(first.total, second.total)],
    )  # fmt: skip


def _ratio(first, second):
    return f"× {figure(second / first)}" if first else "–"


def notice(counted):
    """What to notice about one count."""
    a = counted.architecture
    parts = sorted(counted.parts, key=lambda part: -part.count)
    sentences = [
        f"The largest part is {parts[0].title.lower()}, {share(parts[0].count, counted.total)} of the whole."
    ]
    each = counted["attention"].per_block, counted["feed_forward"].per_block
    sentences.append(
        f"In a block, the feed-forward layer holds {figure(each[1] / each[0])} times what attention holds."
    )
    if a.tied:
        sentences.append(
            f"The embedding is counted once because it is also the output layer; a separate output matrix "
            f"would make it {whole(counted.total + counted.tying_saves)}."
        )
    else:
        sentences.append(
            f"Input and output have a matrix each; sharing one would leave "
            f"{whole(counted.total - counted.tying_saves)}."
        )
    if a.kv_heads != a.n_head:
        saved = 2 * a.n_layer * a.d_model * (a.n_head - a.kv_heads) * a.width_of_head
        sentences.append(
            f"{a.n_head} query heads share {a.kv_heads} key/value heads: with one for each query head, the "
            f"key and value matrices would hold {whole(saved)} more."
        )
    return sentences


def as_csv(counted):
    """Every matrix as CSV, with the total last."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["part", "matrix", "shape", "times", "formula", "filled in", "parameters"])
    for row in counted.rows:
        shape = " x ".join(map(str, row.shape))
        writer.writerow([row.part, row.title, shape, row.copies, row.formula, row.filled, row.count])
    writer.writerow(["total", "", "", "", "", "", counted.total])
    return out.getvalue()
