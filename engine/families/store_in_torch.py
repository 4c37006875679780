"""The store's pass once more, in PyTorch's own parts, which shares no code with the NumPy one.

T tokens · d stream width · H heads · D head width · V vocabulary
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from engine import measures, store, weights
from engine.errors import LacksError
from engine.one_at_a_time import PARSING

FILE = "check.npz"


def saved(home: Path, manifest: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The ids and logits (T, V) that PyTorch's training code wrote beside the weights.

    Raises LacksError where there are none, WeightsError where they are not those that were sealed.
    """
    if FILE not in manifest["files"] and not weights.there(home / FILE):
        raise LacksError(f"The saved logits (weights/{home.name}/{FILE}) are not here.")
    file = io.BytesIO(weights.checked(home, FILE, manifest))
    with PARSING, np.load(file, allow_pickle=False) as kept:
        return kept["ids"], kept["logits"]


def now(model: Any) -> tuple[Any, np.ndarray]:
    """One of our texts and its logits (T, V), computed now."""
    ids = measures.own_rows(model)[0]
    return ids, logits(model, ids)


def logits(model: Any, ids: Any) -> np.ndarray:
    """PyTorch's own norm, attention and SiLU; RoPE, which it has not, by complex numbers.  -> (T, V)"""
    weights = {name: torch.from_numpy(array.copy()) for name, array in model.network.items()}
    H, T, d = model.settings["n_head"], len(ids), model.settings["d_model"]
    D = d // H
    speed = model.settings["rope_base"] ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    angle = torch.outer(torch.arange(T, dtype=torch.float64), speed)
    turns = torch.polar(torch.ones_like(angle), angle)

    def norm(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, (d,), gain, model.epsilon)

    def heads(x: torch.Tensor, turned: bool) -> torch.Tensor:
        x = x.view(T, H, D).transpose(0, 1)
        if not turned:
            return x
        pairs = torch.complex(*x.double().chunk(2, -1)) * turns
        return torch.cat((pairs.real, pairs.imag), -1).float()

    x = weights["embedding"][torch.tensor(np.asarray(ids), dtype=torch.int64)]
    for number in range(model.settings["n_layer"]):
        layer = store.layer_weights(weights, number)
        normed = norm(x, layer["attention_gain"])
        q, k, v = (heads(normed @ layer[name], name != "v") for name in "qkv")
        gathered = functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        x = x + gathered.transpose(0, 1).reshape(T, d) @ layer["o"]
        normed = norm(x, layer["feed_forward_gain"])
        x = x + (functional.silu(normed @ layer["gate"]) * (normed @ layer["up"])) @ layer["down"]
    return (norm(x, weights["final_gain"]) @ weights["embedding"].T).numpy()
