"""The gate of a feed-forward layer (SwiGLU, Shazeer 2020): which hidden units it opens, and for what.

T tokens · d stream width · F feed-forward width, the number of hidden units · L blocks
"""

import math
from dataclasses import dataclass

import numpy as np

NEARLY_SHUT = 0.05  # a gate whose absolute value is below this lets almost nothing through


def silu(a):
    """a / (1 + e^-a), with no overflow for any a."""
    return a * 0.5 * (1 + np.tanh(np.asarray(a) / 2))


def relu(a):
    """a where it is positive, else 0: the first transformer's (Vaswani et al. 2017)."""
    return np.maximum(a, 0)


def gelu(a):
    """a times the normal distribution's share below a: GPT-2's (Hendrycks and Gimpel 2016)."""
    a = np.asarray(a, dtype=float)
    return a * 0.5 * (1 + np.vectorize(math.erf)(a / math.sqrt(2)))


def products(trace):
    """Gate times value, what the last matrix reads: a trace with both -> (L, T, F)."""
    return trace.gate * trace.value


def nearly_shut(gate):
    """How many units are nearly shut at each token: gate (L, T, F) -> (L, T) int."""
    return (np.abs(gate) < NEARLY_SHUT).sum(-1)


def most_active(product, k):
    """The k units with the largest absolute product: (F,) -> their numbers, strongest first."""
    return np.argsort(-np.abs(product), kind="stable")[:k]


@dataclass(frozen=True)
class Peaks:
    """Where each unit of each block is driven most in one text, by absolute product."""

    product: np.ndarray  # (L, F) float32, with its sign
    token: np.ndarray  # (L, F) int32
    shut: np.ndarray  # (L, T) int: units nearly shut at each token


def peaks(trace):
    """A trace that holds gate and value -> its Peaks."""
    product = products(trace)
    token = np.abs(product).argmax(1)
    top = np.take_along_axis(product, token[:, None], 1)[:, 0]
    return Peaks(top, token.astype(np.int32), nearly_shut(trace.gate))


def driving(found, block, unit, k):
    """The k texts that drive a unit most -> [(text's number, token, product)], strongest first.

    found: a Peaks for each text; block and unit from 0.
    """
    strength = np.array([one.product[block, unit] for one in found])
    order = np.argsort(-np.abs(strength), kind="stable")[:k]
    return [(int(i), int(found[i].token[block, unit]), float(strength[i])) for i in order]


def widths(d, d_ff):
    """A gated layer of width F beside a plain one of width 4d -> a dict of counts."""
    return {"plain": 2 * d * 4 * d, "two thirds": 2 / 3 * 4 * d, "gated": 3 * d * d_ff}
