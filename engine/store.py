"""The store's model, whole, in NumPy: one text in, a score for every next token out.

T tokens · d stream width · H heads · D head width (d / H) · F feed-forward width
V vocabulary · L blocks.  Every matrix is used as x @ W.
"""

from functools import partial

import numpy as np

EPSILON = 1e-5  # where the settings name no other


def softmax(x):
    """Scores (..., n) -> positive numbers that sum to 1 along the last axis."""
    grown = np.exp(x - x.max(-1, keepdims=True))  # the largest becomes e^0, so nothing overflows
    return grown / grown.sum(-1, keepdims=True)


def silu(x):
    """x / (1 + e^-x): nearly 0 for very negative x, nearly x for large x."""
    return x / (1 + np.exp(-np.clip(x, -80, None)))


def rms_norm(x, gain, epsilon=EPSILON):
    """Bring each row to root mean square 1, then scale its numbers.  (T, d), (d,) -> (T, d)"""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * gain


def rope(x, base=10000.0):
    """Turn each pair (x[i], x[i + D/2]) of row m by m * base^(-2i / D) radians.  (..., T, D) -> the same

    Su et al. 2021, section 3.4.2; the pairing of halves is GPT-NeoX's and Llama's.
    """
    T, D = x.shape[-2:]
    speed = base ** (-np.arange(0, D, 2) / D)
    angle = np.outer(np.arange(T), speed)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    first, second = x[..., : D // 2], x[..., D // 2 :]
    return np.concatenate((first * cos - second * sin, first * sin + second * cos), axis=-1)


def hidden(T):
    """Minus infinity where a token would see the future, else 0.  (T, T)"""
    return np.triu(np.full((T, T), -np.inf, np.float32), k=1)


def attention(x, layer, heads, positions=rope):
    """What each token gathers from itself and earlier ones.  x (T, d), already normed.

    -> added (T, d), and what passed: queries, keys, values (H, T, D), none turned yet, and the
    attention weights (H, T, T), whose row t sums to 1 and is 0 after t; gathered (T, d), the heads in a row.
    """
    T, d = x.shape
    D = d // heads
    q, k, v = x @ layer["q"], x @ layer["k"], x @ layer["v"]
    q, k, v = (matrix.reshape(T, heads, D).swapaxes(0, 1) for matrix in (q, k, v))  # each (H, T, D)
    scores = positions(q) @ positions(k).mT / np.float32(np.sqrt(D))
    weights = softmax(scores + hidden(T))
    gathered = (weights @ v).swapaxes(0, 1).reshape(T, d)
    seen = {"queries": q, "keys": k, "values": v, "attention": weights, "gathered": gathered}
    return gathered @ layer["o"], seen


def feed_forward(x, layer):
    """Each token by itself: a gate that opens and shuts F values.  x (T, d), already normed.

    -> added (T, d), and what passed: gate (T, F), silu of its scores, the values, and units, their product.
    """
    gate = silu(x @ layer["gate"])
    value = x @ layer["up"]
    units = gate * value
    return units @ layer["down"], {"gate": gate, "value": value, "units": units}


def block(x, layer, heads, positions=rope, epsilon=EPSILON):
    """Two additions to the stream.  x (T, d) -> x (T, d), and what passed, by name."""
    normed = rms_norm(x, layer["attention_gain"], epsilon)
    gathered, seen = attention(normed, layer, heads, positions)
    x = x + gathered
    normed_again = rms_norm(x, layer["feed_forward_gain"], epsilon)
    made, opened = feed_forward(normed_again, layer)
    added = {"attention_added": gathered, "feed_forward_added": made}
    return x + made, {"norm1": normed, **seen, "norm2": normed_again, **opened, **added}


def layer_weights(weights, layer):
    """The arrays of block `layer` (from 0) by their short names: q, k, v, o, gate, up, down, …"""
    prefix = f"blocks.{layer}."
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def run(ids, weights, settings, positions=None, skip=()):
    """ids (T,) -> streams (L+1, T, d): entering block 1 and leaving each block; what passed in each block.

    A block in skip (from 0) adds nothing, and nothing passes: {}.  positions: instead of RoPE.
    """
    x = weights["embedding"][np.asarray(ids)]
    positions = positions or partial(rope, base=settings["rope_base"])
    streams, passed = [x], []
    for layer in range(settings["n_layer"]):
        seen = {}
        if layer not in skip:
            own = layer_weights(weights, layer)
            x, seen = block(x, own, settings["n_head"], positions, settings.get("norm_eps", EPSILON))
        streams.append(x)
        passed.append(seen)
    return np.stack(streams), passed


def unembed(x, weights, epsilon=EPSILON):
    """The stream (T, d) -> logits (T, V): the last norm, then the embedding, transposed."""
    return rms_norm(x, weights["final_gain"], epsilon) @ weights["embedding"].T


def forward(ids, weights, settings, positions=None, skip=()):
    """ids (T,) -> logits (T, V): row t scores every token that may follow token t."""
    streams, _ = run(ids, weights, settings, positions, skip)
    return unembed(streams[-1], weights, settings.get("norm_eps", EPSILON))


def surprise(logits, ids):
    """-log of the probability given to each token after the first.  (T, V), (T,) -> (T-1,) nats"""
    right = softmax(logits[:-1].astype(np.float64))[np.arange(len(ids) - 1), np.asarray(ids)[1:]]
    return -np.log(np.maximum(right, 1e-300))


def perplexity(texts, weights, settings, positions=None, skip=()):
    """e^(mean surprise) over texts, a list of ids each: as unsure as if among so many tokens."""
    nats = [surprise(forward(ids, weights, settings, positions, skip), ids) for ids in texts]
    return float(np.exp(np.concatenate(nats).mean()))
