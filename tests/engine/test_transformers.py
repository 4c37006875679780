"""The same weights in the `transformers` library's own models must give the same scores.

The Sprout family's architecture is its Qwen3ForCausalLM, the store's is its LlamaForCausalLM.
"""

from functools import cache

import numpy as np
import pytest
import torch

import engine
from engine import measures, presets, store, weights
from engine import model as model_file
from tests import tiny

transformers = pytest.importorskip("transformers")
TOLERANCE = 1e-4


def config_of(model, kind, **more):
    shape = model.architecture
    return kind(
        **tiny.library_sizes(shape),
        num_key_value_heads=shape.n_head,
        head_dim=shape.d_model // shape.n_head,
        rope_parameters={"rope_type": "default", "rope_theta": model.rope_base},
        attention_bias=False,
        tie_word_embeddings=True,
        **more,
    )


def as_qwen3(model):
    """A Qwen3ForCausalLM that holds a Sprout model's weights."""
    kind = transformers.Qwen3ForCausalLM
    twin = kind(config_of(model, transformers.Qwen3Config, rms_norm_eps=1e-6, use_sliding_window=False))
    state = {"model.norm.weight": model.network.final_norm.gain}
    state["model.embed_tokens.weight"] = state["lm_head.weight"] = model.network.embedding.weight
    for number, block in enumerate(model.network.blocks):
        q, k, v = block.attention.qkv.weight.chunk(3)
        parts = {
            "input_layernorm": block.norm1.gain,
            "post_attention_layernorm": block.norm2.gain,
            "self_attn.q_proj": q,
            "self_attn.k_proj": k,
            "self_attn.v_proj": v,
            "self_attn.o_proj": block.attention.proj.weight,
            "self_attn.q_norm": block.attention.q_norm.gain,
            "self_attn.k_norm": block.attention.k_norm.gain,
            "mlp.gate_proj": block.feed_forward.w1.weight,
            "mlp.up_proj": block.feed_forward.w3.weight,
            "mlp.down_proj": block.feed_forward.w2.weight,
        }
        state |= {f"model.layers.{number}.{name}.weight": weight for name, weight in parts.items()}
    twin.load_state_dict(state)  # strict: it has no other weights
    return twin.eval()


def as_llama(model):
    """A LlamaForCausalLM that holds the store's weights; it uses matrices as W x, so they are transposed."""
    kind = transformers.LlamaForCausalLM
    twin = kind(config_of(model, transformers.LlamaConfig, rms_norm_eps=store.EPSILON, mlp_bias=False))
    arrays = {name: torch.from_numpy(array.copy()) for name, array in model.network.items()}
    state = {"model.norm.weight": arrays["final_gain"]}
    state["model.embed_tokens.weight"] = state["lm_head.weight"] = arrays["embedding"]
    names = {
        "q": "self_attn.q_proj",
        "k": "self_attn.k_proj",
        "v": "self_attn.v_proj",
        "o": "self_attn.o_proj",
        "gate": "mlp.gate_proj",
        "up": "mlp.up_proj",
        "down": "mlp.down_proj",
        "attention_gain": "input_layernorm",
        "feed_forward_gain": "post_attention_layernorm",
    }
    for number in range(model.architecture.n_layer):
        for short, name in names.items():
            array = arrays[f"blocks.{number}.{short}"]
            state[f"model.layers.{number}.{name}.weight"] = array.T if array.ndim == 2 else array
    twin.load_state_dict(state)
    return twin.eval()


def their_logits(model, ids):
    twin = (as_llama if model.name == "store" else as_qwen3)(model)
    with torch.no_grad():
        return twin(torch.tensor(ids)[None], use_cache=False).logits[0].numpy()


def gap(model, ids, **how):
    """The largest difference between our scores and the library's."""
    ours = store.forward(ids, model.network, model.settings, **how) if how else model.logits(ids)
    return np.abs(ours - their_logits(model, ids)).max()


def neighbours(x, cos, sin):
    """The wrong rotation: pairs (0, 1), (2, 3) … as some checkpoints want it, and ours do not."""
    first, second = x[..., ::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), -1).flatten(-2)


def neighbours_in_numpy(x):
    order = np.arange(x.shape[-1]).reshape(-1, 2).T.flatten()
    turned = np.empty_like(x)
    turned[..., order] = store.rope(x[..., order])
    return turned


@cache
def load(name):
    """A model whose weights are here, or a skip."""
    if name not in weights.available():
        pytest.skip(f"no weights of {name} here")
    return engine.load(name)


def longest_text(model):
    """A whole text of ours, the longest that the model reads."""
    return max(measures.own_rows(model), key=len)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_a_model_with_loud_weights_gives_the_library_s_scores(kind):
    model = tiny.model(kind)
    ids = longest_text(model)
    assert model.logits(ids).std() > 0.5
    assert gap(model, ids) < TOLERANCE


@pytest.mark.parametrize("name", presets.NAMES)
def test_every_model_gives_the_library_s_scores_on_a_whole_text(name):
    model = load(name)
    ids = longest_text(model)
    assert len(ids) > 60
    assert gap(model, ids) < TOLERANCE


@pytest.mark.parametrize("name", ["loud", "gpt-1", "gpt-4"])
def test_a_wrong_pairing_in_rope_fails_the_same_comparison(monkeypatch, name):
    model = tiny.model("sprout") if name == "loud" else load(name)
    monkeypatch.setattr(model_file, "rotate", neighbours)
    assert gap(model, longest_text(model)) > 10 * TOLERANCE


@pytest.mark.parametrize("name", ["loud", "store"])
def test_a_wrong_pairing_in_numpy_fails_the_same_comparison(name):
    model = tiny.model("store") if name == "loud" else load(name)
    assert gap(model, longest_text(model), positions=neighbours_in_numpy) > 10 * TOLERANCE


def test_a_wrong_base_fails_the_same_comparison():
    model = tiny.model("store")
    ids = longest_text(model)
    assert gap(model, ids, positions=lambda x: store.rope(x, 100_000.0)) > 10 * TOLERANCE
