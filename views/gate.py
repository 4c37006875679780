"""What the gate page shows, and the sentences that its measurement makes true."""

import math
from html import escape

import numpy as np

from engine import gate
from views import plots
from views.numbers import figure, form, percent, probability, whole

CURVES = {
    "silu": (gate.silu, "silu, the gate of our models", "feed-forward", "solid", 4),
    "relu": (gate.relu, "ReLU, the first transformer's", "norm", "dash", 2),
    "gelu": (gate.gelu, "GELU; GPT-2's formula is within 0.001", "embedding", "dot", 2),
}
# Where silu crosses −0.05, 0.05 and, coming from far below, −0.05: rounded outwards.
SHUT_SCORES = (-0.11, 0.10, -4.48)
AROUND = 9  # tokens shown before and after the one that drives a unit


def curve_plot(a, dark=False):
    """silu beside ReLU and GELU, with a point at a -> (figure, columns)."""
    x, hover = np.round(np.linspace(-6, 6, 241), 2), "%{x:.2f} → %{y:.3f}"
    columns = {"a": x} | {name: function(x) for name, (function, *_) in CURVES.items()}
    traces = []
    for name, (_, title, mark, dash, width) in CURVES.items():
        look = {"color": plots.colour(mark, dark), "dash": dash, "width": width}
        traces.append(plots.scatter("lines", x, columns[name], title, hover, line=look))
    traces.append(plots.chosen([a], [float(gate.silu(a))], "your point", hover, dark))
    look = {"color": plots.colour("feed-forward", dark), "size": 11, "symbol": "triangle-down"}
    lowest = [gate.LOWEST_AT], [gate.LOWEST]
    traces.append(plots.scatter("markers", *lowest, "silu's lowest", hover, marker=look))
    return plots.chart(traces, "a", "function of a", dark), columns


def curve_table(a):
    """The three functions at −3, 0, 3 and the reader's point: {heading: values}."""
    points = (-3.0, 0.0, 3.0, a)
    return {"a": [_signed(x, 1) for x in points]} | {
        name: [_signed(float(function(x)), 3) for x in points] for name, (function, *_) in CURVES.items()
    }


def _signed(x, places):
    """Two decimals with a true minus; never −0.00."""
    shown = f"{x:.{places}f}"
    return shown.replace("-", "−") if float(shown) else f"{0:.{places}f}"


def curve_sentence(a):
    """What a gate of silu(a) does to the value it multiplies.  a: a score, rounded to tenths."""
    s = float(gate.silu(a))
    if s == 0:
        return "At 0.0, silu is 0: nothing of the value is passed on."
    size = f"{percent(abs(s))} of" if abs(s) < 1 else f"{figure(abs(s))} times"
    turned = ", with its sign turned" if s < 0 else ""
    what = f"At {_signed(a, 1)}, silu is {figure(s)}: the value is passed on at {size} its size{turned}."
    return f"{what} {_beside_relu(a, s)}{_where_shut(a, s)}"


def _beside_relu(a, s):
    if a > 0:
        return f"ReLU would give {_signed(a, 1)} here; silu is {probability(s / a)} of that."
    return (
        "ReLU is exactly 0 here and would pass no gradient back. silu's lowest is "
        f"{_signed(gate.LOWEST, 2)}, at {_signed(gate.LOWEST_AT, 2)}."
    )


def _where_shut(a, s):
    """That this gate counts as nearly shut, and why, or nothing to say ("")."""
    if abs(s) >= gate.NEARLY_SHUT:
        return ""
    why = "the score is near 0" if a > gate.LOWEST_AT else "the score is far below 0"
    return f" Below 0.05 in size, this page calls the gate nearly shut: {why}."


def units_plot(gates, values, dark=False):
    """Gate, value and product of every unit, sorted by the product -> (figure, columns).

    gates, values: (F,), of one token and block.
    """
    product = gates * values
    order = np.argsort(-product, kind="stable")
    columns = {"unit": order, "gate": gates[order], "value": values[order], "product": product[order]}
    traces = [
        _units(columns, name, mode, mark, symbol, dark)
        for name, mode, mark, symbol in (
            ("value", "markers", "embedding", "circle-open"),
            ("gate", "markers", "feed-forward", "circle"),
            ("product", "lines", "stream", "circle"),
        )
    ]
    return plots.chart(traces, "hidden units, sorted by their product", "value", dark), columns


def _units(columns, name, mode, mark, symbol, dark):
    """One of the columns, by the units' rank."""
    shade, rank = plots.colour(mark, dark), np.arange(len(columns["unit"]))
    look = {"line": {"color": shade, "width": 4}, "marker": {"color": shade, "size": 5, "symbol": symbol}}
    hover = "unit %{customdata}: %{y:.4f}"
    return plots.scatter(mode, rank, columns[name], name, hover, customdata=columns["unit"], **look)


def active_table(gates, values, k=8):
    """The most active units of one token: {heading: values}."""
    order = gate.most_active(gates * values, k)
    return {
        "unit": [str(unit) for unit in order],
        "gate": [_signed(float(gates[unit]), 3) for unit in order],
        "value": [_signed(float(values[unit]), 3) for unit in order],
        "product": [_signed(float(gates[unit] * values[unit]), 3) for unit in order],
    }


def units_sentence(gates, values):
    """How few units do most of the work at this token."""
    product = np.abs(gates * values)
    total = float(product.sum())
    shut = int((np.abs(gates) < gate.NEARLY_SHUT).sum())
    are = form(shut, "is", "are")
    first = (
        f"At this token, {whole(shut)} of {whole(len(gates))} gates {are} nearly shut (below 0.05 in size)."
    )
    if total == 0:
        return f"{first} All products are 0: this layer adds nothing here."
    shares = np.sort(product)[::-1].cumsum() / total
    half = int((shares < 0.5).sum()) + 1
    one = int(product.argmax())
    return (
        f"{first} Half of all that gets through, in absolute value, comes from {half} "
        f"{form(half, 'unit')} ({percent(half / len(gates))}). The most active is unit "
        f"{one}: its gate is {figure(float(gates[one]))}, its value {figure(float(values[one]))}, their "
        f"product {figure(float(gates[one] * values[one]))}."
    )


def shut_plot(shut, block, labels, dark=False):
    """Units nearly shut at each token in one block -> figure.  shut (L, T); block from 0."""
    trace = {
        "type": "bar",
        "x": np.arange(shut.shape[1]),
        "y": shut[block],
        "text": [plots.escape(label) for label in labels],
        "textposition": "none",
        "marker": {"color": plots.colour("feed-forward", dark)},
        "hovertemplate": "%{text}, position %{x}: %{y}<extra></extra>",
    }
    return plots.chart([trace], "position in the text", "units nearly shut", dark, bargap=0.15)


def shut_table(shut, units, near, far):
    """Mean, least and most a position, by block, and why: {heading: values}.

    shut (L, T); near, far (L,): how many of all have a score near 0, and far below.
    """
    return {
        "block": [str(block + 1) for block in range(len(shut))],
        "mean": [f"{row.mean():.1f}" for row in shut],
        "least": [str(row.min()) for row in shut],
        "most": [str(row.max()) for row in shut],
        f"mean share of {whole(units)}": [percent(float(row.mean()) / units) for row in shut],
        "score near 0": [whole(int(n)) for n in near],
        "score far below": [whole(int(n)) for n in far],
    }


def shut_sentence(shut, block, units):
    """How many units are nearly shut in this block, and in which block most.  shut (L, T)."""
    row, means = shut[block], shut.mean(-1)
    least, most = int(row.min()), int(row.max())
    mean = figure(float(row.mean()))
    here = (
        f"In block {block + 1}, {mean} of {whole(units)} units are nearly shut at a position on average, "
        f"from {least} to {most}."
        if least < most
        else f"In block {block + 1}, {whole(least)} of {whole(units)} units "
        f"{form(least, 'is', 'are')} nearly shut at every position."
    )
    if len(shut) == 1:
        return here
    if means[block] == means.max():
        return f"{here} In no block are there more on average."
    highest = int(means.argmax())
    return f"{here} Most are in block {highest + 1}: {figure(float(means[highest]))} on average."


def why_shut_sentence(near, far):
    """Why gates are nearly shut in this text, all blocks together.  near, far (L,) int."""
    near, far = int(near.sum()), int(far.sum())
    total = near + far
    if not total:
        return "In this text no gate is nearly shut."
    low, high, floor = (_signed(x, 2) for x in SHUT_SCORES)
    return (
        f"Of all {whole(total)} gates nearly shut in this text, {whole(near)} ({percent(near / total)}) "
        f"{form(near, 'has', 'have')} a score near 0, between {low} and {high}, and {whole(far)} "
        f"({percent(far / total)}) one below {floor}, where silu comes back to 0."
    )


def snippet(labels, token):
    """The tokens around one, as HTML with that one marked.  labels: as made by the tokenizer."""
    start, end = max(0, token - AROUND), min(len(labels), token + AROUND + 1)

    def joined(pieces):
        return escape("".join(pieces).replace("·", " "))

    before = ("… " if start else "") + joined(labels[start:token])
    after = joined(labels[token + 1 : end]) + (" …" if end < len(labels) else "")
    return f"{before}<mark>{joined(labels[token : token + 1])}</mark>{after}"


def driving_html(kind, found):
    """Texts that drive a unit, as a list.  found: [(text's number, product, snippet)]."""
    lines = "".join(
        f"<li><b>{_signed(product, 2)}</b> <span>{escape(kind)} {number + 1}</span><p>{shown}</p></li>"
        for number, product, shown in found
    )
    return f'<ol class="driving">{lines}</ol>'


DRIVING_CSS = """<style>
.driving { padding-left: 1.4rem; max-width: 60rem; }
.driving span { color: inherit; opacity: 0.8; margin-left: 0.6rem; }
.driving p { margin: 0.15rem 0 0.7rem; }
.driving mark { background: none; color: inherit; font-weight: 700; padding: 0 0.1em;
  box-shadow: inset 0 -0.45em color-mix(in srgb, var(--mark-feed-forward) 45%, transparent); }
</style>"""


def driving_columns(found, labels):
    """The same list as columns: {heading: values}.  found: [(text, token, product)]; labels: the tokens'."""
    return {
        "text": [text + 1 for text, *_ in found],
        "position": [token for _, token, _ in found],
        "token": labels,
        "product": [product for *_, product in found],
    }


def driving_sentence(found, labels):
    """Whether one piece of text drives the unit in most of the listed texts.

    found: [(text, token, product)], strongest first; labels: the driving tokens' labels, in that order.
    """
    top = found[0][2]
    if top == 0:
        return "In all of our texts this unit's product is 0."
    signs = {np.sign(product) for *_, product in found if product}
    direction = (
        "Its products have the same sign each time."
        if len(signs) == 1
        else "Its products have both signs: it adds its vector in some texts and takes it away in others."
    )
    times = max(labels.count(label) for label in labels)
    last = abs(found[-1][2])
    if times > len(labels) / 2 and times > 1:
        token = next(label for label in labels if labels.count(label) == times)
        what = f"In {times} of these {len(labels)} texts it is driven most by the same piece, {token}"
    else:
        what = "No single piece drives it in most of these texts; look for what the marked places share"
    return (
        f"{what}. {direction} The strongest is {figure(top)}, the last of the list {figure(last)} in "
        "absolute value."
    )


def driving_origin(name, texts, beforehand):
    """Where the list comes from.  name: of one of our models, or None; texts: what was read, "40 stories"."""
    make = f" (`python -m training.units {name}` makes it)" if name else ""
    now = f"Measured now, over our {texts}: no list made from these weights and these texts came along{make}"
    when = f"Measured beforehand, with these weights, over our {texts}" if beforehand else now
    return (
        f"{when}. Each text counts once, at the token where the unit's product is largest in absolute value."
    )


def no_gate_sentence(title):
    """What is said of a model whose feed-forward layer is not gated."""
    return f"{title} has no gate: its feed-forward layer has two matrices, and no value is multiplied."


def width_columns(settings):
    """Plain and gated layers of each model: {heading: values}.  settings: {title: (d, d_ff)}."""
    found = {title: gate.widths(d, d_ff) for title, (d, d_ff) in settings.items()}
    return {
        "model": list(settings),
        "d": [d for d, _ in settings.values()],
        "plain, width 4d: 2 · d · 4d": [one["plain"] for one in found.values()],
        "⅔ · 4d": [one["two thirds"] for one in found.values()],
        "F in use": [d_ff for _, d_ff in settings.values()],
        "gated: 3 · d · F": [one["gated"] for one in found.values()],
    }


def width_table(settings):
    """The same as it is written: {heading: texts}."""
    columns = width_columns(settings)
    return {
        heading: values if heading == "model" else [f"{n:,.1f}".removesuffix(".0") for n in values]
        for heading, values in columns.items()
    }


def width_plot(settings, dark=False):
    """The parameters of a plain layer and of the gated one in use, for each model."""
    found = [gate.widths(d, d_ff) for d, d_ff in settings.values()]
    traces = [
        {
            "type": "bar",
            "x": [plots.escape(title) for title in settings],
            "y": [one[kind] for one in found],
            "name": name,
            "marker": {"color": plots.colour(mark, dark), "pattern": {"shape": shape}},
            "hovertemplate": "%{x}: %{y:,}<extra></extra>",
        }
        for kind, name, mark, shape in (
            ("plain", "two matrices of width 4d", "norm", "/"),
            ("gated", "three matrices of width F", "feed-forward", ""),
        )
    ]
    return plots.chart(traces, "", "parameters of one feed-forward layer", dark)


def width_sentence(title, d, d_ff):
    """Both counts for one model, and whether its width is ⅔ of 4d."""
    one = gate.widths(d, d_ff)
    plain, gated = whole(one["plain"]), whole(one["gated"])
    counts = f"{title}: plain 2 · {d} · {4 * d} = {plain}, gated 3 · {d} · {d_ff} = {gated}."
    if one["gated"] == one["plain"]:
        return f"{counts} F is exactly ⅔ of 4d, so three matrices hold what two did."
    if d_ff < one["two thirds"]:
        return f"{counts} F is below ⅔ of 4d ({one['two thirds']:.0f}): a plain layer would be larger."
    if d_ff == 32 * math.ceil(one["two thirds"] / 32):
        return f"{counts} ⅔ of 4d is {one['two thirds']:.1f}; F is that, rounded up to a multiple of 32."
    return (
        f"{counts} ⅔ of 4d would be {one['two thirds']:.0f}; this model's F is larger, so its gated layer "
        f"holds {figure(one['gated'] / one['plain'], 2)} times what a plain one would."
    )
