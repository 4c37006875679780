"""Read a Hugging Face config.json, explain it line by line, and find the settings in it.

Families: Llama (SmolLM2 too), Mistral, Qwen2, Qwen3, GPT-2, GPT-NeoX (Pythia too).  What a file leaves
out is filled in as the transformers library does.
"""

import json
import re
from dataclasses import dataclass

from engine.counting import Architecture, problems

LONGEST = 200_000  # letters; a config.json has a few thousand
COUNTED, IDLE, UNKNOWN = "counted", "no parameters", "not known here"


@dataclass(frozen=True)
class Line:
    """One line of the file.  effect: COUNTED, IDLE or UNKNOWN; value: as it stands in JSON, cut short."""

    key: str
    value: str
    meaning: str
    effect: str


@dataclass(frozen=True)
class Reading:
    """What a file says: the family, the settings, every line, and what had to be filled in."""

    family: str
    architecture: Architecture
    lines: tuple
    assumed: tuple  # sentences


_PLAIN = {
    "gated": True, "norm": "rms", "norm_bias": False, "qk_norm": False, "positions": "rotary",
}  # fmt: skip
_OLD = {
    "gated": False, "norm": "layer", "norm_bias": True, "qk_norm": False, "feed_forward_bias": True,
}  # fmt: skip
_NAMES = {
    "vocab_size": "vocab_size", "d_model": "hidden_size", "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads", "d_ff": "intermediate_size", "n_kv_head": "num_key_value_heads",
    "head_width": "head_dim", "context": "max_position_embeddings", "tied": "tie_word_embeddings",
}  # fmt: skip
_GPT2_NAMES = {
    "vocab_size": "vocab_size", "d_model": "n_embd", "n_layer": "n_layer", "n_head": "n_head",
    "d_ff": "n_inner", "context": "n_positions", "tied": "tie_word_embeddings",
}  # fmt: skip
_NEOX_NAMES = {name: key for name, key in _NAMES.items() if name not in ("n_kv_head", "head_width")}
# {model_type: (title, what is fixed by the family, names of the settings, what is usual)}
FAMILIES = {
    "llama": ("Llama", _PLAIN, _NAMES, {"tied": False, "context": 2048}),
    "mistral": ("Mistral", _PLAIN, _NAMES, {"tied": False, "n_kv_head": 8, "context": 131_072}),
    "qwen2": (
        "Qwen2", {**_PLAIN, "qkv_bias": True}, _NAMES, {"tied": False, "n_kv_head": 32, "context": 32_768},
    ),
    "qwen3": (
        "Qwen3", {**_PLAIN, "qk_norm": True}, _NAMES,
        {"tied": False, "n_kv_head": 32, "head_width": 128, "context": 32_768},
    ),
    "gpt2": (
        "GPT-2", {**_OLD, "positions": "learned", "qkv_bias": True, "projection_bias": True}, _GPT2_NAMES,
        {"tied": True, "context": 1024},
    ),
    "gpt_neox": ("GPT-NeoX", {**_OLD, "positions": "rotary"}, _NEOX_NAMES, {"tied": False, "context": 2048}),
}  # fmt: skip
# {switch in the file: (settings it sets, families that read it, what they take when it is left out)}
_SWITCHES = {
    "attention_bias": (("qkv_bias", "projection_bias"), {"llama": False, "qwen3": False, "gpt_neox": True}),
    "mlp_bias": (("feed_forward_bias",), {"llama": False}),
}
_REQUIRED = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff")
_MEANINGS = {
    "vocab_size": "V: how many different tokens",
    "d_model": "d: width of the residual stream",
    "n_layer": "L: how many blocks",
    "n_head": "H: query heads in each block",
    "d_ff": "F: width inside the feed-forward layer",
    "n_kv_head": "K: key/value heads; fewer than H means grouped queries (Ainslie et al. 2023)",
    "head_width": "D: width of a head; d / H when left out",
    "tied": "whether the output layer is the embedding itself",
}
_IDLE = {
    "model_type": "the family: which code reads this file",
    "architectures": "the class in the transformers library",
    "hidden_act": "the activation function",
    "activation_function": "the activation function",
    "rms_norm_eps": "ε of RMSNorm, so that nothing is divided by zero",
    "layer_norm_eps": "ε of LayerNorm",
    "layer_norm_epsilon": "ε of LayerNorm",
    "rope_theta": "the base of RoPE's angles",
    "rope_scaling": "how RoPE's angles are stretched for longer texts",
    "rope_parameters": "the base of RoPE's angles, and how they are stretched",
    "rope_interleaved": "which numbers RoPE pairs: false means first half with second half",
    "rotary_pct": "the share of each head that RoPE turns",
    "rotary_emb_base": "the base of RoPE's angles",
    "partial_rotary_factor": "the share of each head that RoPE turns",
    "sliding_window": "how far back a token can look, where that is limited",
    "use_sliding_window": "whether looking back is limited",
    "max_window_layers": "the block from which looking back is limited",
    "layer_types": "which kind of attention each block has",
    "use_parallel_residual": "whether attention and feed-forward layer read the same stream",
    "initializer_range": "spread of the weights before training",
    "initializer_factor": "spread of the weights before training",
    "attention_dropout": "share of attention weights left out in training",
    "attention_probs_dropout_prob": "share of attention weights left out in training",
    "hidden_dropout": "share of numbers left out in training",
    "classifier_dropout": "share of numbers left out in a classifier",
    "attn_pdrop": "share of attention weights left out in training",
    "embd_pdrop": "share of the embedding left out in training",
    "resid_pdrop": "share of what a block adds left out in training",
    "torch_dtype": "the precision the weights are stored in",
    "dtype": "the precision the weights are stored in",
    "bos_token_id": "the token that begins a text",
    "eos_token_id": "the token that ends a text",
    "pad_token_id": "the token that fills short texts up",
    "use_cache": "whether keys and values are kept while writing",
    "pretraining_tp": "how matrices were split in training; they are stored whole",
    "transformers_version": "the library that wrote the file",
    "n_ctx": "the longest text; n_positions is the one that counts",
    "scale_attn_weights": "whether scores are divided by √D",
    "task_specific_params": "settings for generating text",
    "quantization_config": "how the weights are packed into fewer bits; their number stays",
    "is_llama_config": "a note for other programs",
    "transformers.js_config": "a note for other programs",
    "_name_or_path": "where the file came from",
}
_SUMMARIES = "summary_"


def read(text):
    """The text of a config.json -> Reading.  Raises ValueError, in a sentence, for what can't be counted."""
    data = _parsed(text)
    family = _family(data)
    title, fixed, names, usual = FAMILIES[family]
    assumed, found = [], dict(fixed)
    for setting, key in names.items():
        value = data.get(key)
        if value is not None:
            found[setting] = _checked(key, value, bool if setting == "tied" else int)
        elif setting == "d_ff" and family == "gpt2" and "d_model" in found:
            found[setting] = 4 * found["d_model"]
            assumed.append("n_inner is left out, so F = 4 d.")
        elif setting in _REQUIRED:
            raise ValueError(f"{key} is missing: a {title} model can't be counted without it.")
        elif key not in data and setting in usual:
            found[setting] = usual[setting]
            assumed.append(f"{key} is left out; the library takes {json.dumps(usual[setting])}.")
        elif setting in ("tied", "context"):
            found[setting] = usual[setting]
            assumed.append(f"{key} is null; {json.dumps(usual[setting])} is taken.")
    for key, (settings, by_family) in _SWITCHES.items():
        if family in by_family:
            value = _checked(key, data.get(key, by_family[family]), bool)
            found |= dict.fromkeys(settings, value)
    architecture = Architecture(**found)
    wrong = problems(architecture)
    if wrong:
        raise ValueError(" ".join(wrong))
    lines = tuple(_line(key, value, family, names, architecture) for key, value in data.items())
    return Reading(title, architecture, lines, tuple(assumed))


def _parsed(text):
    if len(text) > LONGEST:
        raise ValueError(
            f"This is {len(text):,} letters long; a config.json has a few thousand, and at most "
            f"{LONGEST:,} are read."
        )
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"This is not JSON: {error.msg} in line {error.lineno}.") from None
    except (ValueError, RecursionError):
        raise ValueError(
            "This is not JSON that can be read: a number is too long or it is too deep."
        ) from None
    if not isinstance(data, dict):
        raise ValueError("A config.json is an object, with { at its beginning; this is not one.")
    return data


def _family(data):
    """The model_type, or what the class's name says.  Raises ValueError for families not read here."""
    known = ", ".join(title for title, *_ in FAMILIES.values())
    if "text_config" in data:
        raise ValueError("This file describes several models in one. Paste what stands under text_config.")
    if data.get("add_cross_attention"):
        raise ValueError(
            "This model also looks at a second text (cross-attention), which is not counted here."
        )
    kind = data.get("model_type")
    if kind is None and isinstance(data.get("architectures"), list) and data["architectures"]:
        first = str(data["architectures"][0]).lower()
        stems = {name: name.replace("_", "") + r"(for|lmhead|model)" for name in FAMILIES}
        kind = next((name for name, stem in stems.items() if re.match(stem, first)), None)
    if kind is None:
        raise ValueError(f"The file does not say its model_type. These are read: {known}.")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ValueError(f"The family {_shown(kind)} is not read here. These are: {known}.")
    return kind


def _checked(key, value, kind):
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    wanted = "true or false" if kind is bool else "a whole number"
    raise ValueError(f"{key} is {_shown(value)}; it has to be {wanted}.")


def _line(key, value, family, names, architecture):
    label = json.dumps(key)[1:-1][:80]
    by_key = {k: setting for setting, k in names.items()}
    if key in by_key and by_key[key] in _MEANINGS:
        return Line(label, _shown(value), _MEANINGS[by_key[key]], COUNTED)
    if key == names["context"]:
        learned = architecture.positions == "learned"
        meaning = "P: the longest text, in tokens" + (
            "; each position has a learned vector" if learned else "; RoPE needs no parameters for it"
        )
        return Line(label, _shown(value), meaning, COUNTED if learned else IDLE)
    if key in _SWITCHES and family in _SWITCHES[key][1]:
        where = "attention's matrices" if key == "attention_bias" else "the feed-forward matrices"
        return Line(label, _shown(value), f"whether {where} have biases", COUNTED)
    if key in {*_NAMES.values(), *_GPT2_NAMES.values(), *_SWITCHES}:
        return Line(label, _shown(value), "a setting that this family does not read", IDLE)
    if key in _IDLE:
        return Line(label, _shown(value), _IDLE[key], IDLE)
    if key.startswith(_SUMMARIES):
        return Line(label, _shown(value), "for a classifier on top, which this model is not", IDLE)
    return Line(label, _shown(value), "a line that this page does not know", UNKNOWN)


def _shown(value):
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else text[:59] + "…"
