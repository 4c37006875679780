"""How alike vectors of the residual stream are: between places, between texts, with a block and without.

T tokens · d stream width · L blocks
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import engine
from engine import wiring
from engine.families import Model
from engine.wiring import AS_TRAINED, Wiring

WIRINGS = {
    "as trained": AS_TRAINED,
    "no feed-forward layers": Wiring(feed_forward=False),
    "no skip connections": Wiring(skips=False),
    "attention alone": Wiring(skips=False, feed_forward=False),
}
ORDERS = {
    "no mask, no RoPE": Wiring(wiring.everything, turned=False),
    "the mask alone": Wiring(turned=False),
    "RoPE alone": Wiring(wiring.everything),
    "both, as trained": AS_TRAINED,
}


def unit(vectors: np.ndarray) -> np.ndarray:
    """(..., d) -> the same directions with length 1, float64; a vector of zeros stays one."""
    vectors = np.asarray(vectors, dtype=np.float64)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


def between_places(streams: np.ndarray) -> np.ndarray:
    """(L+1, T, d) -> (L+1,): the mean cosine between two different places; nan where there is only one.

    1 when all places hold the same direction.  Dong et al. 2021.
    """
    T = streams.shape[1]
    if T < 2:
        return np.full(len(streams), np.nan)
    summed = unit(streams).sum(1)
    return ((summed * summed).sum(-1) - T) / (T * (T - 1))


def stacked(model: Model, ids: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """How alike all places grow as blocks are stacked, with parts and without -> {name: (L+1,)}.

    Raises LacksError for a model that can't be put together otherwise.
    """
    return {name: between_places(wiring.streams(model, ids, how)) for name, how in WIRINGS.items()}


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far each vector of two sets lies from the nearest of the other, by its own length.

    (N, d), (M, d) -> (N + M,).  All 0 when both hold the same vectors, in whatever order.
    """
    a, b = (np.asarray(vectors, dtype=np.float64) for vectors in (a, b))
    distance = np.linalg.norm(a[:, None] - b[None], axis=-1)
    return np.concatenate(
        (distance.min(1) / np.linalg.norm(a, axis=-1), distance.min(0) / np.linalg.norm(b, axis=-1))
    )


@dataclass(frozen=True)
class Order:
    """How far two texts of the same tokens lie apart, by the vectors' own lengths; 0 is the same."""

    sets: float  # all vectors after the last block, as sets: the largest distance to a nearest
    first_block: float  # the last token's vector after block 1
    last_block: float  # the last token's vector after the last block


def orders(model: Model, first: Sequence[int], second: Sequence[int]) -> dict[str, Order]:
    """What tells a model in which order tokens stand.  first, second: ids, the last one the same.

    -> {name: Order}, with the mask and RoPE and without.  Raises LacksError as stacked() does.
    """
    found = {}
    for name, how in ORDERS.items():
        a, b = (wiring.streams(model, ids, how) for ids in (first, second))
        found[name] = Order(
            float(apart(a[-1], b[-1]).max()),
            *(float(apart(a[row, -1:], b[row, -1:]).max()) for row in (1, -1)),
        )
    return found


def nearest(known: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The cosine of each vector to the known one that is most like it.  (N, d), (M, d) -> (M,)"""
    return (unit(vectors) @ unit(known).T).max(-1)


@dataclass(frozen=True)
class Met:
    """What follows each block when it is left out, beside what follows it as trained.  Each (L,).

    The cosine to the most similar vector that ever followed this block in other texts, mean over tokens.
    """

    trained: np.ndarray
    without: np.ndarray
    tokens: int
    known: int


def met(
    model: Model, known_rows: Sequence[Sequence[int]], new_rows: Sequence[Sequence[int]]
) -> Iterator[tuple[float, Met | None]]:
    """How unlike anything known the stream is that a left-out block leaves.  Rows of ids -> steps.

    Without block b, what follows reads what block b itself would have read.  Yields (share done, None)
    after each text, at last (1, Met).
    """
    seen = []
    for row in [*known_rows, *new_rows]:
        seen.append(engine.run(model, row).streams)
        yield len(seen) / (len(known_rows) + len(new_rows) + 1), None
    known, new = (np.concatenate(part, axis=1) for part in (seen[: len(known_rows)], seen[len(known_rows) :]))
    trained, without = (
        np.array([nearest(after, x).mean() for after, x in zip(known[1:], one, strict=True)])
        for one in (new[1:], new[:-1])
    )
    yield 1.0, Met(trained, without, new.shape[1], known.shape[1])
