"""The check in a few lines of NumPy, to copy into a notebook."""

from functools import cache

SNIPPET = '''\
import numpy as np


def turn(x, position, base=10_000.0):
    """Turn each pair (x[i], x[i + D/2]) by position * base^(-2i / D) radians."""
    half = len(x) // 2
    angle = position * base ** (-2 * np.arange(half) / len(x))
    first, second = x[:half], x[half:]
    return np.concatenate((first * np.cos(angle) - second * np.sin(angle),
                           first * np.sin(angle) + second * np.cos(angle)))


generator = np.random.default_rng(1)
q, k = generator.standard_normal(64), generator.standard_normal(64)
for m, n in ((5, 2), (105, 102), (400, 397), (5, 4)):
    print(f"query at {m}, key at {n}: {turn(q, m) @ turn(k, n):.3f}")
print(f"length {np.linalg.norm(q):.6f}, at position 77 {np.linalg.norm(turn(q, 77)):.6f}")

generator = np.random.default_rng(2026)
q, k = generator.normal(0, 1, 32), generator.normal(0, 1, 32)
for m, n in ((5, 2), (15, 12), (8, 2)):
    print(f"query at {m}, key at {n}, scaled: {turn(q, m) @ turn(k, n) / 32**0.5:.3f}")
'''


@cache
def printed():
    """What the snippet prints, found by running it."""
    lines = []
    exec(SNIPPET, {"print": lines.append})
    return "\n".join(lines)
