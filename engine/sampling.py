"""Writing on: which tokens temperature, top-k and top-p keep and drop, and the tokens that are drawn.

V vocabulary
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import ReaderError
from engine.families import Model

KEPT, BY_TOP_K, BY_TOP_P, BY_TEMPERATURE = range(4)


@dataclass(frozen=True)
class Draw:
    """The whole vocabulary before one draw, likeliest token first."""

    ids: np.ndarray  # (V,) int64
    plain: np.ndarray  # (V,): probabilities as the model gives them, temperature 1
    tempered: np.ndarray  # (V,): after the temperature
    fate: np.ndarray  # (V,) int8: KEPT, or what dropped the token
    drawn_from: np.ndarray  # (V,): what is drawn from, 0 where dropped, sums to 1


def before_draw(
    logits: np.ndarray, temperature: float = 0.8, top_k: int | None = None, top_p: float = 0.95
) -> Draw:
    """What happens to every token before one is drawn from scores (V,) -> Draw.

    Temperature 0 keeps the likeliest token alone.  The cuts are those of engine.generation.keep_likely,
    which draws.  Raises ReaderError for settings that make no sense.
    """
    import torch

    from engine.generation import keep_likely

    _check(temperature, top_k, top_p)
    scores = torch.from_numpy(np.array(logits, dtype=np.float32))
    order = scores.argsort(descending=True, stable=True)
    plain = scores.double().softmax(-1)[order].numpy()
    fate = np.zeros(len(plain), np.int8)
    if temperature == 0:
        fate[1:] = BY_TEMPERATURE
        one = np.eye(1, len(plain))[0]
        return Draw(order.numpy(), plain, one, fate, one)
    warm = scores / temperature
    only_k = keep_likely(warm, top_k, 1.1)[order].isneginf().numpy()  # above 1, top-p drops nothing
    kept = keep_likely(warm, top_k, top_p)[order]
    fate[kept.isneginf().numpy()] = BY_TOP_P
    fate[only_k] = BY_TOP_K
    tempered = warm.double().softmax(-1)[order].numpy()
    return Draw(order.numpy(), plain, tempered, fate, kept.double().softmax(-1).numpy())


def continuation(
    model: Model,
    ids: Sequence[int] | np.ndarray,
    n: int,
    temperature: float = 0.8,
    top_k: int | None = None,
    top_p: float = 0.95,
    seed: int = 0,
) -> Iterator[int]:
    """Continue ids (T,) by up to n tokens -> an iterator of new ids, the end of the document last.

    The same seed draws the same ids.  Where the text outgrows the context, its end is read.
    Raises ReaderError for settings that make no sense.
    """
    import torch

    from engine.generation import generate

    _check(temperature, top_k, top_p)
    dice, stop = torch.Generator().manual_seed(seed), (model.tokenizer.end_id,)
    return generate(model.logits, ids, n, model.context, temperature, top_k, top_p, stop, dice)


def write_on(
    model: Model,
    ids: Sequence[int] | np.ndarray,
    n: int,
    temperature: float = 0.8,
    top_k: int | None = None,
    top_p: float = 0.95,
    seed: int = 0,
) -> Iterator[int]:
    """The same, ending where the context is full."""
    room = model.context - len(ids)
    return continuation(model, ids, min(n, room), temperature, top_k, top_p, seed)


def _check(temperature: float, top_k: int | None, top_p: float) -> None:
    if not 0 <= temperature <= 10:
        raise ReaderError(f"The temperature is {temperature}; choose 0 to 10.")
    if top_k is not None and top_k < 1:
        raise ReaderError(f"Top-k is {top_k}; keep at least 1 token, or none of it.")
    if not 0 < top_p <= 1:
        raise ReaderError(f"Top-p is {top_p}; choose a share above 0, at most 1.")
