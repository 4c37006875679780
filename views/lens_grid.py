"""The logit lens as data for the grid: the details of every cell, small enough to travel with the page."""

import base64
import hashlib
import json

import numpy as np

from engine import lens as lens_readings
from views import marks

# What the cells can show: key, name, ends of the colour scale, and what it is, with its unit.
MEASURES = (
    ("top", "Top candidate", ("0 %", "100 %"),
     "Each cell names the likeliest next token; its colour is that token's probability."),
    ("next", "Real next token", ("0 %", "100 %"),
     "The probability, in %, of the token that really comes next in the text."),
    ("rank", "Rank of the real next token", ("last", "1"),
     "How many tokens are at least as likely as the real next one, itself counted: 1 is the top candidate. "
     "Equal probabilities share the better rank."),
    ("entropy", "Entropy", ("0 nats", "even guessing"),
     "How unsure the row is, in nats: 0 when one token has all the probability, the logarithm of the "
     "number of tokens when all are equally likely."),
    ("divergence", "KL divergence to the output", ("0 nats", "largest here"),
     "How far, in nats, the row's probabilities are from the model's own output: "
     "KL(output ‖ row), 0 when they are the same."),
    ("settled", "Where the answer appears and stays", ("not on top", "on top to the end"),
     "Deep where the real next token is the top candidate from this row on; half-deep where it is on top "
     "but is lost again further down."),
)  # fmt: skip
FOLLOWED = (
    "follow",
    "Followed token",
    ("0 %", "100 %"),
    "The probability, in %, of the token you follow, in every cell.",
)


def grid(model, ids, lens, within=False, written=0, title=None, followed=None):
    """One model's lens on one text as plain data for the grid.

    within: whether the rows within the blocks are there.  written: how many tokens at the end the
    model wrote itself.  followed (R, T): probabilities of a followed token.  Arrays travel as
    base64 of little-endian numbers, row by row.
    """
    labels = {int(i): model.tokenizer.label(i) for i in np.unique(np.append(lens.ids, ids))}
    L = model.architecture.n_layer
    return {
        "title": title or model.title,
        "keys": lens_readings.row_keys(L, within),
        "rows": lens_readings.row_names(L, within),
        "vocabulary": model.architecture.vocab_size,
        "tokens": [int(i) for i in ids],
        "written": written,
        "marked": model.tokenizer.marks,
        "labels": labels,
        "ids": _packed(lens.ids, _kind(lens.ids)),
        "wide": _kind(lens.ids) == "<u4",
        "p": _packed(lens.probabilities, "<f4"),
        "nextP": _packed(lens.next_probability, "<f4"),
        "rank": _packed(lens.next_rank, "<i4"),
        "entropy": _packed(lens.entropy, "<f4"),
        "divergence": _packed(lens.divergence, "<f4"),
        "followed": None if followed is None else _packed(followed, "<f4"),
    }


def _kind(ids):
    """Two bytes hold an id up to 65,535, as all of ours are; vocabularies of 150,000 need four."""
    return "<u2" if ids.max(initial=0) < 1 << 16 else "<u4"


def _packed(array, kind):
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind)).decode("ascii")


def unpacked(text, kind, shape):
    """The other way: base64 -> the array."""
    return np.frombuffer(base64.b64decode(text), kind).reshape(shape)


def data(grids, follow=None, teaching=False):
    """All that the grid component needs but for what is chosen in it.

    follow: {"id", "label"} of the followed token.  "sig" changes when anything here does.
    """
    measures = (*MEASURES, FOLLOWED) if follow else MEASURES
    fixed = {
        "grids": grids,
        "measures": measures,
        "follow": follow,
        "teaching": teaching,
        "ramp": marks.RAMP,
        "flips": marks.INK_FLIPS,
        "frame": marks.FRAME,
        "marks": {name: list(pair) for name, pair in marks.BY_NAME.items()},
    }
    sig = hashlib.sha1(json.dumps(fixed).encode()).hexdigest()
    return {**fixed, "sig": sig}


def first_cell(lens, keys):
    """The cell shown before one is chosen: the output, at the best guess among the first columns."""
    seen = lens.next_probability[-1][: min(9, len(lens.next_ids) - 1)]
    return f"{keys[-1]}.{int(np.argmax(seen[1:])) + 1 if len(seen) > 1 else 0}"


def read_cell(raw):
    """An address's cell, "3a.12" -> "3a.12", or ValueError."""
    key, column = raw.split(".")
    if not (key.removesuffix("a").isascii() and key.removesuffix("a").isdigit() and len(key) < 5):
        raise ValueError(raw)
    if not (column.isascii() and column.isdigit() and len(column) < 5):
        raise ValueError(raw)
    return raw


def fitting(cell, keys, columns, default):
    """The cell if this grid has it; a row within a block falls back to the block's end."""
    key, column = cell.split(".")
    if int(column) >= columns:
        return default
    if key not in keys:
        key = key.removesuffix("a") if key.removesuffix("a") in keys else keys[-1]
    return f"{key}.{column}"
