"""The same weights, wired otherwise: tokens that see other tokens, or a block without its skips or a part.

T tokens · d stream width · H heads · D head width · V vocabulary · L blocks
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine import store


def earlier(T):
    """Every token sees itself and those before it, as all models here were trained -> (T, T) bool."""
    return np.tri(T, dtype=bool)


def everything(T):
    """Every token sees all: no mask -> (T, T) bool."""
    return np.ones((T, T), dtype=bool)


def latest(count):
    """Every token sees so many at most: itself and the latest before it -> a function: T -> (T, T) bool."""
    return lambda T: earlier(T) & ~np.tri(T, k=-count, dtype=bool)


@dataclass(frozen=True)
class Wiring:
    """How the parts are put together; as it stands, as in training."""

    sees: Callable = earlier  # T -> (T, T) bool: row t is what token t may look at
    turned: bool = True  # whether RoPE turns queries and keys
    skips: bool = True  # whether a part is added to the stream, or takes its place
    feed_forward: bool = True  # whether the feed-forward layers take part


AS_TRAINED = Wiring()


def streams(model, ids, wiring=AS_TRAINED):
    """One pass, of any length -> (L+1, T, d) float32: entering block 1, then after every block."""
    ids = np.asarray(ids, dtype=np.int64)
    return (_store_streams if model.name == "store" else _sprout_streams)(model, ids, wiring)


def logits(model, ids, wiring=AS_TRAINED):
    """The same pass to its end -> (T, V) float32."""
    last = streams(model, ids, wiring)[-1]
    if model.name == "store":
        return store.unembed(last, model.network)
    import torch

    with torch.inference_mode():
        return model.network.output(model.network.final_norm(torch.from_numpy(last))).numpy()


def _through(x, parts, wiring):
    """x through the two parts of a block, each a function of x with its norm inside."""
    for part in parts if wiring.feed_forward else parts[:1]:
        x = x + part(x) if wiring.skips else part(x)
    return x


def _sprout_streams(model, ids, wiring):
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    from engine.model import rope_tables, rotate

    settings, T = model.settings, len(ids)
    H, D = settings.n_head, settings.d_model // settings.n_head
    cos, sin = rope_tables(T, D, settings.rope_base)
    sees = torch.from_numpy(wiring.sees(T))

    def attend(part, x):
        q, k, v = part.qkv(x).view(T, 3, H, D).permute(1, 2, 0, 3)
        q, k = part.q_norm(q), part.k_norm(k)
        if wiring.turned:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        gathered = scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=sees)[0]
        return part.proj(gathered.transpose(0, 1).reshape(T, -1))

    with torch.inference_mode():
        x = model.network.embedding(torch.from_numpy(ids))
        found = [x]
        for block in model.network.blocks:
            parts = (
                lambda x, b=block: attend(b.attention, b.norm1(x)),
                lambda x, b=block: b.feed_forward(b.norm2(x)),
            )
            found.append(x := _through(x, parts, wiring))
        return torch.stack(found).numpy()


def _store_streams(model, ids, wiring):
    T, H = len(ids), model.settings["n_head"]
    hidden = np.where(wiring.sees(T), 0, -np.inf).astype(np.float32)
    turn = store.rope if wiring.turned else lambda x: x

    def attend(x, layer):
        q, k, v = (
            (x @ layer[name]).reshape(T, H, -1).swapaxes(0, 1) for name in ("q", "k", "v")
        )  # each (H, T, D)
        scores = turn(q) @ turn(k).mT / np.float32(np.sqrt(q.shape[-1]))
        return (store.softmax(scores + hidden) @ v).swapaxes(0, 1).reshape(T, -1) @ layer["o"]

    x = model.network["embedding"][ids]
    found = [x]
    for number in range(model.settings["n_layer"]):
        layer = store.layer_weights(model.network, number)
        parts = (
            lambda x, w=layer: attend(store.rms_norm(x, w["attention_gain"]), w),
            lambda x, w=layer: store.feed_forward(store.rms_norm(x, w["feed_forward_gain"]), w)[0],
        )
        found.append(x := _through(x, parts, wiring))
    return np.stack(found)
