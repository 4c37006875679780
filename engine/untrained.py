"""A model of the Sprout family before its training: the same code with the weights it starts from.

T tokens · R rows that the lens reads, L + 1
"""

from dataclasses import dataclass, replace

import numpy as np

import engine
from engine import lens as reading

SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Measured:
    """How a model predicts in one text: means over its columns."""

    sure: np.ndarray  # (R,) mean probability of the top candidate, row by row of the lens
    right: np.ndarray  # (R,) share of columns where it is the real next token
    echoes: np.ndarray  # (R,) share of columns where it is the token that stands there
    nats: float  # surprise at the next token, in the output
    apart: float  # nats: KL(output in the text || output for the same token alone); 0 in a bigram model


def at_start(model, seed):
    """A trained model's twin before its first step, as engine/model.py initialises it -> an engine Model."""
    import torch

    from engine.model import Transformer

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Transformer(model.settings)
    return replace(model, network=network.eval().requires_grad_(False))


def measure(model, ids):
    """Read ids, two tokens or more -> Measured.  Raises ValueError for fewer."""
    if len(ids) < 2:
        raise ValueError("A single token has none after it: type some text.")
    trace = engine.run(model, ids)
    lens = reading.logit_lens(model, trace, 1)
    nats = -np.log(lens.next_probability[-1, :-1].astype(np.float64)).mean()
    return Measured(
        *reading.confidence(lens), reading.echoes(lens), float(nats), float(from_alone(model, trace).mean())
    )


def from_alone(model, trace):
    """How far each output but the first lies from what its token alone would give: KL in nats, (T-1,)."""
    import torch

    with torch.inference_mode():
        alone = model.network(torch.from_numpy(trace.ids[1:, None].copy()))[:, 0].double().log_softmax(-1)
        within = torch.from_numpy(trace.logits[1:].copy()).double().log_softmax(-1)
        return (within.exp() * (within - alone)).sum(-1).clamp(min=0).numpy()


def before_training(model, ids, seeds=SEEDS):
    """The means over several starts -> Measured."""
    each = [measure(at_start(model, seed), ids) for seed in seeds]
    fields = ("sure", "right", "echoes", "nats", "apart")
    return Measured(*(np.mean([getattr(one, field) for one in each], axis=0) for field in fields))
