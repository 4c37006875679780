"""Where the time of a forward pass goes on this computer.

What is measured is the processor time of the thread that runs the pass, so that other programs and other
readers, who make it wait, change little.

T tokens · L blocks
"""

from dataclasses import dataclass
from itertools import pairwise
from time import thread_time

import numpy as np

from engine import store
from engine.experiments import store_with
from engine.trace import hooked

PARTS = ("attention", "feed_forward", "output")
LENGTHS = (16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Timed:
    """One length of text, in seconds: of many passes the fastest, which was disturbed least."""

    tokens: int
    seconds: dict  # {"attention", "feed_forward", "output": all blocks together}
    whole: float  # the whole pass; the rest is norms, additions and looking up the embedding

    @property
    def shares(self):
        """The three parts as shares of the time they take together, 0 to 1."""
        together = sum(self.seconds.values())
        return {part: time / together for part, time in self.seconds.items()}


def lengths(model):
    """The lengths that are measured: doublings from 16, up to the longest text the model reads."""
    limit = model.setting("context")
    return [n for n in LENGTHS if n <= limit] + ([limit] if limit < LENGTHS[-1] else [])


def measure(model, tokens, passes=5, seconds=0.3):
    """Time passes over a text of so many tokens, at least so many and for so long -> Timed.

    Which tokens they are makes no difference, so they are drawn.  One pass before warms up.
    """
    ids = np.random.default_rng(0).integers(0, model.setting("vocab_size"), tokens)
    one_pass = _store_pass if isinstance(model.settings, dict) else _torch_pass
    one_pass(model, ids)
    found = []
    while len(found) < passes or sum(times["whole"] for times in found) < seconds:
        found.append(one_pass(model, ids))
    fastest = {part: min(times[part] for times in found) for part in PARTS}
    return Timed(tokens, fastest, min(times["whole"] for times in found))


def _torch_pass(model, ids):
    """Each part lasts from the end of the norm before it to its own end, both seen by hooks."""
    import torch

    network, marks = model.network, []

    def note(name):
        return lambda *_: marks.append((name, thread_time()))

    blocks = [f"blocks.{number}." for number in range(model.settings.n_layer)]
    names = [block + part for block in blocks for part in ("norm1", "attention", "norm2", "feed_forward")]
    watchers = {name: note(name.split(".")[-1]) for name in [*names, "final_norm", "output"]}
    with torch.inference_mode(), hooked(network, watchers):
        start = thread_time()
        network(torch.from_numpy(ids)[None])
        whole = thread_time() - start
    found = dict.fromkeys(PARTS, 0.0)
    for (_, before), (name, after) in pairwise(marks):
        if name in found:
            found[name] += after - before
    return {**found, "whole": whole}


def _store_pass(model, ids):
    found = dict.fromkeys(PARTS, 0.0)

    def timed(part, function):
        def run(*arguments):
            before = thread_time()
            result = function(*arguments)
            found[part] += thread_time() - before
            return result

        return run

    watched = store_with(
        attention=timed("attention", store.attention),
        feed_forward=timed("feed_forward", store.feed_forward),
        unembed=timed("output", store.unembed),
    )
    start = thread_time()
    watched.forward(ids, model.network, model.settings)
    return {**found, "whole": thread_time() - start}
