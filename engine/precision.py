"""What fewer bits cost: a model's stream or its weights rounded, and what it then says about a text.

T tokens · d stream width · L blocks · N predictions of all texts together

Whole numbers from -top to top, top = 2^(bits - 1) - 1, times a step: the largest number that shares the
step, divided by top.  Dettmers et al. 2022 (LLM.int8()) give every vector a step of its own, and keep the
dimensions apart that reach OUTLIER in what a matrix reads; there a vector has root mean square 1.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.experiments import measure
from engine.families import Model
from engine.trace import Trace

OUTLIER = 6.0  # in root mean squares of the vector: Dettmers et al. 2022, section 3.2


@dataclass(frozen=True)
class Rounding:
    """What is rounded, and how.

    what: "stream" (entering block 1 and leaving every block) or "weights" (every matrix).
    bits: 16 (float16), or so many bits of a whole number.
    apart: dimensions of the stream with a number of OUTLIER or more stay as they are.
    whole: one step for a whole matrix of weights, not one for each of its rows.
    """

    what: str
    bits: int
    apart: bool = False
    whole: bool = False


PLAIN = None  # nothing is rounded
ROUNDINGS = {
    "float32": PLAIN,
    "stream-16": Rounding("stream", 16),
    "stream-8": Rounding("stream", 8),
    "stream-8-apart": Rounding("stream", 8, apart=True),
    "stream-4": Rounding("stream", 4),
    "stream-4-apart": Rounding("stream", 4, apart=True),
    "weights-8": Rounding("weights", 8),
    "weights-8-whole": Rounding("weights", 8, whole=True),
    "weights-4": Rounding("weights", 4),
    "weights-4-whole": Rounding("weights", 4, whole=True),
}


@dataclass(frozen=True)
class Reading:
    """What a pass said about its texts, a number for each token after the first of each."""

    nats: np.ndarray  # (N,) surprise; nan where a number was too large for float16
    likeliest: np.ndarray  # (N,) the probability of the likeliest token
    top: np.ndarray  # (N,) int: which token that is


def rounded(x: np.ndarray, bits: int, axis: int | None = -1) -> np.ndarray:
    """x in so many bits, as the numbers that come out again.  axis: along which a step is shared; None: all.

    16 bits are float16, which calls a number beyond 65,504 infinite.
    """
    if bits == 16:
        with np.errstate(over="ignore"):
            return x.astype(np.float16).astype(x.dtype)
    top = 2 ** (bits - 1) - 1
    step = np.abs(x).max(axis, keepdims=True) / top
    return (np.round(x / np.where(step == 0, 1, step)) * step).astype(x.dtype)


def outliers(x: np.ndarray) -> np.ndarray:
    """Which dimensions hold a number of OUTLIER or more: a stream (T, d) -> (d,) bool."""
    rms = np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True))
    return (np.abs(x) >= OUTLIER * np.maximum(rms, 1e-300)).any(0)


def large(trace: Trace) -> np.ndarray:
    """Which dimensions of each row of the stream are outliers in this text -> (L+1, d) bool."""
    return np.stack([outliers(row) for row in trace.streams])


def rounded_stream(x: np.ndarray, rounding: Rounding) -> np.ndarray:
    """One row of the stream (T, d) as this rounding leaves it, a step for each token's vector."""
    if not rounding.apart:
        return rounded(x, rounding.bits)
    apart, result = outliers(x), x.copy()
    if not apart.all():
        result[:, ~apart] = rounded(x[:, ~apart], rounding.bits)
    return result


def readings(
    model: Model, rounding: Rounding | None, rows: Sequence[Sequence[int]]
) -> Iterator[tuple[float, Reading | None]]:
    """Texts, a list of ids each, under one rounding -> a generator of (share done, Reading or None)."""
    forward, found = runner(model, rounding), []
    for number, ids in enumerate(rows, start=1):
        with np.errstate(invalid="ignore"):
            logits = forward(np.asarray(ids))
            top = logits[:-1].argmax(-1)  # before measure(), which uses the place of the logits
            found.append((*measure(logits, ids), top))
        done = number == len(rows)
        yield number / len(rows), Reading(*map(np.concatenate, zip(*found, strict=True))) if done else None


def runner(model: Model, rounding: Rounding | None) -> Callable[[Sequence[int] | np.ndarray], np.ndarray]:
    """The pass of a model under a rounding -> a function: ids (T,) -> logits (T, V)."""
    if rounding is None:
        return model.logits
    if rounding.what == "stream":
        return model.remade(stream=lambda x: rounded_stream(x, rounding)).logits
    # A row of a matrix, as it is given, makes one number.
    axis = None if rounding.whole else -1
    return model.remade(matrix=lambda x: rounded(x, rounding.bits, axis)).logits
