"""Counts of parameters as figures and tables; the sentences are in views/parameters_words.py."""

from engine import counting
from views import config_words
from views.columns import csv_text
from views.numbers import figure, percent, short, whole
from views.plots import chart, colour
from views.tables import lowered, table

PART_MARKS = {
    "embedding": "embedding", "positions": "embedding", "attention": "attention",
    "feed_forward": "feed-forward", "experts": "feed-forward", "norms": "norm", "output": "embedding",
}  # fmt: skip
_HATCHES = {
    "positions": "/",
    "output": "\\",
    "experts": "x",
}  # parts that share a colour differ in their pattern

CSS = """
dl.figures.figures { display: flex; flex-wrap: wrap; gap: 0.4rem 2.4rem; padding: 0; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.figures div dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
.figures div:first-child dd { font-size: 1.9rem; line-height: 1.2; }
.figures dt { opacity: 0.8; font-size: 0.85rem; }
"""


def share(part, whole_number):
    """A share with one decimal, since shares are compared: "80.0 %"."""
    return percent(part / whole_number, tenths=True)


def figures(counted):
    """The few numbers that matter most, as an HTML list."""
    a = counted.architecture
    alone = "output" not in counted or (a.tied and a.tokens_scored)
    shown = [
        (f"parameters, {short(counted.total)}", whole(counted.total)),
        (
            "embedding share" if alone else "share of embedding and output",
            percent(counted.embedding_share, tenths=True),
        ),
        ("one block with experts" if a.n_dense and a.n_expert else "one block", whole(counted.per_block)),
    ]
    if a.n_expert:
        shown.insert(1, (f"work for one token, {short(counted.active)}", whole(counted.active)))
    if a.tokens_scored:
        shown.append(("saved by tying" if a.tied else "tying would save", whole(counted.tying_saves)))
    pairs = "".join(f"<div><dt>{title}</dt><dd>{value}</dd></div>" for title, value in shown)
    return f'<dl class="figures">{pairs}</dl>'


def treemap(counted, dark=False):
    """The whole model as one area, parts and matrices by their size, as a Plotly figure."""
    import plotly.graph_objects as go

    ids, labels, parents, values = ["all"], ["the whole model"], [""], [counted.total]
    shares = [share(counted.total, counted.total)]
    colours, hover = ["rgba(128, 128, 128, 0.15)"], [whole(counted.total)]
    paper = "#15161a" if dark else "#ffffff"
    for part in counted.parts:
        area = colour(PART_MARKS[part.id], dark)
        for one, above in ((part, "all"), *((row, part.id) for row in part.rows if len(part.rows) > 1)):
            ids.append(one.id)
            labels.append(lowered(one.title))
            parents.append(above)
            values.append(one.count)
            shares.append(share(one.count, counted.total))
            colours.append(area)
            hover.append(f"{one.formula}<br>= {one.filled}<br>= {whole(one.count)}")
    drawn = go.Treemap(
        ids=ids,
        labels=labels,
        parents=parents,
        values=values,
        branchvalues="total",
        customdata=hover,
        text=shares,
        marker={"colors": colours, "line": {"width": 1, "color": paper}},
        texttemplate="%{label}<br>%{value:,}<br>%{text}",
        sort=False,
        hovertemplate="%{label}<br>%{customdata}<extra></extra>",
        maxdepth=3,
        tiling={"pad": 2},
        textfont={"color": [colour("stream", dark), *[paper] * (len(ids) - 1)], "size": 14},
        pathbar={"visible": True, "thickness": 28},
    )
    picture = go.Figure(drawn)
    picture.update_layout(
        margin={"l": 0, "r": 0, "t": 30, "b": 0}, height=400, uniformtext={"minsize": 10, "mode": "hide"}
    )
    return picture


def bars(named, dark=False, as_shares=False):
    """Several models as stacked bars.  named: {title: Table}."""
    import plotly.graph_objects as go

    models, traces = list(named.values()), []
    for part_id in [part for part in PART_MARKS if any(part in counted for counted in models)]:
        counts = [counted[part_id].count if part_id in counted else 0 for counted in models]
        title = next(counted[part_id].title for counted in models if part_id in counted)
        sizes = [n / counted.total for n, counted in zip(counts, models, strict=True)]
        traces.append(
            go.Bar(
                x=sizes if as_shares else counts,
                y=list(range(len(named))),
                name=title,
                orientation="h",
                marker={
                    "color": colour(PART_MARKS[part_id], dark),
                    "pattern": {"shape": _HATCHES.get(part_id, "")},
                },
                customdata=[[n, share(n, c.total)] for n, c in zip(counts, models, strict=True)],
                hovertemplate=title + "<br>%{customdata[0]:,}<br>%{customdata[1]}<extra></extra>",
            )
        )
    return chart(
        traces,
        {"title": "share of the parameters", "tickformat": ".0%"} if as_shares else "parameters",
        {"tickvals": list(range(len(named))), "ticktext": list(named), "autorange": "reversed"},
        dark,
        height=150 + 70 * len(named),
        barmode="stack",
        legend_traceorder="normal",
    )


def parts_table(counted):
    """Every part with its formula, the numbers filled in, the count and the share, down to the total."""
    rows = [
        [part.title, whole(part.count), share(part.count, counted.total), (part.formula, part.filled)]
        for part in counted.parts
    ]
    return table(
        "By part",
        ["part", "parameters", "share", "formula"],
        rows,
        numeric=(1, 2),
        foot=["Total", whole(counted.total), "100 %", ""],
        marks=[PART_MARKS[p.id] for p in counted.parts],
    )


def rows_table(counted):
    """Every matrix and vector: its shape, how many of them, and the sum."""
    rows = [
        [
            row.title,
            whole(row.count),
            share(row.count, counted.total),
            whole(row.each),
            whole(row.copies),
            " × ".join(whole(n) for n in row.shape),
            (row.formula, row.filled),
        ]
        for row in counted.rows
    ]
    return table(
        "By matrix, in the order of the forward pass",
        ["matrix", "parameters", "share", "each", "times", "shape", "formula"],
        rows,
        numeric=(1, 2, 3, 4),
        marks=[PART_MARKS[row.part] for row in counted.rows],
        foot=["Total", whole(counted.total), "100 %", "", "", "", ""],
    )


def doubling_table(counted):
    """What happens to each part when d and F are doubled."""
    twice = counting.twice(counted)
    pairs = [(part.title, part.count, twice[part.id].count) for part in counted.parts]
    blocks = ("All blocks together", counted.blocks, twice.blocks)
    rows = [[title, whole(a), whole(b), f"× {factor(b, a)}"] for title, a, b in (*pairs, blocks)]
    return table(
        "Doubling d and F",
        ["part", "now", "doubled", "factor"],
        rows,
        numeric=(1, 2, 3),
        foot=["Total", whole(counted.total), whole(twice.total), f"× {factor(twice.total, counted.total)}"],
        marks=[*(PART_MARKS[part.id] for part in counted.parts), None],
    )


def comparison_table(named):
    """Two models part by part.  named: {title: Table}."""
    (one, first), (two, second) = named.items()
    rows, dots = [], []
    for part_id, mark in PART_MARKS.items():
        if part_id not in first and part_id not in second:
            continue
        counts = [counted[part_id].count if part_id in counted else 0 for counted in (first, second)]
        title = (first if part_id in first else second)[part_id].title
        rows.append(
            [
                title,
                *((whole(n), share(n, c.total)) for n, c in zip(counts, (first, second), strict=True)),
                _ratio(*counts),
            ]
        )
        dots.append(mark)
    return table(
        "Part by part",
        ["part", one, two, "second / first"],
        rows,
        numeric=(1, 2, 3),
        marks=dots,
        foot=["Total", whole(first.total), whole(second.total), _ratio(first.total, second.total)],
    )


def _ratio(first, second):
    return f"× {factor(second, first)}" if first else "–"


def factor(b, a):
    """How many times a goes into b: a whole number only where it is one, else with digits that show it."""
    if b % a == 0:
        return whole(b // a)
    nearest = round(b / a)
    close = f"just {'over' if b > nearest * a else 'under'} {whole(nearest)}"
    return next(
        (said for said in (figure(b / a, digits) for digits in range(3, 9)) if not _is_whole(said)), close
    )


def _is_whole(said):
    return not said.partition(".")[2].strip("0") and "×" not in said


def as_csv(counted):
    """Every matrix as CSV, with the total last."""
    rows = counted.rows
    columns = {
        "part": [row.part for row in rows],
        "matrix": [row.title for row in rows],
        "shape": [" x ".join(map(str, row.shape)) for row in rows],
        "times": [row.copies for row in rows],
        "formula": [row.formula for row in rows],
        "filled in": [row.filled for row in rows],
        "parameters": [row.count for row in rows],
        "for one token": [row.active for row in rows],
    }
    last = ["total", "", "", "", "", "", counted.total, counted.active]
    return csv_text({key: [*values, end] for (key, values), end in zip(columns.items(), last, strict=True)})


def checks_table(checks):
    """The tensors in a file beside the rows of the count."""
    rows = [
        [
            (one.title, one.example + (f" and {one.tensors - 1} more" if one.tensors > 1 else "")),
            whole(one.in_file),
            whole(one.counted),
            _equal(one.agrees),
        ]
        for one in checks
    ]
    found, counted = sum(one.in_file for one in checks), sum(one.counted for one in checks)
    return table(
        "The tensors in the file, and the formula",
        ["part", "in the file", "by the formula", ""],
        rows,
        numeric=(1, 2),
        marks=[PART_MARKS.get(one.part) for one in checks],
        foot=["Total", whole(found), whole(counted), _equal(found == counted)],
    )


def _equal(agrees):
    return "equal" if agrees else "NOT EQUAL"


def lines_table(reading):
    """A config.json, line by line."""
    rows = [
        [one.key, one.value, config_words.meaning(one, reading.architecture), one.effect]
        for one in reading.lines
    ]
    return table("The file, line by line", ["line", "value", "meaning", "for the count"], rows, quoted=(0, 1))
