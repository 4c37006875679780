"""The gate of a feed-forward layer (SwiGLU, Shazeer 2020): which hidden units it opens, and for what.

T tokens · d stream width · F feed-forward width, the number of hidden units · L blocks
K texts that are kept for a unit
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine import norms
from engine.families import Model
from engine.trace import Trace

NEARLY_SHUT = 0.05  # a gate whose absolute value is below this passes on less than a twentieth


def silu(a: npt.ArrayLike) -> np.ndarray:
    """a / (1 + e^-a), with no overflow for any a."""
    a = np.asarray(a)
    return a * 0.5 * (1 + np.tanh(a / 2))


def relu(a: npt.ArrayLike) -> np.ndarray:
    """a where it is positive, else 0: the first transformer's (Vaswani et al. 2017)."""
    return np.maximum(a, 0)


def gelu(a: npt.ArrayLike) -> np.ndarray:
    """a times the normal distribution's share below a (Hendrycks and Gimpel 2016).

    GPT-2 computes it by a formula with tanh, which differs by less than 0.001.
    """
    a = np.asarray(a, dtype=float)
    return a * 0.5 * (1 + np.vectorize(math.erf)(a / math.sqrt(2)))


# Where silu is lowest: its derivative is 0 at a + 1 + e^a = 0.
LOWEST_AT, LOWEST = -1.27846, -0.27846


def products(trace: Trace) -> np.ndarray:
    """Gate times value, what the last matrix reads: a trace with both -> (L, T, F)."""
    return trace.gate * trace.value  # type: ignore[operator]


def nearly_shut(gate: np.ndarray) -> np.ndarray:
    """How many units are nearly shut at each token: gate (L, T, F) -> (L, T) int."""
    return (np.abs(gate) < NEARLY_SHUT).sum(-1)


def scores(model: Model, trace: Trace) -> np.ndarray:
    """The gate's scores, which silu turns into gates: a trace -> (L, T, F), in float64."""
    read = model.read_by_feed_forward(trace.streams, trace.attention_added).astype(np.float64)
    normed = norms.rms_norm(read, model.epsilon)
    return np.stack(
        [(x * model.part("norm2", block)) @ model.part("w1", block) for block, x in enumerate(normed)]
    )


def why_shut(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the gates nearly shut, how many have a score near 0, and how many one far below.

    scores (L, T, F) -> two (L,) int.  Between the two, left of 0, silu dips to LOWEST.
    """
    shut = np.abs(silu(scores)) < NEARLY_SHUT
    near = scores > LOWEST_AT
    return (shut & near).sum((1, 2)), (shut & ~near).sum((1, 2))


def most_active(product: np.ndarray, k: int) -> np.ndarray:
    """The k units with the largest absolute product: (F,) -> their numbers, strongest first."""
    return np.argsort(-np.abs(product), kind="stable")[:k]


@dataclass(frozen=True)
class Peaks:
    """Where each unit of each block is driven most in one text, by absolute product."""

    product: np.ndarray  # (L, F) float32, with its sign
    token: np.ndarray  # (L, F) int


def peaks(trace: Trace) -> Peaks:
    """A trace that holds gate and value -> its Peaks."""
    product = products(trace)
    token = np.abs(product).argmax(1)
    return Peaks(np.take_along_axis(product, token[:, None], 1)[:, 0], token)


@dataclass(frozen=True)
class Driving:
    """The K texts that drive each unit of each block most, strongest first; a text counts once."""

    text: np.ndarray  # (L, F, K) int: the text's number, from 0
    token: np.ndarray  # (L, F, K) int: where in it
    product: np.ndarray  # (L, F, K) float32, with its sign

    def of(self, block: int, unit: int) -> list[tuple[int, int, float]]:
        """One unit's texts -> [(text's number, token, product)]; block and unit from 0."""
        three = (array[block, unit].tolist() for array in (self.text, self.token, self.product))
        return list(zip(*three, strict=True))


def driving(found: Sequence[Peaks], k: int) -> Driving:
    """The Peaks of each of several texts, in their order -> Driving, with k texts a unit at most."""
    product = np.stack([one.product for one in found], -1)
    text = np.argsort(-np.abs(product), axis=-1, kind="stable")[..., :k]
    token = np.stack([one.token for one in found], -1)
    return Driving(text, np.take_along_axis(token, text, axis=-1), np.take_along_axis(product, text, axis=-1))


def widths(d: int, d_ff: int) -> dict[str, float]:
    """A gated layer of width F beside a plain one of width 4d -> a dict of counts."""
    return {"plain": 2 * d * 4 * d, "two thirds": 2 / 3 * 4 * d, "gated": 3 * d * d_ff}
