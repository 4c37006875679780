"""Where the time of a forward pass goes on this computer.

What is measured is the processor time of the thread that runs the pass, so that other programs and other
readers, who make it wait, change little.

T tokens · L blocks
"""

from dataclasses import dataclass

import numpy as np

from engine.families import Model

PARTS = ("attention", "feed_forward", "output")
LENGTHS = (16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Timed:
    """One length of text, in seconds: of many passes the fastest, which was disturbed least."""

    tokens: int
    seconds: dict[str, float]  # {"attention", "feed_forward", "output": all blocks together}
    whole: float  # the whole pass; the rest is norms, additions and looking up the embedding

    @property
    def shares(self) -> dict[str, float]:
        """The three parts as shares of the time they take together, 0 to 1."""
        together = sum(self.seconds.values())
        return {part: time / together for part, time in self.seconds.items()}


def lengths(model: Model) -> list[int]:
    """The lengths that are measured: doublings from 16, up to the longest text the model reads."""
    limit = model.context
    return [n for n in LENGTHS if n <= limit] + ([limit] if limit < LENGTHS[-1] else [])


def measure(model: Model, tokens: int, passes: int = 5, seconds: float = 0.3) -> Timed:
    """Time passes over a text of so many tokens, at least so many and for so long -> Timed.

    Which tokens they are makes no difference, so they are drawn.  One pass before warms up.
    """
    ids = np.random.default_rng(0).integers(0, model.architecture.vocab_size, tokens)
    model.timed(ids)
    found: list[dict[str, float]] = []
    while len(found) < passes or sum(times["whole"] for times in found) < seconds:
        found.append(model.timed(ids))
    fastest = {part: min(times[part] for times in found) for part in PARTS}
    return Timed(tokens, fastest, min(times["whole"] for times in found))
