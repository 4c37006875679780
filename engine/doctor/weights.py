"""What the weights and the stream of a model show by themselves.

T tokens · d stream width · L blocks
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

import engine
from engine import precision
from engine.counting import count_parameters
from engine.errors import LacksError
from engine.families import Model

FLOAT16 = float(np.finfo(np.float16).max)  # the largest number that float16 holds: 65,504


@dataclass(frozen=True)
class Broken:
    """A weight that no training leaves so.  row: the calculator's; block: from 0, None outside the blocks.

    fault: "zeros" (all of it) or "not finite" (numbers that are none).  count: how many numbers.
    """

    row: str
    block: int | None
    fault: str
    count: int


@dataclass(frozen=True)
class Sizes:
    """The largest numbers in the stream over some texts."""

    largest: float  # of any vector of any row
    row: int  # of the stream, 0 entering block 1
    dimensions: int  # how many of the d hold an outlier somewhere, as engine/precision.py counts them
    width: int


def broken_weights(model: Model) -> Iterator[tuple[float, list[Broken]]]:
    """Look through every weight.  Yields (share done, what was found so far).

    Biases may be all zero: many are never trained.
    """
    found: list[Broken] = []
    jobs = [
        (row.id, block)
        for row in count_parameters(model.architecture).rows
        for block in (range(model.architecture.n_layer) if row.in_blocks else (None,))
    ]
    for number, (row, block) in enumerate(jobs, start=1):
        with suppress(LacksError):  # one that is counted with another row
            fault = _fault(model.part(row, block), row.endswith(".bias"))
            if fault:
                found.append(Broken(row, block, *fault))
        yield number / len(jobs), list(found)


def _fault(weight: np.ndarray, bias: bool) -> tuple[str, int] | None:
    if not np.isfinite(weight).all():
        return "not finite", int((~np.isfinite(weight)).sum())
    return ("zeros", weight.size) if not bias and not weight.any() else None


def stream_sizes(model: Model, texts: Sequence[Sequence[int]]) -> Iterator[tuple[float, Sizes]]:
    """The stream's largest numbers.  Yields (share done, Sizes so far) after each text."""
    largest, row = 0.0, 0
    apart = np.zeros(model.architecture.d_model, dtype=bool)
    for number, ids in enumerate(texts, start=1):
        streams = engine.run(model, ids).streams
        tops = np.abs(streams).max((1, 2))
        if not tops.max() <= largest:  # a number that is none is the largest
            largest, row = float(tops.max()), int(tops.argmax())
        apart |= np.any([precision.outliers(one) for one in streams], axis=0)
        yield number / len(texts), Sizes(largest, row, int(apart.sum()), len(apart))
