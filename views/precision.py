"""What fewer bits cost: bars, columns and the sentences that the measurement makes true.

Everything is said beside the pass in float32, and only where both were measured.
"""

import math

import numpy as np

from engine.precision import OUTLIER, ROUNDINGS
from views.bars import Bar
from views.numbers import change, counted, figure, form, percent

NAMES = {
    "float32": "float32, as it runs here",
    "stream-16": "the stream in float16",
    "stream-8": "the stream in 8 bits",
    "stream-8-apart": "8 bits, large dimensions apart",
    "stream-4": "the stream in 4 bits",
    "stream-4-apart": "4 bits, large dimensions apart",
    "weights-8": "the weights in 8 bits",
    "weights-8-whole": "8 bits, one step a matrix",
    "weights-4": "the weights in 4 bits",
    "weights-4-whole": "4 bits, one step a matrix",
}
HOW = (
    "In 8 bits a number is one of 255 steps from −127 to 127, in 4 bits one of 15. The stream has a step for "
    "each token's vector, after the embedding and after every block; the weights have one for each row that "
    "makes a number, or one for the whole matrix. Large dimensions: those in which some token's number "
    f"reaches {OUTLIER:g} times its vector's root mean square; they stay as they are, which is how Dettmers "
    "et al. 2022 (LLM.int8()) keep models of billions of parameters usable in 8 bits. Only what is named is "
    "rounded; the arithmetic stays float32."
)


def perplexity(reading):
    """e^(mean surprise); nan where nothing could be said, infinity when it overflows."""
    nats = float(reading.nats.mean()) if len(reading.nats) else math.nan
    return math.inf if nats > 700 else math.exp(nats)


def same(reading, plain):
    """The share of places at which the likeliest token is the one in float32."""
    return float((reading.top == plain.top).mean())


def rows(found):
    """The bars, those not measured yet without a value.  found: {name: Reading}."""
    return [_bar(name, found) for name in ROUNDINGS]


def _bar(name, found):
    reading, plain = found.get(name), found.get("float32")
    mark = "norm" if name == "float32" else "stream" if name.startswith("stream") else "feed-forward"
    if reading is None or not len(reading.nats):
        return Bar(NAMES[name], mark=mark)
    if not np.isfinite(reading.nats).all():
        return Bar(NAMES[name], note="a number is too large for float16", mark=mark)
    note = ""
    if plain is not None and name != "float32":
        note = f"{_changed(reading, plain)}; same first choice: {percent(same(reading, plain))}"
    top = percent(float(reading.likeliest.mean()))
    return Bar(NAMES[name], perplexity(reading), top, note=note, mark=mark)


def columns(found):
    """What is measured so far: {heading: values}."""
    shown, plain = [name for name in ROUNDINGS if name in found], found.get("float32")
    return {
        "rounded": [NAMES[name] for name in shown],
        "perplexity": [perplexity(found[name]) for name in shown],
        "nats a token": [float(found[name].nats.mean()) if len(found[name].nats) else None for name in shown],
        "same first choice as float32": [
            same(found[name], plain) if plain is not None and len(plain.top) else None for name in shown
        ],
    }


def sentences(found, largest, apart, kind=None):
    """What rounding costs on these texts.

    largest: the largest number of the stream; apart: how many dimensions are large at some token of some row;
    kind: "first 8 of our 40 stories", or None for the reader's text.
    """
    plain = found.get("float32")
    if plain is None:
        return ["Nothing is measured yet."]
    if not len(plain.nats):
        return ["A text of one token has no next token to predict, so there is nothing to compare."]
    said = [_float16(found["stream-16"], largest)] if "stream-16" in found else []
    said += [
        f"{beginning} {_cost(found[name], plain)}."
        for name, beginning in (
            ("stream-8", "Rounding the stream to 8 bits"),
            ("weights-8", "Rounding the weights to 8 bits"),
        )
        if name in found
    ]
    if "stream-4" in found and "stream-4-apart" in found:
        said.append(_apart(found, plain, apart, kind))
    if "weights-4" in found and "weights-4-whole" in found:
        one, whole = _cost(found["weights-4"], plain), _cost(found["weights-4-whole"], plain)
        said.append(f"Weights of 4 bits: a step for each row {one}; one step for a whole matrix {whole}.")
    return said


def _float16(reading, largest):
    if not np.isfinite(reading.nats).all():
        return f"The largest number of the stream, {figure(largest)}, is beyond float16's 65,504."
    return f"The largest number of the stream is {figure(largest)}, and float16 holds up to 65,504."


def _times(reading, plain):
    return perplexity(reading) / perplexity(plain)


def _changed(reading, plain):
    """How the perplexity changes: +0.9 %, or × 404 where it more than doubles."""
    times = _times(reading, plain)
    return f"× {figure(times)}" if times > 2 else change(times - 1)


def _cost(reading, plain):
    """What it does to the perplexity, as the end of a sentence."""
    times = _times(reading, plain)
    if times == 1:
        return "leaves the perplexity as it is"
    if times > 2:
        return f"multiplies the perplexity by {figure(times)}"
    return f"changes the perplexity by {change(times - 1)}"


def _apart(found, plain, apart, kind):
    """Whether keeping large dimensions apart helps at 4 bits, and how many there are."""
    one, other = (_changed(found[name], plain) for name in ("stream-4", "stream-4-apart"))
    where = "these texts" if kind else "this text"
    begins = f"The stream in 4 bits: {one}"
    if not apart:
        return f"{begins}; no dimension is large in {where}, so there is nothing to keep apart."
    return (
        f"{begins}, and {other} with large dimensions kept apart ({counted(apart, 'dimension')} of the "
        f"stream {form(apart, 'is', 'are')} large somewhere in {where})."
    )


def what_was_read(found, kind):
    """Over how many tokens it is measured.  kind: which texts of ours, or None for the reader's text."""
    predicted = len(found["float32"].nats) if "float32" in found else 0
    where = f"the {kind}" if kind else "this text"
    few = "" if kind else " So few leave small changes, up or down, to chance: average over more."
    return f"Measured over {counted(predicted, 'predicted token')} of {where}.{few}"
