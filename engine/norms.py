"""RMSNorm (Zhang and Sennrich 2019) by hand, beside LayerNorm (Ba et al. 2016) and the library's versions.

d width of a vector · T tokens · L blocks
"""

from dataclasses import dataclass

import numpy as np

from engine import store
from engine.families import Model
from engine.trace import Trace


def rms(x: np.ndarray) -> np.ndarray:
    """Root mean square of each vector: x (..., d) -> (...)."""
    return np.sqrt((x * x).mean(-1))


def sizes(trace: Trace) -> np.ndarray:
    """Root mean square of every vector of the stream: a trace -> (L+1, T), in float64."""
    return rms(trace.streams.astype(np.float64))


def rms_norm(x: np.ndarray, eps: float) -> np.ndarray:
    """Divide each vector by sqrt(RMS² + eps), gain 1: x (..., d) -> the same shape."""
    return store.rms_norm(x, 1.0, eps)


def layer_norm(x: np.ndarray, eps: float) -> np.ndarray:
    """Take each vector's mean away first, gain 1, bias 0: x (..., d) -> the same shape."""
    return rms_norm(x - x.mean(-1, keepdims=True), eps)


@dataclass(frozen=True)
class Normed:
    """Vectors before and after both norms, a number for each of T vectors."""

    before: np.ndarray  # (T,) root mean square
    mean_before: np.ndarray  # (T,)
    after: np.ndarray  # (T,) root mean square after RMSNorm
    mean_after: np.ndarray  # (T,) RMSNorm does not bring it to 0
    layer_after: np.ndarray  # (T,) root mean square after LayerNorm
    layer_mean_after: np.ndarray  # (T,)
    difference: float  # the largest |by hand − PyTorch's rms_norm| of any number
    layer_difference: float  # the same for LayerNorm


def by_hand(x: np.ndarray, eps: float) -> Normed:
    """Both norms on vectors x (T, d), in float64, and how far PyTorch's, in float32, are from them."""
    import torch
    from torch.nn import functional

    wide = x.astype(np.float64)
    ours, layered = rms_norm(wide, eps), layer_norm(wide, eps)
    width, given = (x.shape[-1],), torch.from_numpy(np.array(x, dtype=np.float32))
    theirs = functional.rms_norm(given, width, eps=eps).numpy()
    their_layered = functional.layer_norm(given, width, eps=eps).numpy()
    return Normed(
        before=rms(wide),
        mean_before=wide.mean(-1),
        after=rms(ours),
        mean_after=ours.mean(-1),
        layer_after=rms(layered),
        layer_mean_after=layered.mean(-1),
        difference=float(np.abs(ours - theirs).max()),
        layer_difference=float(np.abs(layered - their_layered).max()),
    )


def gains(model: Model) -> dict[str, np.ndarray]:
    """Every norm's learned gain: {name: (width,)}, in the order in which a text meets them."""
    found = {}
    for number in range(model.architecture.n_layer):
        block = f"block {number + 1}, "
        found[block + "before attention"] = model.part("norm1", number)
        if "qk_norm" in model.has:
            found[block + "on queries"] = model.part("q_norm", number)
            found[block + "on keys"] = model.part("k_norm", number)
        found[block + "before the feed-forward layer"] = model.part("norm2", number)
    return {**found, "final norm, before the output layer": model.part("final_norm")}
