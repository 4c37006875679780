"""A token's journey equals that of a pass worked out by hand, in NumPy, from the weights alone."""

import numpy as np
import pytest

import engine
from tests import tiny

TEXT = "The red bird sat on the old gate and sang to the moon."


def weights_of(model):
    """One dict of float64 arrays for each block, used as x @ W, and the embedding and final gain."""
    if model.name == "store":
        names = {
            "gain1": "attention_gain",
            "q": "q",
            "k": "k",
            "v": "v",
            "o": "o",
            "gain2": "feed_forward_gain",
            "w1": "gate",
            "w3": "up",
            "w2": "down",
        }
        blocks = [
            {ours: model.network[f"blocks.{n}.{theirs}"] for ours, theirs in names.items()}
            for n in range(model.architecture.n_layer)
        ]
        return blocks, model.network["embedding"], model.network["final_gain"], 1e-5
    state = {name: w.double().numpy() for name, w in model.network.state_dict().items()}
    blocks = []
    for n in range(model.architecture.n_layer):
        own = {k.removeprefix(f"blocks.{n}."): w for k, w in state.items() if k.startswith(f"blocks.{n}.")}
        q, k, v = np.split(own["attention.qkv.weight"].T, 3, axis=1)
        blocks.append(
            {
                "gain1": own["norm1.gain"],
                "q": q,
                "k": k,
                "v": v,
                "o": own["attention.proj.weight"].T,
                "q_gain": own["attention.q_norm.gain"],
                "k_gain": own["attention.k_norm.gain"],
                "gain2": own["norm2.gain"],
                "w1": own["feed_forward.w1.weight"].T,
                "w3": own["feed_forward.w3.weight"].T,
                "w2": own["feed_forward.w2.weight"].T,
            }
        )
    return blocks, state["embedding.weight"], state["final_norm.gain"], 1e-6


def norm(v, gain, eps):
    return v / np.sqrt((v**2).mean(-1, keepdims=True) + eps) * gain


def turn(v):
    """RoPE, one pair after the other.  (T, D) -> (T, D)"""
    out = v.copy()
    half = v.shape[1] // 2
    for m in range(len(v)):
        for i in range(half):
            angle = m * 10000.0 ** (-i / half)
            a, b = v[m, i], v[m, i + half]
            out[m, i] = a * np.cos(angle) - b * np.sin(angle)
            out[m, i + half] = a * np.sin(angle) + b * np.cos(angle)
    return out


def length(v):
    return np.linalg.norm(v)


def rms(v):
    return np.sqrt((v**2).mean())


def degrees(a, b):
    return np.degrees(np.arccos(a @ b / length(a) / length(b)))


def attend(x, w, H, eps):
    """Attention of one block on x (T, d) -> what it adds, and what is measured of each head's last token."""
    n1 = norm(x, w["gain1"], eps)
    T, D = len(x), x.shape[1] // H
    gathered = np.empty_like(x)
    seen = {name: [] for name in ("raw_queries", "raw_keys", "queries", "keys", "values", "attention")}
    for h in range(H):
        own = slice(h * D, (h + 1) * D)
        q, k, v = (n1 @ w[name][:, own] for name in "qkv")
        raw = q, k
        if "q_gain" in w:
            q, k = norm(q, w["q_gain"], eps), norm(k, w["k_gain"], eps)
        scores = turn(q) @ turn(k).T / np.sqrt(D)
        scores[np.triu_indices(T, 1)] = -np.inf
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        gathered[:, own] = shares @ v
        for name, measured in zip(seen, (*raw, q, k, v), strict=False):
            seen[name].append(length(measured[-1]))
        seen["attention"].append(shares[-1])
    return gathered @ w["o"], seen | {"norm1_rms": rms(n1[-1])}


def feed(between, w, eps):
    """The feed-forward layer of one block -> what it adds (T, d), and what is measured at the last token."""
    n2 = norm(between, w["gain2"], eps)
    scores, value = n2 @ w["w1"], n2 @ w["w3"]
    gate = scores / (1 + np.exp(-scores))
    product = gate * value
    return product @ w["w2"], {
        "norm2_rms": rms(n2[-1]),
        "gates_shut": (abs(gate[-1]) < 0.05).sum(),
        "gates_open": (scores[-1] > 0).sum(),
        "let_through": length(value[-1]),
        "product": length(product[-1]),
        "largest": abs(product[-1]).max(),
    }


def by_hand(model, ids):
    """The whole pass over ids -> what engine.journey_of measures at the last token, under its names."""
    blocks, embedding, final_gain, eps = weights_of(model)
    x = embedding[ids].astype(np.float64)
    found = {"stream": [length(x[-1])], "stream_rms": [rms(x[-1])]}
    for w in blocks:
        added, of_attention = attend(x, w, model.architecture.n_head, eps)
        between = x + added
        made, of_feed_forward = feed(between, w, eps)
        after = between + made
        of_block = {
            "between": length(between[-1]),
            "between_rms": rms(between[-1]),
            "attention_added": length(added[-1]),
            "attention_angle": degrees(x[-1], added[-1]),
            "feed_forward_added": length(made[-1]),
            "feed_forward_angle": degrees(between[-1], made[-1]),
            "stream": length(after[-1]),
            "stream_rms": rms(after[-1]),
        }
        for name, value in (of_block | of_attention | of_feed_forward).items():
            found.setdefault(name, []).append(value)
        x = after
    last = norm(x[-1], final_gain, eps)
    p = np.exp(embedding @ last - (embedding @ last).max())
    p /= p.sum()
    top = np.argsort(-p)[:5]
    return found | {"final_rms": rms(last), "top": top, "probabilities": p[top]}


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_the_numbers_equal_a_pass_by_hand(kind):
    model = tiny.model(kind)
    ids = model.tokenizer.encode(TEXT)
    token = len(ids) - 4
    measured = vars(engine.journey_of(model, ids, token))
    expected = by_hand(model, np.array(ids[: token + 1]))
    for name, value in expected.items():
        np.testing.assert_allclose(measured[name], value, rtol=2e-3, atol=2e-4, err_msg=name)
    assert measured["gates"] == model.architecture.d_ff


def test_the_probability_of_the_next_token_is_that_of_the_whole_text():
    model = tiny.model("sprout")
    ids = model.tokenizer.encode(TEXT)
    logits = engine.run(model, ids).logits.astype(np.float64)
    for token in (0, 5, len(ids) - 2):
        shares = np.exp(logits[token] - logits[token].max())
        expected = shares[ids[token + 1]] / shares.sum()
        assert engine.journey_of(model, ids, token).next_probability == pytest.approx(expected, rel=1e-3)
    assert engine.journey_of(model, ids, len(ids) - 1).next_probability is None


@pytest.mark.parametrize("token", [-1, 3])
def test_a_token_that_is_not_there_is_refused(token):
    with pytest.raises(ValueError, match="the text has 3"):
        engine.journey_of(tiny.model("sprout"), [1, 2, 3], token)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_what_is_read_on_the_way_is_what_the_lens_reads(kind):
    model = tiny.model(kind)
    ids = model.tokenizer.encode(TEXT)
    journey = engine.journey_of(model, ids, 6)
    passed = engine.run(model, ids[:7])
    lens = engine.logit_lens(model, passed, 5, engine.lens.streams_within(passed))
    assert journey.read.shape == journey.read_probabilities.shape == (2 * model.architecture.n_layer + 1, 5)
    assert np.array_equal(journey.read, lens.ids[:, -1])
    assert np.allclose(journey.read_probabilities, lens.probabilities[:, -1], atol=1e-5)
