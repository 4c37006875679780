"""A forward pass of both families written a second time, number by number in float64, with every switch.

It shares no code with the engine: loops over heads and positions, rotations as complex numbers.
"""

from dataclasses import dataclass

import numpy as np


def sprout_arrays(network):
    """A Transformer's weights as {name: float64 array}, matrices to be used as x @ W."""
    arrays = {n: w.detach().double().numpy() for n, w in network.named_parameters()}
    out = {"embedding": arrays["embedding.weight"], "final_gain": arrays["final_norm.gain"]}
    for i in range(network.settings.n_layer):
        p = f"blocks.{i}."
        q, k, v = np.split(arrays[p + "attention.qkv.weight"].T, 3, axis=1)
        out |= {
            p + "q": q,
            p + "k": k,
            p + "v": v,
            p + "o": arrays[p + "attention.proj.weight"].T,
            p + "q_gain": arrays[p + "attention.q_norm.gain"],
            p + "k_gain": arrays[p + "attention.k_norm.gain"],
            p + "gate": arrays[p + "feed_forward.w1.weight"].T,
            p + "up": arrays[p + "feed_forward.w3.weight"].T,
            p + "down": arrays[p + "feed_forward.w2.weight"].T,
            p + "attention_gain": arrays[p + "norm1.gain"],
            p + "feed_forward_gain": arrays[p + "norm2.gain"],
        }
    return out


@dataclass
class Switches:
    """What it is made with.  without: ("block", i), ("attention", i), ("feed-forward", i), ("head", i, h)."""

    n_layer: int
    n_head: int
    eps: float
    base: float = 10_000.0
    pairing: str = "halves"
    turn: bool = True
    norms_after: bool = False
    gated: bool = True
    qk_norm: bool = True
    output: np.ndarray | None = None
    without: tuple = ()


def logits(ids, w, n_layer, n_head, eps, **switches):
    """ids -> logits (T, V), with Switches."""
    made = Switches(n_layer, n_head, eps, **switches)
    x = w["embedding"][np.array(ids)].astype(np.float64)
    for block in range(n_layer):
        if ("block", block) in made.without:
            continue
        for part, name in ((attend, "attention_gain"), (feed, "feed_forward_gain")):
            gain = w[f"blocks.{block}.{name}"]
            if made.norms_after:
                x = norm(x + part(x, w, block, made), gain, eps)
            else:
                x = x + part(norm(x, gain, eps), w, block, made)
    return norm(x, w["final_gain"], eps) @ (w["embedding"] if made.output is None else made.output).T


def norm(v, gain, eps):
    return v / np.sqrt(np.mean(v**2, -1, keepdims=True) + eps) * gain


def turned(v, made):
    """RoPE on a head's (T, D), pair by pair, as a product of complex numbers."""
    if not made.turn:
        return v
    out, D = np.empty_like(v), v.shape[1]
    for m in range(len(v)):
        for i in range(D // 2):
            a, b = (i, i + D // 2) if made.pairing == "halves" else (2 * i, 2 * i + 1)
            z = complex(v[m, a], v[m, b]) * np.exp(1j * m * made.base ** (-2 * i / D))
            out[m, a], out[m, b] = z.real, z.imag
    return out


def attend(x, w, block, made):
    p, added, D = f"blocks.{block}.", np.zeros_like(x), x.shape[1] // made.n_head
    for h in range(made.n_head):
        own = slice(h * D, (h + 1) * D)
        if ("attention", block) in made.without or ("head", block, h) in made.without:
            continue
        q, k, v = (x @ w[p + n][:, own] for n in "qkv")
        if p + "q_gain" in w and made.qk_norm:
            q, k = norm(q, w[p + "q_gain"], made.eps), norm(k, w[p + "k_gain"], made.eps)
        q, k = turned(q, made), turned(k, made)
        for t in range(len(x)):
            scores = np.exp(q[t] @ k[: t + 1].T / np.sqrt(D))
            added[t] += (scores / scores.sum()) @ v[: t + 1] @ w[p + "o"][own]
    return added


def feed(x, w, block, made):
    p = f"blocks.{block}."
    if ("feed-forward", block) in made.without:
        return np.zeros_like(x)
    a = x @ w[p + "gate"]
    return ((a / (1 + np.exp(-a)) if made.gated else 1) * (x @ w[p + "up"])) @ w[p + "down"]
