"""A model of the Sprout family before its training: the same code with the weights it starts from.

T tokens · R rows that the lens reads, L + 1
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import engine
from engine import lens as lens_readings
from engine.errors import ReaderError
from engine.families import Model
from engine.trace import Trace

SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Measured:
    """How a model predicts in one text: means over its columns."""

    sure: np.ndarray  # (R,) mean probability of the top candidate, row by row of the lens
    right: np.ndarray  # (R,) share of columns where it is the real next token
    echoes: np.ndarray  # (R,) share of columns where it is the token that stands there
    nats: float  # surprise at the next token, in the output
    apart: float  # nats: KL(output in the text || output for the same token alone); 0 in a bigram model


def measure(model: Model, ids: Sequence[int] | np.ndarray) -> Measured:
    """Read ids, two tokens or more -> Measured.  Raises ReaderError for fewer."""
    if len(ids) < 2:
        raise ReaderError("A single token has none after it: type some text.")
    trace = engine.run(model, ids)
    lens = lens_readings.logit_lens(model, trace, 1)
    nats = -np.log(lens.next_probability[-1, :-1].astype(np.float64)).mean()
    sure, right = lens_readings.confidence(lens)
    apart = float(from_alone(model, trace).mean())
    return Measured(sure, right, lens_readings.echoes(lens), float(nats), apart)


def from_alone(model: Model, trace: Trace) -> np.ndarray:
    """How far each output but the first lies from what its token alone would give: KL in nats, (T-1,)."""
    tokens, place = np.unique(trace.ids[1:], return_inverse=True)
    alone = _log_softmax(np.stack([model.logits([token])[0] for token in tokens]))[place]
    within = _log_softmax(trace.logits[1:])
    return np.maximum((np.exp(within) * (within - alone)).sum(-1), 0)


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    """Scores (N, V) -> logs of probabilities, float64."""
    below = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    return below - np.log(np.exp(below).sum(-1, keepdims=True))


def before_training(model: Model, ids: Sequence[int] | np.ndarray, seeds: Sequence[int] = SEEDS) -> Measured:
    """The means over several starts -> Measured."""
    each = [measure(model.at_start(seed), ids) for seed in seeds]
    fields = ("sure", "right", "echoes", "nats", "apart")
    return Measured(*(np.mean([getattr(one, field) for one in each], axis=0) for field in fields))
