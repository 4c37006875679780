"""A forward pass of both families written a second time, number by number in float64, with every switch.

It shares no code with the engine: loops over heads and positions, rotations as complex numbers.
"""

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


def logits(
    ids, w, n_layer, n_head, eps, base=10_000.0, pairing="halves", turn=True, norms_after=False, gated=True,
    qk_norm=True, output=None, without=(),
):  # fmt: skip
    """ids -> logits (T, V).  without: ("block", i), ("attention", i), ("feed-forward", i), ("head", i, h)."""
    x = w["embedding"][np.array(ids)].astype(np.float64)
    T, d = x.shape
    D = d // n_head

    def norm(v, gain):
        return v / np.sqrt(np.mean(v**2, -1, keepdims=True) + eps) * gain

    def turned(v):
        if not turn:
            return v
        out = np.empty_like(v)
        for m in range(T):
            for i in range(D // 2):
                a, b = (i, i + D // 2) if pairing == "halves" else (2 * i, 2 * i + 1)
                z = complex(v[m, a], v[m, b]) * np.exp(1j * m * base ** (-2 * i / D))
                out[m, a], out[m, b] = z.real, z.imag
        return out

    def attend(x, block):
        p = f"blocks.{block}."
        added = np.zeros_like(x)
        for h in range(n_head):
            own = slice(h * D, (h + 1) * D)
            if ("attention", block) in without or ("head", block, h) in without:
                continue
            q, k, v = (x @ w[p + n][:, own] for n in "qkv")
            if p + "q_gain" in w and qk_norm:
                q, k = norm(q, w[p + "q_gain"]), norm(k, w[p + "k_gain"])
            q, k = turned(q), turned(k)
            for t in range(T):
                scores = np.exp(q[t] @ k[: t + 1].T / np.sqrt(D))
                added[t] += (scores / scores.sum()) @ v[: t + 1] @ w[p + "o"][own]
        return added

    def feed(x, block):
        p = f"blocks.{block}."
        if ("feed-forward", block) in without:
            return np.zeros_like(x)
        a = x @ w[p + "gate"]
        return ((a / (1 + np.exp(-a)) if gated else 1) * (x @ w[p + "up"])) @ w[p + "down"]

    for block in range(n_layer):
        if ("block", block) in without:
            continue
        for part, name in ((attend, "attention_gain"), (feed, "feed_forward_gain")):
            gain = w[f"blocks.{block}.{name}"]
            x = norm(x + part(x, block), gain) if norms_after else x + part(norm(x, gain), block)
    return norm(x, w["final_gain"]) @ (w["embedding"] if output is None else output).T
