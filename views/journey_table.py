"""A token's journey as a table to take away: one number a line, with what it is and its unit."""

import math
from itertools import chain

from views.columns import csv_text

HEADINGS = ("part", "block", "head", "position", "token", "measure", "unit", "value")
NONE = (None,) * 4  # where a number is of no block, head, position or token


def as_csv(p, pieces, label):
    """Every measured number once, in full.  p: an engine Journey; pieces, label: as journey_words takes them.

    block and head count from 1; position and token are of the token that a head looks at, or that is
    predicted.  A cell is empty where there is nothing of its kind.
    """
    rows = chain(_ends(p, pieces, label), _read(p, label), _stream(p), _heads(p, pieces), _gate(p))
    kept = (one for one in rows if not (isinstance(one[-1], float) and math.isnan(one[-1])))
    columns = zip(*kept, strict=True)
    return csv_text(dict(zip(HEADINGS, map(list, columns), strict=True)))


def _ends(p, pieces, label):
    """What is of no block: before the first and after the last."""
    here = (None, None, p.token, pieces[p.token])
    yield "tokens", *here, "tokens in the text", "tokens", len(pieces)
    yield "embedding", *NONE, "length", "", float(p.stream[0])
    yield "embedding", *NONE, "root mean square", "", float(p.stream_rms[0])
    yield "final_norm", *NONE, "root mean square before", "", float(p.stream_rms[-1])
    yield "final_norm", *NONE, "root mean square after, gain included", "", float(p.final_rms)
    for i, q in zip(p.top, p.probabilities, strict=True):
        yield "output", None, None, None, label(int(i)), "probability of a likely next token", "1", float(q)
    if p.next_probability is not None:
        after = (None, None, p.token + 1, pieces[p.token + 1])
        q = p.next_probability
        yield "output", *after, "probability of the real next token", "1", q
        yield "loss", *after, "surprise", "nats", -math.log(q) if q > 0 else math.inf


def _read(p, label):
    """What the logit lens reads at the embedding, before norm 2 and at each block's end but the last."""
    for row, (ids, shares) in enumerate(zip(p.read[:-1], p.read_probabilities[:-1], strict=True)):
        part = "embedding" if row == 0 else "norm2" if row % 2 else "block"
        block = (row + 1) // 2 or None
        for i, q in zip(ids, shares, strict=True):
            measure = "probability of a likely next token, read here"
            yield part, block, None, None, label(int(i)), measure, "1", float(q)


def _stream(p):
    """What each block does to the stream's vector."""
    yield from _by_block("stream", "length entering the block", "", p.stream[:-1])
    yield from _by_block("stream", "length leaving the block", "", p.stream[1:])
    yield from _by_block("norm1", "root mean square before", "", p.stream_rms[:-1])
    yield from _by_block("norm1", "root mean square after, gain included", "", p.norm1_rms)
    yield from _by_block("attention", "length of what it adds", "", p.attention_added)
    yield from _by_block("attention", "angle to the stream", "degrees", p.attention_angle)
    yield from _by_block("norm2", "length of what it reads", "", p.between)
    yield from _by_block("norm2", "root mean square before", "", p.between_rms)
    yield from _by_block("norm2", "root mean square after, gain included", "", p.norm2_rms)
    yield from _by_block("feed_forward", "length of what it adds", "", p.feed_forward_added)
    yield from _by_block("feed_forward", "angle to the stream", "degrees", p.feed_forward_angle)


def _heads(p, pieces):
    """What each head holds at this token, and what it looks at."""
    lengths = (
        ("queries", "length as the matrix makes it", p.raw_queries),
        ("queries", "length as it is compared", p.queries),
        ("keys", "length as the matrix makes it", p.raw_keys),
        ("keys", "length as it is compared", p.keys),
        ("values", "length", p.values),
    )
    for part, measure, values in lengths:
        for block, heads in enumerate(values.tolist(), start=1):
            for head, value in enumerate(heads, start=1):
                yield part, block, head, None, None, measure, "", value
    for block, heads in enumerate(p.attention.tolist(), start=1):
        for head, weights in enumerate(heads, start=1):
            for at, weight in enumerate(weights):
                yield "causal_softmax", block, head, at, pieces[at], "attention weight", "1", weight


def _gate(p):
    """What the gate lets through; nothing where there is none."""
    if p.gates is None:
        return
    yield "gate", *NONE, "gates", "units", p.gates
    yield from _by_block("gate", "gates nearly shut", "units", p.gates_shut)
    yield from _by_block("w1", "scores above 0", "units", p.gates_open)
    yield from _by_block("w3", "length of the values", "", p.let_through)
    yield from _by_block("product", "length after the gate", "", p.product)
    yield from _by_block("product", "largest number", "", p.largest)


def _by_block(part, measure, unit, values):
    for block, value in enumerate(values.tolist(), start=1):
        yield part, block, None, None, None, measure, unit, value
