"""What if: a model with a part left out, or with one detail unlike its training.

T tokens · V vocabulary
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from engine.families import PARTS, Change, Model
from engine.trace import token_ids

__all__ = ["PARTS", "Change", "continue_greedily", "measure", "parts", "runner"]


def parts(model: Model, kinds: Collection[str] = PARTS) -> list[Change]:
    """Every single part of these kinds that can be left out."""
    found = []
    for kind in kinds:
        for block in range(model.architecture.n_layer):
            heads = range(model.architecture.n_head) if kind == "head" else (None,)
            found += [Change(kind, block, head) for head in heads]
    return found


def runner(model: Model, *changes: Change) -> Callable[[Sequence[int] | np.ndarray], np.ndarray]:
    """The pass of a model with these changes -> a function: ids (T,) -> logits (T, V), float32.

    Raises ReaderError for a change that the model can't have.
    """
    return model.changed(*changes).logits


def measure(logits: np.ndarray, ids: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a pass said about its own text.  logits (T, V), ids (T,) -> two arrays (T-1,):

    the surprise in nats at every token after the first, and the probability of the likeliest token there.
    """
    below = logits[:-1] - logits[:-1].max(-1, keepdims=True)  # how far each is below the highest
    right = below[np.arange(len(below)), np.asarray(ids)[1:]]
    total = np.exp(below, out=below).sum(-1)
    return np.log(total) - right, 1 / total


def continue_greedily(
    model: Model, text: str | Sequence[int] | np.ndarray, n: int, *changes: Change
) -> list[int]:
    """The likeliest token n times over -> the ids that follow the text; ends early at an end marker.

    Raises ReaderError for a text that does not fit.
    """
    from engine.generation import generate

    ids = token_ids(model, text)
    stop = (model.tokenizer.end_id,)
    return list(generate(runner(model, *changes), ids, n, model.context, 0, stop=stop))
