"""RMSNorm (Zhang and Sennrich 2019) by hand, beside LayerNorm (Ba et al. 2016) and the library's versions.

d width of a vector · T tokens · L blocks
"""

from dataclasses import dataclass

import numpy as np

from engine import store


def rms(x):
    """Root mean square of each vector: x (..., d) -> (...)."""
    return np.sqrt((x * x).mean(-1))


def sizes(trace):
    """Root mean square of every vector of the stream: a trace -> (L+1, T), in float64."""
    return rms(trace.streams.astype(np.float64))


def rms_norm(x, eps):
    """Divide each vector by sqrt(RMS² + eps), gain 1: x (..., d) -> the same shape."""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps)


def layer_norm(x, eps):
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


def by_hand(x, eps):
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


def epsilon(model):
    """The model's ε."""
    return store.EPSILON if model.name == "store" else model.network.final_norm.eps


def gains(model):
    """Every norm's learned gain: {name: (width,)}, in the order in which a text meets them."""
    found = {}
    for number in range(model.setting("n_layer")):
        block = f"block {number + 1}, before "
        if model.name == "store":
            layer = store.layer_weights(model.network, number)
            found[block + "attention"] = layer["attention_gain"]
            found[block + "the feed-forward layer"] = layer["feed_forward_gain"]
            continue
        part = model.network.blocks[number]
        found[block + "attention"] = part.norm1.gain.numpy()
        found[f"block {number + 1}, on queries"] = part.attention.q_norm.gain.numpy()
        found[f"block {number + 1}, on keys"] = part.attention.k_norm.gain.numpy()
        found[block + "the feed-forward layer"] = part.norm2.gain.numpy()
    last = model.network["final_gain"] if model.name == "store" else model.network.final_norm.gain.numpy()
    return {**found, "final norm, before the output layer": last}
