"""Writing on: which tokens temperature, top-k and top-p keep and drop, and the tokens that are drawn.

V vocabulary
"""

from dataclasses import dataclass

import numpy as np

from engine.tokenizer import MARKER

KEPT, BY_TOP_K, BY_TOP_P, BY_TEMPERATURE = range(4)


@dataclass(frozen=True)
class Draw:
    """The whole vocabulary before one draw, likeliest token first."""

    ids: np.ndarray  # (V,) int64
    plain: np.ndarray  # (V,): probabilities as the model gives them, temperature 1
    tempered: np.ndarray  # (V,): after the temperature
    fate: np.ndarray  # (V,) int8: KEPT, or what dropped the token
    drawn_from: np.ndarray  # (V,): what is drawn from, 0 where dropped, sums to 1


def before_draw(logits, temperature=0.8, top_k=None, top_p=0.95):
    """What happens to every token before one is drawn from scores (V,) -> Draw.

    Temperature 0 keeps the likeliest token alone.  The cuts are those of engine.model.keep_likely,
    which draws.  Raises ValueError for settings that make no sense.
    """
    import torch

    from engine.model import keep_likely

    _check(temperature, top_k, top_p)
    logits = torch.from_numpy(np.array(logits, dtype=np.float32))
    order = logits.argsort(descending=True, stable=True)
    plain = logits.double().softmax(-1)[order].numpy()
    fate = np.zeros(len(plain), np.int8)
    if temperature == 0:
        fate[1:] = BY_TEMPERATURE
        one = np.eye(1, len(plain))[0]
        return Draw(order.numpy(), plain, one, fate, one)
    warm = logits / temperature
    only_k = keep_likely(warm, top_k, 1.1)[order].isneginf().numpy()  # above 1, top-p drops nothing
    kept = keep_likely(warm, top_k, top_p)[order]
    fate[kept.isneginf().numpy()] = BY_TOP_P
    fate[only_k] = BY_TOP_K
    tempered = warm.double().softmax(-1)[order].numpy()
    return Draw(order.numpy(), plain, tempered, fate, kept.double().softmax(-1).numpy())


def write_on(model, ids, n, temperature=0.8, top_k=None, top_p=0.95, seed=0):
    """Up to n new ids after ids, one at a time; a document's end is the last, and so is a full context.

    The same seed draws the same ids.  Raises ValueError for settings that make no sense.
    """
    import torch

    from engine import store
    from engine.model import draw

    _check(temperature, top_k, top_p)
    generator = torch.Generator().manual_seed(seed)
    ids = [int(i) for i in ids]
    for _ in range(min(n, model.setting("context") - len(ids))):
        if model.name == "store":
            last = torch.from_numpy(store.forward(ids, model.network, model.settings)[-1])
        else:
            with torch.inference_mode():
                last = model.network(torch.tensor([ids]))[0, -1].float()
        with torch.inference_mode():
            ids.append(draw(last, temperature, top_k, top_p, generator).item())
        yield ids[-1]
        if not model.tokenizer.piece(ids[-1]) and model.tokenizer.label(ids[-1]) == MARKER:
            return  # the document's end


def _check(temperature, top_k, top_p):
    if not 0 <= temperature <= 10:
        raise ValueError(f"The temperature is {temperature}; choose 0 to 10.")
    if top_k is not None and top_k < 1:
        raise ValueError(f"Top-k is {top_k}; keep at least 1 token, or none of it.")
    if not 0 < top_p <= 1:
        raise ValueError(f"Top-p is {top_p}; choose a share above 0, at most 1.")
