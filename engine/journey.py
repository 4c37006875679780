"""What each part of a model did to one token's vector on its way from the embedding to the prediction.

T tokens read, up to and with the one whose journey it is · d stream width · H query heads · K key/value heads
F feed-forward width · L blocks
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import lens, prediction, store, trace
from engine.errors import ReaderError
from engine.families import Model
from engine.gate import NEARLY_SHUT
from engine.norms import rms


@dataclass(frozen=True)
class Journey:
    """Measured at one token.  Lengths are Euclidean; (L,) holds a number for each block."""

    token: int
    stream: np.ndarray  # (L+1,) length entering block 1, then leaving each block
    between: (
        np.ndarray
    )  # (L,) length of what norm 2 reads: the stream, with attention's addition unless parallel
    attention_added: np.ndarray  # (L,) length of what attention adds
    feed_forward_added: np.ndarray  # (L,)
    attention_angle: np.ndarray  # (L,) degrees from the stream to what is added; nan where that is 0
    feed_forward_angle: np.ndarray  # (L,)
    stream_rms: np.ndarray  # (L+1,) root mean square: what norm 1 of each block reads, then the final norm
    between_rms: np.ndarray  # (L,) what norm 2 reads
    norm1_rms: np.ndarray  # (L,) leaving norm 1, gains included
    norm2_rms: np.ndarray  # (L,)
    final_rms: float  # leaving the final norm
    raw_queries: np.ndarray  # (L, H) length of a head's query as the matrix makes it
    raw_keys: np.ndarray  # (L, K)
    queries: np.ndarray  # (L, H) length of the query that is compared; QK-norm may have changed it
    keys: np.ndarray  # (L, K)
    values: np.ndarray  # (L, K) length of the value
    attention: np.ndarray  # (L, H, T) what each head looks at; sums to 1
    read: np.ndarray  # (2L+1, 5) what the logit lens reads: at the embedding, then in each block at what
    # norm 2 reads and at its end; the last row is the output
    read_probabilities: np.ndarray  # (2L+1, 5)
    top: np.ndarray  # (5,) the likeliest next tokens
    probabilities: np.ndarray  # (5,)
    next_probability: float | None  # of the token that really comes next, where there is one
    gates: int | None = None  # F; this and what follows is None without a gate
    gates_shut: np.ndarray | None = None  # (L,) gates with |silu| < NEARLY_SHUT
    gates_open: np.ndarray | None = None  # (L,) gates with a score above 0
    let_through: np.ndarray | None = None  # (L,) length of W3's values, before the gate
    product: np.ndarray | None = None  # (L,) length after it
    largest: np.ndarray | None = None  # (L,) the largest size of a number in the product
    parallel: bool = False  # whether both parts of a block read the same stream, and one sum adds both


def keep(model: Model) -> tuple[str, ...]:
    """What its pass keeps: all that a model has, but for what no figure here is made of."""
    return tuple(one for one in model.extras if one not in ("gathered", "units"))


def journey_of(model: Model, ids: Sequence[int] | np.ndarray, token: int) -> Journey:
    """Run the model on ids up to a token, and measure what happened to that token's vector.

    Later tokens can't have changed it.  Raises ReaderError as engine.run does, or for no such token.
    """
    if not 0 <= token < len(ids):
        raise ReaderError(f"There is no token {token}: the text has {len(ids)}, counted from 0.")
    seen: Any = trace.run(model, ids[: token + 1], keep(model), last=True)  # all that is asked for is there
    x, attended, made, normed1, normed2 = (
        array[:, -1].astype(np.float64)
        for array in (seen.streams, seen.attention_added, seen.feed_forward_added, seen.norm1, seen.norm2)
    )
    between = model.read_by_feed_forward(x, attended)
    p = store.softmax(seen.logits[-1].astype(np.float64))
    read, read_probabilities = _read(model, seen)
    return Journey(
        token=token,
        stream=_length(x),
        between=_length(between),
        attention_added=_length(attended),
        feed_forward_added=_length(made),
        attention_angle=_angle(x[:-1], attended),
        feed_forward_angle=_angle(between, made),
        stream_rms=rms(x),
        between_rms=rms(between),
        norm1_rms=rms(normed1),
        norm2_rms=rms(normed2),
        final_rms=float(rms(model.normed(seen.streams[-1, -1:]).astype(np.float64))[0]),
        raw_queries=_length(seen.raw_queries[:, :, -1]),
        raw_keys=_length(seen.raw_keys[:, :, -1]),
        queries=_length(seen.queries[:, :, -1]),
        keys=_length(seen.keys[:, :, -1]),
        values=_length(seen.head_values[:, :, -1]),
        attention=seen.attention[:, :, -1],
        **_at_the_gate(seen),
        read=read,
        read_probabilities=read_probabilities,
        top=read[-1],
        probabilities=read_probabilities[-1],
        next_probability=float(p[ids[token + 1]]) if token + 1 < len(ids) else None,
        parallel=model.parallel,
    )


def _read(model: Model, seen: Any) -> tuple[np.ndarray, np.ndarray]:
    """The logit lens on the last token's stream, also within the blocks -> ids and shares, (2L+1, 5) each."""
    streams, attended = seen.streams[:, -1], seen.attention_added[:, -1]
    between = model.read_by_feed_forward(streams, attended)
    pairs = np.stack((between, streams[1:]), axis=1).reshape(-1, streams.shape[-1])
    scores = lens.readout(model, np.concatenate((streams[:1], pairs[:-1])))
    rows = [prediction.likeliest(row, 5) for row in (*scores, seen.logits[-1])]
    ids, probabilities = zip(*rows, strict=True)
    return np.stack(ids), np.stack(probabilities)


def _at_the_gate(seen: Any) -> dict[str, Any]:
    """What the gate does to the last token; nothing where there is none."""
    if seen.gate is None:
        return {}
    gate, value = seen.gate[:, -1].astype(np.float64), seen.value[:, -1].astype(np.float64)
    return {
        "gates": gate.shape[-1],
        "gates_shut": (np.abs(gate) < NEARLY_SHUT).sum(-1),
        "gates_open": (gate > 0).sum(-1),
        "let_through": _length(value),
        "product": _length(gate * value),
        "largest": np.abs(gate * value).max(-1),
    }


def _length(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x, axis=-1)


def _angle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Degrees between vectors, from 0 to 180; nan where one has no length."""
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = (a * b).sum(-1) / (_length(a) * _length(b))
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))
