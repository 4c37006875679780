"""The store's model, whole, in NumPy: one text in, a score for every next token out.

T tokens · d stream width · H heads · D head width (d / H) · F feed-forward width
V vocabulary · L blocks.  Every matrix is used as x @ W.
"""

import numpy as np

EPSILON = 1e-5


def softmax(x):
    """Scores (..., n) -> positive numbers that sum to 1 along the last axis."""
    grown = np.exp(x - x.max(-1, keepdims=True))  # the largest becomes e^0, so nothing overflows
    return grown / grown.sum(-1, keepdims=True)


def silu(x):
    """x / (1 + e^-x): nearly 0 for very negative x, nearly x for large x."""
    return x / (1 + np.exp(-np.clip(x, -80, None)))


def rms_norm(x, gain):
    """Bring each row to root mean square 1, then scale its numbers.  (T, d), (d,) -> (T, d)"""
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * gain


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


def attention(x, layer, heads, positions=rope):
    """What each token gathers from itself and earlier ones.

    x (T, d), already normed -> added (T, d), weights (H, T, T): row t sums to 1, 0 after t.
    """
    T, d = x.shape
    D = d // heads
    q, k, v = x @ layer["q"], x @ layer["k"], x @ layer["v"]
    q, k, v = (matrix.reshape(T, heads, D).swapaxes(0, 1) for matrix in (q, k, v))  # each (H, T, D)
    scores = positions(q) @ positions(k).mT / np.float32(np.sqrt(D))
    hidden = np.triu(np.full((T, T), -np.inf, x.dtype), k=1)  # the future can't be seen
    weights = softmax(scores + hidden)
    gathered = (weights @ v).swapaxes(0, 1).reshape(T, d)
    return gathered @ layer["o"], weights


def feed_forward(x, layer):
    """Each token by itself: a gate that opens and shuts F values.  x (T, d), already normed.

    -> added (T, d), gate (T, F): silu of the gate's scores.
    """
    gate = silu(x @ layer["gate"])
    return (gate * (x @ layer["up"])) @ layer["down"], gate


def block(x, layer, heads, positions=rope):
    """Two additions to the stream.  x (T, d) -> x (T, d), attention weights (H, T, T)."""
    gathered, weights = attention(rms_norm(x, layer["attention_gain"]), layer, heads, positions)
    x = x + gathered
    made, _ = feed_forward(rms_norm(x, layer["feed_forward_gain"]), layer)
    return x + made, weights


def layer_weights(weights, layer):
    """The arrays of block `layer` (from 0) by their short names: q, k, v, o, gate, up, down, …"""
    prefix = f"blocks.{layer}."
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}


def run(ids, weights, settings, positions=rope, skip=()):
    """ids (T,) -> streams (L+1, T, d): entering block 1 and leaving each block, attention (L, H, T, T).

    A block in skip (from 0) adds nothing.
    """
    x = weights["embedding"][np.asarray(ids)]
    H, T = settings["n_head"], len(ids)
    streams, seen = [x], np.zeros((settings["n_layer"], H, T, T), x.dtype)
    for layer in range(settings["n_layer"]):
        if layer not in skip:
            x, seen[layer] = block(x, layer_weights(weights, layer), H, positions)
        streams.append(x)
    return np.stack(streams), seen


def unembed(x, weights):
    """The stream (T, d) -> logits (T, V): the last norm, then the embedding, transposed."""
    return rms_norm(x, weights["final_gain"]) @ weights["embedding"].T


def forward(ids, weights, settings, positions=rope, skip=()):
    """ids (T,) -> logits (T, V): row t scores every token that may follow token t."""
    streams, _ = run(ids, weights, settings, positions, skip)
    return unembed(streams[-1], weights)


def surprise(logits, ids):
    """-log of the probability given to each token after the first.  (T, V), (T,) -> (T-1,) nats"""
    right = softmax(logits[:-1].astype(np.float64))[np.arange(len(ids) - 1), np.asarray(ids)[1:]]
    return -np.log(np.maximum(right, 1e-300))


def perplexity(texts, weights, settings, positions=rope, skip=()):
    """e^(mean surprise) over texts, a list of ids each: as unsure as if among so many tokens."""
    nats = [surprise(forward(ids, weights, settings, positions, skip), ids) for ids in texts]
    return float(np.exp(np.concatenate(nats).mean()))
