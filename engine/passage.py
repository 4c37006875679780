"""What each part of a model did to one token's vector on its way from the embedding to the prediction.

T tokens read, up to and with the one followed · d stream width · H heads · F feed-forward width
L blocks
"""

from dataclasses import dataclass

import numpy as np

from engine import store, trace

SHUT = 0.05  # a gate is nearly shut where |silu| is less than this


@dataclass(frozen=True)
class Passage:
    """Measured at one token.  Lengths are Euclidean; (L,) holds a number for each block."""

    token: int
    stream: np.ndarray  # (L+1,) length entering block 1, then leaving each block
    between: np.ndarray  # (L,) length between attention's addition and the feed-forward layer's
    attention_added: np.ndarray  # (L,) length of what attention adds
    feed_forward_added: np.ndarray  # (L,)
    attention_angle: np.ndarray  # (L,) degrees from the stream to what is added; nan where that is 0
    feed_forward_angle: np.ndarray  # (L,)
    stream_rms: np.ndarray  # (L+1,) root mean square: what norm 1 of each block reads, then the final norm
    between_rms: np.ndarray  # (L,) what norm 2 reads
    norm1_rms: np.ndarray  # (L,) leaving norm 1, gains included
    norm2_rms: np.ndarray  # (L,)
    final_rms: float  # leaving the final norm
    raw_queries: np.ndarray  # (L, H) length of a head's query as the matrix makes it
    raw_keys: np.ndarray  # (L, H)
    queries: np.ndarray  # (L, H) length of the query that is compared; QK-norm may have changed it
    keys: np.ndarray  # (L, H)
    values: np.ndarray  # (L, H) length of the value
    attention: np.ndarray  # (L, H, T) what each head looks at; sums to 1
    gates: int  # F
    gates_shut: np.ndarray  # (L,) gates with |silu| < SHUT
    gates_open: np.ndarray  # (L,) gates with a score above 0
    let_through: np.ndarray  # (L,) length of W3's values, before the gate
    product: np.ndarray  # (L,) length after it
    largest: np.ndarray  # (L,) the largest size of a number in the product
    top: np.ndarray  # (5,) the likeliest next tokens
    probabilities: np.ndarray  # (5,)
    next_probability: float | None  # of the token that really comes next, where there is one


def follow(model, ids, token):
    """Run the model on ids up to a token, and measure what happened to that token's vector.

    Later tokens can't have changed it.  Raises ValueError as engine.run does, or for no such token.
    """
    if not 0 <= token < len(ids):
        raise ValueError(f"There is no token {token}: the text has {len(ids)}, counted from 0.")
    seen = trace.run(model, ids[: token + 1], ("attention", "gate", "value", "queries", "keys"))
    x, attended, made = (
        array[:, -1].astype(np.float64)
        for array in (seen.streams, seen.attention_added, seen.feed_forward_added)
    )
    between = x[:-1] + attended
    weights = _weights(model)
    eps = weights["eps"]
    normed1, normed2 = _normed(x[:-1], weights["norm1"], eps), _normed(between, weights["norm2"], eps)
    gate, value = seen.gate[:, -1].astype(np.float64), seen.value[:, -1].astype(np.float64)
    L, H = seen.attention.shape[:2]
    raw = [
        np.einsum("ld,lde->le", normed1, matrix).reshape(L, H, -1) for matrix in weights["query key value"]
    ]
    p = store.softmax(seen.logits[-1].astype(np.float64))
    top = np.argsort(-p, kind="stable")[:5]
    return Passage(
        token=token,
        stream=_length(x),
        between=_length(between),
        attention_added=_length(attended),
        feed_forward_added=_length(made),
        attention_angle=_angle(x[:-1], attended),
        feed_forward_angle=_angle(between, made),
        stream_rms=_rms(x),
        between_rms=_rms(between),
        norm1_rms=_rms(normed1),
        norm2_rms=_rms(normed2),
        final_rms=float(_rms(_normed(x[-1], weights["final"], eps))),
        raw_queries=_length(raw[0]),
        raw_keys=_length(raw[1]),
        queries=_length(seen.queries[:, :, -1]),
        keys=_length(seen.keys[:, :, -1]),
        values=_length(raw[2]),
        attention=seen.attention[:, :, -1].copy(),
        gates=gate.shape[-1],
        gates_shut=(np.abs(gate) < SHUT).sum(-1),
        gates_open=(gate > 0).sum(-1),
        let_through=_length(value),
        product=_length(gate * value),
        largest=np.abs(gate * value).max(-1),
        top=top,
        probabilities=p[top],
        next_probability=float(p[ids[token + 1]]) if token + 1 < len(ids) else None,
    )


def _weights(model):
    """Gains (L, d) and the matrices of queries, keys and values (L, d, d), each used as x @ W."""
    if model.name == "store":
        layers = [store.layer_weights(model.network, n) for n in range(model.setting("n_layer"))]
        gather = {name: np.stack([layer[name] for layer in layers]) for name in layers[0]}
        return {
            "eps": store.EPSILON, "norm1": gather["attention_gain"], "norm2": gather["feed_forward_gain"],
            "final": model.network["final_gain"], "query key value": [gather[name] for name in "qkv"],
        }  # fmt: skip
    blocks = model.network.blocks

    def stacked(take):
        return np.stack([take(block).detach().numpy() for block in blocks])

    qkv = stacked(lambda block: block.attention.qkv.weight).swapaxes(1, 2)
    return {
        "eps": model.network.final_norm.eps,
        "norm1": stacked(lambda block: block.norm1.gain),
        "norm2": stacked(lambda block: block.norm2.gain),
        "final": model.network.final_norm.gain.detach().numpy(),
        "query key value": np.split(qkv, 3, axis=2),
    }


def _normed(x, gain, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain


def _length(x):
    return np.linalg.norm(x, axis=-1)


def _rms(x):
    return np.sqrt((x * x).mean(-1))


def _angle(a, b):
    """Degrees between vectors, from 0 to 180; nan where one has no length."""
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = (a * b).sum(-1) / (_length(a) * _length(b))
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))
