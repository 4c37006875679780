"""Writing on, token by token: the one loop that every model writes with.

T tokens · V vocabulary
"""

import math
from collections.abc import Callable, Collection, Iterator

import numpy as np
import torch
from torch import Tensor

from engine.families.interface import Ids


@torch.no_grad()
def generate(
    scores: Callable[[list[int]], np.ndarray],
    ids: Ids,
    n: int,
    context: int,
    temperature: float = 0.8,
    top_k: int | None = None,
    top_p: float = 0.95,
    stop: Collection[int | None] = (),
    generator: torch.Generator | None = None,
) -> Iterator[int]:
    """Continue ids (T,) by up to n tokens; yields each new id, a stop token last.

    scores: a model's pass, ids (T,) -> logits (T, V).  Of a text longer than the context its end is read.
    """
    ids = [int(one) for one in ids]
    for _ in range(n):
        logits = torch.as_tensor(scores(ids[-context:])[-1])
        new = draw(logits, temperature, top_k, top_p, generator).item()
        ids.append(new)
        yield new
        if new in stop:
            return


def draw(
    logits: Tensor,
    temperature: float,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Choose the next token from logits (V,).  Temperature 0 takes the most likely one.  -> (1,)"""
    if temperature < 1e-6:  # 0, or too small to divide by
        return logits.argmax(-1, keepdim=True)
    kept = keep_likely(logits / temperature, top_k, top_p)
    return torch.multinomial(kept.softmax(-1), 1, generator=generator)


def keep_likely(logits: Tensor, top_k: int | None = None, top_p: float = 1.0) -> Tensor:
    """Rule out (score minus infinity) all but the top_k likeliest tokens, then all but the
    fewest of these that hold a share top_p of their probability.  (V,) -> (V,)"""
    ranked, order = logits.sort(descending=True, stable=True)
    if top_k:
        ranked[top_k:] = -math.inf
    if top_p < 1:
        before = ranked.softmax(-1).cumsum(-1) - ranked.softmax(-1)
        ranked[1:][before[1:] >= top_p] = -math.inf  # the likeliest always stays
    return torch.empty_like(logits).index_copy_(0, order, ranked)
