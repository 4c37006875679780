"""Every quoted preset and every family of config.json, counted by building the model without memory."""

import json
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from torch import nn
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from engine.counting import config_json, count_parameters
from engine.counting.families import FAMILIES
from engine.counting.published import BY_ID
from tests.engine.counting.configs import CONFIGS, MORE
from tests.engine.counting.test_counting import architectures


def built(config, top="AutoModelForCausalLM"):
    """The number of parameters of the model that transformers builds from a config.json."""
    import transformers
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    config = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, **config}
    with torch.device("meta"):
        made = getattr(transformers, top).from_config(CONFIG_MAPPING[config.pop("model_type")](**config))
    return sum(parameter.numel() for parameter in made.parameters())


@pytest.mark.parametrize("name", CONFIGS)
def test_a_quoted_preset_is_counted_as_it_is_built(name):
    assert count_parameters(BY_ID[name].architecture).total == built(CONFIGS[name])


@pytest.mark.parametrize("name", CONFIGS)
def test_a_published_file_is_read_as_its_preset(name):
    read = config_json.read(json.dumps(CONFIGS[name])).architecture
    assert resolved(read) == resolved(BY_ID[name].architecture)


def resolved(architecture):
    """The settings with those worked out that may be left to the others."""
    a = architecture
    return replace(a, n_kv_head=a.kv_heads, head_width=a.width_of_head)


# {class: (what transformers calls it, what a file may say of its labels)}
TOPS = {
    "Model": ("AutoModel", {}),
    "ForSequenceClassification": ("AutoModelForSequenceClassification", {"num_labels": 7}),
    "ForTokenClassification": (
        "AutoModelForTokenClassification",
        {"id2label": {"0": "a", "1": "b"}},
    ),
    "ForQuestionAnswering": ("AutoModelForQuestionAnswering", {}),
}


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("name", ["llama with biases", "mistral", "qwen3 with biases", "gpt2, own width"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_class_without_the_output_layer_is_counted_as_what_it_is(name, top, tied):
    called, labels = TOPS[top]
    config = {**MORE[name], **labels, "tie_word_embeddings": tied}
    read = config_json.read(json.dumps({**config, "architectures": [f"Some{top}"]})).architecture
    assert count_parameters(read).total == built(config, called)


def test_known_classes_have_their_known_counts():
    mistral = {**CONFIGS["mistral-7b"], "architectures": ["MistralModel"]}
    llama = {**CONFIGS["llama-3-8b"], "architectures": ["LlamaForSequenceClassification"], "num_labels": 1}
    for config, known in ((mistral, 7_110_660_096), (llama, 7_504_928_768)):
        assert count_parameters(config_json.read(json.dumps(config)).architecture).total == known


@pytest.mark.parametrize("name", MORE)
def test_every_family_is_counted_as_it_is_built(name):
    assert count_parameters(config_json.read(json.dumps(MORE[name])).architecture).total == built(MORE[name])


@pytest.mark.parametrize("name", [name for name in FAMILIES if name in CONFIG_MAPPING_NAMES])
def test_what_is_usual_is_what_the_library_takes(name):
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    family, config = FAMILIES[name], CONFIG_MAPPING[name]()
    for setting, usual in family.usual.items():
        taken = getattr(config, family.keys[setting][0])
        assert taken == usual, setting
    for key, (_, usual) in family.switches.items():
        assert getattr(config, key) == usual, key
    for setting, usual in zip(config_json.REQUIRED, config_json.INSIDE.get(name, ()), strict=False):
        assert getattr(config, family.keys[setting][0]) == usual, setting


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


def vector(*sides):
    """A parameter of this shape."""
    return nn.ParameterList([nn.Parameter(torch.empty(sides))])


def norm(a, width):
    """A norm of PyTorch's own; its RMSNorm has no bias, so that one is a vector beside it."""
    if a.norm == "bare":
        return nn.LayerNorm(width, elementwise_affine=False)
    if a.norm == "layer":
        return nn.LayerNorm(width, bias=a.norm_bias)
    return nn.ModuleList([nn.RMSNorm(width), *([vector(width)] if a.norm_bias else [])])


def attention(a, H, K, D):
    """Queries, keys, values and output as PyTorch's layers."""
    d = a.d_model
    if not a.latent:
        made = [nn.Linear(d, heads * D, bias=a.qkv_bias) for heads in (H, K, K)]
        made += [nn.RMSNorm(D), nn.RMSNorm(D)] if a.qk_norm else []
        made.append(nn.Linear(H * D, d, bias=a.projection_bias))
    else:
        C, R, U, Q = a.latent, a.rope_width, a.value_width, a.query_rank
        made = (
            [nn.Linear(d, Q, bias=a.qkv_bias), nn.RMSNorm(Q), nn.Linear(Q, H * D, bias=False)]
            if Q
            else [nn.Linear(d, H * D, bias=False)]
        )
        made += [nn.Linear(d, C + R, bias=a.qkv_bias), nn.RMSNorm(C)]
        made += [nn.Linear(C, H * (D - R + U), bias=False), nn.Linear(H * U, d, bias=a.projection_bias)]
    return nn.ModuleList([*made, *([vector(H)] if a.sinks else [])])


def layer(a, width):
    """One feed-forward layer, or one expert."""
    made = [nn.Linear(a.d_model, width, bias=a.feed_forward_bias) for _ in range(1 + a.gated)]
    return nn.ModuleList([*made, nn.Linear(width, a.d_model, bias=a.feed_forward_bias)])


def block(a, number, H, K, D):
    """One block: its norms, attention, and a feed-forward layer or experts."""
    norms = {"one": 1, "two": 2, "four": 4}[a.block_norms]
    made = [attention(a, H, K, D), *(norm(a, a.d_model) for _ in range(norms))]
    if not a.n_expert or number < a.n_dense:
        return nn.ModuleList([*made, layer(a, a.d_ff)])
    made += [layer(a, a.expert_width) for _ in range(a.n_expert)]
    made += [layer(a, a.n_shared * a.expert_width)] if a.n_shared else []
    return nn.ModuleList([*made, nn.Linear(a.d_model, a.n_expert, bias=a.router_bias)])


def module_of(a):
    """The layers of a model with these settings, built with PyTorch's own classes."""
    K = a.n_head if a.n_kv_head is None else a.n_kv_head
    D = a.d_model // a.n_head if a.head_width is None else a.head_width
    made = nn.ModuleList([nn.Embedding(a.vocab_size, a.d_model)])
    if a.positions == "learned":
        made.append(nn.Embedding(a.context + a.spare_positions, a.d_model))
    made += [block(a, number, a.n_head, K, D) for number in range(a.n_layer)]
    if a.final_norm:
        made.append(norm(a, a.d_model))
    if a.output != "none":
        scored = a.vocab_size if a.output == "tokens" else a.n_label
        made.append(nn.Linear(a.d_model, scored, bias=a.output_bias))
        if a.tied and a.output == "tokens":
            made[-1].weight = made[0].weight
    return made


@given(architectures())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_random_settings_are_counted_as_they_are_built(architecture):
    with torch.device("meta"):
        made = module_of(architecture)
    assert count_parameters(architecture).total == sum(p.numel() for p in made.parameters())
