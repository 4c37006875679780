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
            for n in range(model.setting("n_layer"))
        ]
        return blocks, model.network["embedding"], model.network["final_gain"], 1e-5
    state = {name: w.double().numpy() for name, w in model.network.state_dict().items()}
    blocks = []
    for n in range(model.setting("n_layer")):
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


def by_hand(model, ids):
    """The whole pass over ids -> what engine.journey_of measures at the last token, under its names."""
    blocks, embedding, final_gain, eps = weights_of(model)
    H = model.setting("n_head")
    x = embedding[ids].astype(np.float64)
    T, d = x.shape
    D = d // H
    length = np.linalg.norm

    def norm(v, gain):
        return v / np.sqrt((v**2).mean(-1, keepdims=True) + eps) * gain

    def turn(v):
        out = v.copy()
        for m in range(T):
            for i in range(D // 2):
                angle = m * 10000.0 ** (-2 * i / D)
                a, b = v[m, i], v[m, i + D // 2]
                out[m, i] = a * np.cos(angle) - b * np.sin(angle)
                out[m, i + D // 2] = a * np.sin(angle) + b * np.cos(angle)
        return out

    def angle(a, b):
        return np.degrees(np.arccos(a @ b / length(a) / length(b)))

    found = {"stream": [length(x[-1])], "stream_rms": [np.sqrt((x[-1] ** 2).mean())]}

    def keep(**values):
        for name, value in values.items():
            found.setdefault(name, []).append(value)

    for w in blocks:
        n1 = norm(x, w["gain1"])
        gathered, looked, q_raw, k_raw, q_used, k_used, v_used = np.empty((T, d)), [], [], [], [], [], []
        for h in range(H):
            own = slice(h * D, (h + 1) * D)
            q, k, v = (n1 @ w[name][:, own] for name in "qkv")
            q_raw.append(length(q[-1]))
            k_raw.append(length(k[-1]))
            if "q_gain" in w:
                q, k = norm(q, w["q_gain"]), norm(k, w["k_gain"])
            q_used.append(length(q[-1]))
            k_used.append(length(k[-1]))
            v_used.append(length(v[-1]))
            scores = turn(q) @ turn(k).T / np.sqrt(D)
            scores[np.triu_indices(T, 1)] = -np.inf
            shares = np.exp(scores - scores.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
            looked.append(shares[-1])
            gathered[:, own] = shares @ v
        added = gathered @ w["o"]
        between = x + added
        n2 = norm(between, w["gain2"])
        scores, value = n2 @ w["w1"], n2 @ w["w3"]
        gate = scores / (1 + np.exp(-scores))
        made = (gate * value) @ w["w2"]
        keep(
            between=length(between[-1]), between_rms=np.sqrt((between[-1] ** 2).mean()),
            attention_added=length(added[-1]), attention_angle=angle(x[-1], added[-1]),
            feed_forward_added=length(made[-1]), feed_forward_angle=angle(between[-1], made[-1]),
            norm1_rms=np.sqrt((n1[-1] ** 2).mean()), norm2_rms=np.sqrt((n2[-1] ** 2).mean()),
            raw_queries=q_raw, raw_keys=k_raw, queries=q_used, keys=k_used, values=v_used, attention=looked,
            gates_shut=(abs(gate[-1]) < 0.05).sum(), gates_open=(scores[-1] > 0).sum(),
            let_through=length(value[-1]), product=length((gate * value)[-1]),
            largest=abs(gate * value)[-1].max(),
        )  # fmt: skip
        x = between + made
        keep(stream=length(x[-1]), stream_rms=np.sqrt((x[-1] ** 2).mean()))
    last = norm(x[-1], final_gain)
    p = np.exp(embedding @ last - (embedding @ last).max())
    p /= p.sum()
    top = np.argsort(-p)[:5]
    found |= {"final_rms": np.sqrt((last**2).mean()), "top": top, "probabilities": p[top]}
    return found


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_the_numbers_equal_a_pass_by_hand(kind):
    model = tiny.model(kind)
    ids = model.tokenizer.encode(TEXT)
    token = len(ids) - 4
    measured = vars(engine.journey_of(model, ids, token))
    expected = by_hand(model, np.array(ids[: token + 1]))
    for name, value in expected.items():
        np.testing.assert_allclose(measured[name], value, rtol=2e-3, atol=2e-4, err_msg=name)
    assert measured["gates"] == model.setting("d_ff")


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
