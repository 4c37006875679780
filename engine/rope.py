"""Rotary positions (Su et al. 2021) on one query and one key, by themselves, in NumPy.

D width of a head, made of D/2 pairs · m position of the query · n position of the key
"""

import math

import numpy as np
import numpy.typing as npt

from engine.errors import ReaderError

PAIRINGS = ("halves", "neighbours")


def draw(seed: int, width: int, deviation: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A query and a key of width D from NumPy's default generator, in that order -> two (D,)."""
    generator = np.random.default_rng(seed)
    return generator.normal(0, deviation, width), generator.normal(0, deviation, width)


Base = float | np.ndarray  # the base of the angles, or the speeds themselves (D/2,) where they are stretched


def speeds(width: int, base: Base = 10_000.0) -> np.ndarray:
    """Radians that each pair turns from one position to the next -> (D/2,): base^(-2i / D).

    Raises ReaderError for an odd width.
    """
    if isinstance(base, np.ndarray):
        return base
    if width % 2:
        raise ReaderError(f"A head of width {width} can't be split into pairs: choose an even width.")
    return base ** (-np.arange(0, width, 2) / width)


def wavelengths(width: int, base: float = 10_000.0) -> np.ndarray:
    """Positions that each pair needs for one full turn -> (D/2,)."""
    return 2 * math.pi / speeds(width, base)


def pairs(x: np.ndarray, pairing: str = "halves") -> tuple[np.ndarray, np.ndarray]:
    """The two numbers of each pair: x (..., D) -> two (..., D/2).

    halves: x[i] with x[i + D/2], as in our models; neighbours: x[2i] with x[2i + 1], as in the paper.
    """
    if pairing == "halves":
        half = x.shape[-1] // 2
        return x[..., :half], x[..., half:]
    if pairing == "neighbours":
        return x[..., ::2], x[..., 1::2]
    raise ReaderError(f"There is no pairing called {pairing!r}; there are {' and '.join(PAIRINGS)}.")


def turn(
    x: np.ndarray, positions: npt.ArrayLike, base: Base = 10_000.0, pairing: str = "halves"
) -> np.ndarray:
    """Turn each pair of x by its speed times the position.

    x: (..., D).  positions: a number, or an array that broadcasts against x's leading axes.
    """
    first, second = pairs(x, pairing)
    angle = np.asarray(positions)[..., None] * speeds(x.shape[-1], base)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = first * cos - second * sin, first * sin + second * cos
    together = np.concatenate(turned, -1) if pairing == "halves" else np.stack(turned, -1)
    return together.reshape(*together.shape[: angle.ndim - 1], x.shape[-1])


def score(
    query: np.ndarray,
    key: np.ndarray,
    m: float,
    n: float,
    base: float = 10_000.0,
    pairing: str = "halves",
    scaled: bool = False,
) -> float:
    """The score of a query (D,) at position m with a key (D,) at position n; scaled: divided by sqrt(D)."""
    found = turn(query, m, base, pairing) @ turn(key, n, base, pairing)
    return float(found / math.sqrt(len(query)) if scaled else found)


def score_at(
    query: np.ndarray,
    key: np.ndarray,
    distances: npt.ArrayLike,
    base: Base = 10_000.0,
    pairing: str = "halves",
    scaled: bool = False,
) -> np.ndarray:
    """The score at each distance m - n, without turning anything: distances (N,) -> (N,).

    The pairs' shares a cos(w d) + b sin(w d), summed: what is left of two turns is their difference.
    """
    (q1, q2), (k1, k2) = pairs(query, pairing), pairs(key, pairing)
    angle = np.outer(np.asarray(distances), speeds(len(query), base))
    found = np.cos(angle) @ (q1 * k1 + q2 * k2) + np.sin(angle) @ (q1 * k2 - q2 * k1)
    return found / math.sqrt(len(query)) if scaled else found


def learned_tables(
    positions: int, width: int, seed: int = 0, deviation: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Two random tables, one vector a position, to stand in for learned ones -> two (positions, D).

    GPT-2 adds one learned vector a position to the token's before queries and keys are made; here one
    table is that vector's share of the query and the other its share of the key.
    """
    generator = np.random.default_rng(seed)
    shape = (positions, width)
    return generator.normal(0, deviation, shape), generator.normal(0, deviation, shape)


def score_learned(
    query: np.ndarray,
    key: np.ndarray,
    m: int | np.ndarray,
    n: int | np.ndarray,
    tables: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """The score when each position's vector is added instead; m, n numbers or (N,) -> the same."""
    for_query, for_key = tables
    return ((query + for_query[m]) * (key + for_key[n])).sum(-1)
