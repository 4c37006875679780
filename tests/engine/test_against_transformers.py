"""Every quoted preset and every family of config.json, counted by building the model without memory."""

import json

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from engine.counting import config_json, count_parameters
from engine.counting.published import BY_ID
from tests.engine.test_counting import architectures

# What the published files say, as far as the count depends on it.
_LLAMA_7B = {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
_SMOL = {
    "model_type": "llama",
    "vocab_size": 49_152,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": True,
}
_GPT2 = {"model_type": "gpt2", "vocab_size": 50_257, "n_positions": 1024}
CONFIGS = {
    "gpt2": {**_GPT2, "n_embd": 768, "n_layer": 12, "n_head": 12},
    "gpt2-untied": {**_GPT2, "n_embd": 768, "n_layer": 12, "n_head": 12, "tie_word_embeddings": False},
    "gpt2-medium": {**_GPT2, "n_embd": 1024, "n_layer": 24, "n_head": 16},
    "gpt2-large": {**_GPT2, "n_embd": 1280, "n_layer": 36, "n_head": 20},
    "gpt2-xl": {**_GPT2, "n_embd": 1600, "n_layer": 48, "n_head": 25},
    "pythia-70m": {
        "model_type": "gpt_neox", "vocab_size": 50_304, "hidden_size": 512, "num_hidden_layers": 6,
        "num_attention_heads": 8, "intermediate_size": 2048, "max_position_embeddings": 2048,
        "tie_word_embeddings": False,
    },
    "smollm2-135m": {
        **_SMOL, "hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9,
        "num_key_value_heads": 3, "intermediate_size": 1536,
    },
    "smollm2-360m": {
        **_SMOL, "hidden_size": 960, "num_hidden_layers": 32, "num_attention_heads": 15,
        "num_key_value_heads": 5, "intermediate_size": 2560,
    },
    "qwen3-0.6b": {
        "model_type": "qwen3", "vocab_size": 151_936, "hidden_size": 1024, "num_hidden_layers": 28,
        "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072,
        "max_position_embeddings": 40_960, "tie_word_embeddings": True, "attention_bias": False,
    },
    "llama-2-7b": {
        **_LLAMA_7B, "model_type": "llama", "vocab_size": 32_000, "num_key_value_heads": 32,
        "intermediate_size": 11_008, "max_position_embeddings": 4096, "tie_word_embeddings": False,
    },
    "llama-3-8b": {
        **_LLAMA_7B, "model_type": "llama", "vocab_size": 128_256, "num_key_value_heads": 8,
        "intermediate_size": 14_336, "max_position_embeddings": 8192, "tie_word_embeddings": False,
    },
    "mistral-7b": {
        **_LLAMA_7B, "model_type": "mistral", "vocab_size": 32_000, "num_key_value_heads": 8,
        "intermediate_size": 14_336, "max_position_embeddings": 32_768, "tie_word_embeddings": False,
    },
}  # fmt: skip
# Small ones for what the presets leave out: biases, and lines that a file may lack.
_SMALL = {
    "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 96,
}  # fmt: skip
MORE = {
    "llama with biases": {**_SMALL, "model_type": "llama", "attention_bias": True, "mlp_bias": True},
    "llama, narrow heads": {**_SMALL, "model_type": "llama", "head_dim": 8, "num_key_value_heads": 2},
    "mistral": {**_SMALL, "model_type": "mistral", "num_attention_heads": 8},
    "qwen2": {**_SMALL, "model_type": "qwen2", "num_key_value_heads": 2, "tie_word_embeddings": True},
    "qwen2, as it comes": {**_SMALL, "model_type": "qwen2", "num_attention_heads": 32},
    "qwen3 with biases": {**_SMALL, "model_type": "qwen3", "num_key_value_heads": 1, "attention_bias": True},
    "qwen3, as it comes": {**_SMALL, "model_type": "qwen3", "num_attention_heads": 32},
    "gpt_neox without biases": {**_SMALL, "model_type": "gpt_neox", "attention_bias": False},
    "gpt_neox, tied": {**_SMALL, "model_type": "gpt_neox", "tie_word_embeddings": True},
    "gpt2, own width": {**_GPT2, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": 100},
}  # fmt: skip


def built(config):
    """The number of parameters of the model that transformers builds from a config.json."""
    from transformers import AutoModelForCausalLM
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    config = dict(config)
    with torch.device("meta"):
        made = AutoModelForCausalLM.from_config(CONFIG_MAPPING[config.pop("model_type")](**config))
    return sum(parameter.numel() for parameter in made.parameters())


@pytest.mark.parametrize("name", CONFIGS)
def test_a_quoted_preset_is_counted_as_it_is_built(name):
    assert count_parameters(BY_ID[name].architecture).total == built(CONFIGS[name])


@pytest.mark.parametrize("name", CONFIGS)
def test_a_published_file_is_read_as_its_preset(name):
    read = config_json.read(json.dumps(CONFIGS[name])).architecture
    assert count_parameters(read).total == count_parameters(BY_ID[name].architecture).total
    assert read.context == BY_ID[name].architecture.context


@pytest.mark.parametrize("name", MORE)
def test_every_family_is_counted_as_it_is_built(name):
    assert count_parameters(config_json.read(json.dumps(MORE[name])).architecture).total == built(MORE[name])


def test_every_quoted_preset_has_its_file_here_and_its_source():
    assert {name for name, preset in BY_ID.items() if not preset.ours} == set(CONFIGS)
    assert all(preset.source for preset in BY_ID.values())


@pytest.mark.parametrize("name", ["gpt-1", "gpt-4", "sprout", "sprout-at-gpt2-size"])
def test_a_preset_of_ours_is_counted_as_our_code_builds_it(name):
    from engine.model import Settings, Transformer

    a = BY_ID[name].architecture
    with torch.device("meta"):
        made = Transformer(Settings(a.vocab_size, a.context, a.n_layer, a.n_head, a.d_model, a.d_ff))
    assert count_parameters(a).total == sum(parameter.numel() for parameter in made.parameters())


def norm(a, width):
    """A norm of PyTorch's own; its RMSNorm has no bias, so that one is a vector beside it."""
    if a.norm == "layer":
        return nn.LayerNorm(width, bias=a.norm_bias)
    bias = [nn.Parameter(torch.empty(width))] if a.norm_bias else []
    return nn.ModuleList([nn.RMSNorm(width), nn.ParameterList(bias)])


def module_of(a):
    """The layers of a model with these settings, built with PyTorch's own classes."""
    K = a.n_head if a.n_kv_head is None else a.n_kv_head
    D = a.d_model // a.n_head if a.head_width is None else a.head_width
    made = nn.ModuleList([nn.Embedding(a.vocab_size, a.d_model)])
    if a.positions == "learned":
        made.append(nn.Embedding(a.context, a.d_model))
    for _ in range(a.n_layer):
        made += [norm(a, a.d_model), norm(a, a.d_model)]
        made += [nn.Linear(a.d_model, heads * D, bias=a.qkv_bias) for heads in (a.n_head, K, K)]
        made.append(nn.Linear(a.n_head * D, a.d_model, bias=a.projection_bias))
        if a.qk_norm:
            made += [nn.RMSNorm(D), nn.RMSNorm(D)]
        made += [nn.Linear(a.d_model, a.d_ff, bias=a.feed_forward_bias) for _ in range(1 + a.gated)]
        made.append(nn.Linear(a.d_ff, a.d_model, bias=a.feed_forward_bias))
    output = nn.Linear(a.d_model, a.vocab_size, bias=a.output_bias)
    if a.tied:
        output.weight = made[0].weight
    made += [norm(a, a.d_model), output]
    return made


@given(architectures())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_random_settings_are_counted_as_they_are_built(architecture):
    with torch.device("meta"):
        made = module_of(architecture)
    assert count_parameters(architecture).total == sum(p.numel() for p in made.parameters())


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
@settings(deadline=None)
def test_a_forged_file_is_counted_or_answered_by_a_sentence(data):
    config = dict(data.draw(st.sampled_from([*CONFIGS.values(), *MORE.values()])))
    for key in data.draw(st.lists(st.sampled_from([*config, "head_dim", "odd"]), max_size=3)):
        config[key] = data.draw(anything)
    reading = sentence = None
    try:
        reading = config_json.read(json.dumps(config))
    except ValueError as error:
        sentence = str(error)
    if reading is None:
        assert sentence.endswith(".")
        return
    assert count_parameters(reading.architecture).total > 0
    assert len(reading.lines) == len(config)
    for line in reading.lines:
        (line.key + line.value + line.meaning).encode()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "is an object"),
        ("null", "is an object"),
        ("[" * 100_000, "too deep"),
        ('{"n": ' + "1" * 5000 + "}", "too long"),
        ("x" * 300_000, "letters long"),
        ('{"model_type": "bert"}', "not read here"),
        ('{"model_type": "qwen3_moe"}', "not read here"),
        ('{"architectures": ["Qwen3MoeForCausalLM"]}', "does not say"),
        ('{"model_type": ["llama"]}', "not read here"),
        ('{"model_type": "llama"}', "vocab_size is missing"),
        ('{"text_config": {}}', "several models"),
        (json.dumps({**MORE["qwen2"], "vocab_size": True}), "has to be a whole number"),
        (json.dumps({**MORE["qwen2"], "hidden_size": 64.0}), "has to be a whole number"),
        (json.dumps({**MORE["qwen2"], "hidden_size": 65}), "shared evenly"),
        (json.dumps({**MORE["qwen2"], "num_hidden_layers": -1}), "L is -1"),
        (json.dumps({**MORE["qwen2"], "tie_word_embeddings": "yes"}), "true or false"),
    ],
)
def test_what_is_no_such_file_gets_a_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        config_json.read(text)


def test_the_family_is_found_by_the_class_where_the_type_is_missing():
    config = {**CONFIGS["llama-3-8b"], "architectures": ["LlamaForCausalLM"]}
    del config["model_type"]
    assert config_json.read(json.dumps(config)).family == "Llama"


def test_lines_say_whether_they_count():
    lines = {one.key: one for one in config_json.read(json.dumps({**CONFIGS["gpt2"], "<b>": "\ud800"})).lines}
    assert lines["n_positions"].effect == lines["n_embd"].effect == config_json.COUNTED
    assert lines["model_type"].effect == config_json.IDLE
    assert lines["<b>"].effect == config_json.UNKNOWN
    llama = config_json.read(json.dumps(CONFIGS["llama-2-7b"])).lines
    assert next(one for one in llama if one.key == "max_position_embeddings").effect == config_json.IDLE
