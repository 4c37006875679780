"""The same weights, wired otherwise: tokens that see other tokens, or a block without its skips or a part.

T tokens · d stream width · V vocabulary · L blocks
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.families import Model


def earlier(T: int) -> np.ndarray:
    """Every token sees itself and those before it, as all models here were trained -> (T, T) bool."""
    return np.tri(T, dtype=bool)


def everything(T: int) -> np.ndarray:
    """Every token sees all: no mask -> (T, T) bool."""
    return np.ones((T, T), dtype=bool)


def latest(count: int) -> Callable[[int], np.ndarray]:
    """Every token sees so many at most: itself and the latest before it -> a function: T -> (T, T) bool."""
    return lambda T: earlier(T) & ~np.tri(T, k=-count, dtype=bool)


@dataclass(frozen=True)
class Wiring:
    """How the parts are put together; as it stands, as in training."""

    sees: Callable[[int], np.ndarray] = earlier  # T -> (T, T) bool: row t is what token t may look at
    turned: bool = True  # whether RoPE turns queries and keys
    skips: bool = True  # whether a part is added to the stream, or takes its place
    feed_forward: bool = True  # whether the feed-forward layers take part


AS_TRAINED = Wiring()


def streams(model: Model, ids: Sequence[int] | np.ndarray, wiring: Wiring = AS_TRAINED) -> np.ndarray:
    """One pass, of any length -> (L+1, T, d) float32: entering block 1, then after every block."""
    ids = np.asarray(ids, dtype=np.int64)
    return model.reaching(len(ids)).wired(wiring).passed(ids)["streams"]


def logits(model: Model, ids: Sequence[int] | np.ndarray, wiring: Wiring = AS_TRAINED) -> np.ndarray:
    """The same pass to its end -> (T, V) float32."""
    return model.reaching(len(ids)).wired(wiring).logits(ids)
