"""The residual streams of several models side by side, and what their measurement makes true."""

import numpy as np

from engine import families, measures
from engine.stream import FLOAT16_LARGEST
from views import plots, stream
from views.numbers import counted, figure, form, within

MEASURES = {
    "length": "length of the stream",
    "attention": "attention adds",
    "feed_forward": "feed-forward adds",
    "rms": "root mean square",
    "largest": "largest number",
    "cosine": "cosine with the row before",
}


def columns(growths):
    """Everything measured of every model, one below the other: {heading: values}.  growths: {name: Growth}"""
    found = {"model": []}
    for name, growth in growths.items():
        table = stream.columns(growth)
        found["model"] += [families.title(name)] * len(table["row"])
        for heading, values in table.items():
            found.setdefault(heading, []).extend(values)
    return found


def plot(growths, measure, dark=False):
    """One measure, a key of MEASURES, by block: a line for each model."""
    most = max(len(growth.cosine) for growth in growths.values())
    traces = [
        _line(name, stream.columns(growth)[MEASURES[measure]], plots.look(place, dark))
        for place, (name, growth) in enumerate(growths.items())
    ]
    reached = [value for trace in traces for value in trace["y"]]
    first = min(trace["x"][0] for trace in traces)
    y = {"title": MEASURES[measure]}
    if measure == "cosine":
        y["range"] = [min(0.0, *reached) - 0.05, 1.05]
    elif min(reached) > 0:
        y |= _log_axis(min(reached), FLOAT16_LARGEST if measure == "largest" else max(reached))
    shapes = [stream.float16_line(dark)] if measure == "largest" else []
    return plots.chart(traces, stream.row_axis(most, first), y, dark, shapes=shapes)


def _line(name, values, look):
    """One model's line, in Plotly's terms."""
    at, title = [i for i, value in enumerate(values) if value is not None], plots.escape(families.title(name))
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": at,
        "y": [values[i] for i in at],
        "name": title,
        **look,
        "hovertemplate": "%{y:,.4g}<extra>" + title + "</extra>",
    }


def _log_axis(low, high):
    """A logarithmic axis with 1, 3, 10, 30 … named; over many powers of ten, those alone."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    digits = (1, 3) if len(powers) < 5 else (1,)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
    return {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def table(growths):
    """A row for each model, its stream from the embedding to the last block: {heading: values}."""
    every = list(growths.values())
    turned = [(float(growth.cosine.min()), int(growth.cosine.argmin()) + 1) for growth in every]
    return {
        "model": [families.title(name) for name in growths],
        "length": [_from_to(growth.length) for growth in every],
        "root mean square": [_from_to(growth.rms) for growth in every],
        "largest number": [figure(float(growth.largest.max())) for growth in every],
        "least cosine": [f"{figure(cosine)}, block {block}" for cosine, block in turned],
    }


def _from_to(values):
    """The first and the last, with an arrow."""
    return f"{figure(float(values[0]))} → {figure(float(values[-1]))}"


def whose_texts(names, averaged):
    """What each model reads, by kinds of texts: all of ours, or the chosen one of a kind."""
    kinds = {}
    for name in names:
        kinds.setdefault(families.texts_of(name), []).append(name)
    if averaged:
        said = [
            f"{_listed(of)} {form(len(of), 'is', 'are')} measured on our {kind}"
            if place == 0
            else f"{_listed(of)} on our {kind}"
            for place, (kind, of) in enumerate(kinds.items())
        ]
        return _begun(", ".join(said)) + "."
    said = [
        f"{_listed(of)} {form(len(of), 'reads', 'read')} the chosen {measures.ONE[kind]}"
        for kind, of in kinds.items()
    ]
    return f"{_begun(', '.join(said))}, as far as it fits: choose a model of its kind to change a text."


def _begun(sentence):
    return sentence[0].upper() + sentence[1:] if sentence.startswith("the ") else sentence


def what_was_read(growths):
    """Over how many tokens the means are, and what the arrows mean."""
    tokens = sorted({one.tokens for one in growths.values()})
    said = " and ".join(counted(n, "token") for n in tokens)
    return (
        f"Means over {said}, a marker at the start included; arrows lead from the embedding to the "
        "last block."
    )


def sentence(growths):
    """Whose stream grows most, where attention adds more, and whose numbers float16 could not hold."""
    return f"{_grown(growths)} {_by_attention(growths)} {_largest(growths)}"


def _grown(growths):
    times = {name: float(growth.length[-1] / growth.length[0]) for name, growth in growths.items()}
    most, least = max(times, key=times.get), min(times, key=times.get)
    if len(growths) == 1:
        return f"Only {_ours(most)} is here: its stream ends {figure(times[most], 2)} times as long."
    return (
        "From the embedding to the last block the stream's length is multiplied by "
        f"{figure(times[most], 2)} in {_ours(most)}, the most, and by {figure(times[least], 2)} in "
        f"{_ours(least)}, the least."
    )


def _by_attention(growths):
    """In which models attention adds more, all blocks together."""
    more = [name for name, one in growths.items() if one.attention_added.sum() > one.feed_forward_added.sum()]
    where = "In it" if len(growths) == 1 else "In all of them"
    if not more:
        return f"{where} attention adds no more than the feed-forward layers, all blocks together."
    if len(more) == len(growths):
        return f"{where} attention adds more than the feed-forward layers, all blocks together."
    names = _listed(more)
    return f"Attention adds more than the feed-forward layers, all blocks together, in {names} only."


def _largest(growths):
    high = {name: float(growth.largest.max()) for name, growth in growths.items()}
    top = max(high, key=high.get)
    beyond = [name for name, value in high.items() if value > FLOAT16_LARGEST]
    if beyond:
        return f"float16, which ends at 65,504, could not hold the largest numbers of {_listed(beyond)}."
    held = "it" if len(growths) == 1 else "them all"
    return f"The largest number, {figure(high[top])}, stands in {_ours(top)}; float16 holds {held}."


def _listed(names):
    """ "a", "a and b", "a, b and c" """
    *first, last = map(_ours, names)
    return f"{', '.join(first)} and {last}" if first else last


def _ours(name):
    """A title within a sentence."""
    return within(families.title(name))
