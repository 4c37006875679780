"""Settings of published models and of ours, each with its source, for the parameter calculator."""

from dataclasses import dataclass, replace

from engine import presets
from engine.counting import Architecture, to_architecture


@dataclass(frozen=True)
class Preset:
    """A named architecture.  source: where its settings are published, as a reader can look them up."""

    id: str
    title: str
    architecture: Architecture
    source: str
    ours: bool = False


GPT2 = Architecture(
    vocab_size=50_257, d_model=768, n_layer=12, n_head=12, d_ff=3072, context=1024, positions="learned",
    gated=False, norm="layer", norm_bias=True, qk_norm=False, qkv_bias=True, projection_bias=True,
    feed_forward_bias=True,
)  # fmt: skip
LLAMA = Architecture(
    vocab_size=32_000,
    d_model=4096,
    n_layer=32,
    n_head=32,
    d_ff=11_008,
    context=4096,
    qk_norm=False,
    tied=False,
)
_PYTHIA = replace(
    GPT2, vocab_size=50_304, d_model=512, n_layer=6, n_head=8, d_ff=2048, context=2048, positions="rotary",
    tied=False,
)  # fmt: skip
_SMOL = replace(LLAMA, vocab_size=49_152, context=8192, tied=True)
_GPT2_SOURCE = "Settings: Radford et al. 2019, table 2; config.json of openai-community/{}"
_OURS = "Ours: a model of this project"

_ALL = (
    Preset("gpt-1", "gpt-1 (ours)", to_architecture("gpt-1"), _OURS, ours=True),
    Preset(
        "gpt-4", "gpt-4 (ours)", to_architecture("gpt-4"), ours=True,
        source=_OURS + ". Four blocks; nothing to do with the product of that name",
    ),
    Preset("sprout", "Sprout (ours)", to_architecture("sprout"), _OURS, ours=True),
    Preset("store", "The store's model (ours)", to_architecture("store"), _OURS, ours=True),
    Preset(
        "sprout-at-gpt2-size", "This code at GPT-2 small's size",
        Architecture(vocab_size=50_257, d_model=768, n_layer=12, n_head=12, d_ff=2048, context=1024),
        "Our code with GPT-2 small's V, d, L and H; not GPT-2", ours=True,
    ),
    Preset("gpt2", "GPT-2 small", GPT2, _GPT2_SOURCE.format("gpt2")),
    Preset(
        "gpt2-untied", "GPT-2 small, untied", replace(GPT2, tied=False),
        "GPT-2 small with an output matrix of its own: no published model, but a count often quoted",
    ),
    Preset(
        "gpt2-medium", "GPT-2 medium", replace(GPT2, d_model=1024, n_layer=24, n_head=16, d_ff=4096),
        _GPT2_SOURCE.format("gpt2-medium"),
    ),
    Preset(
        "gpt2-large", "GPT-2 large", replace(GPT2, d_model=1280, n_layer=36, n_head=20, d_ff=5120),
        _GPT2_SOURCE.format("gpt2-large"),
    ),
    Preset(
        "gpt2-xl", "GPT-2 XL", replace(GPT2, d_model=1600, n_layer=48, n_head=25, d_ff=6400),
        _GPT2_SOURCE.format("gpt2-xl"),
    ),
    Preset(
        "pythia-70m", "Pythia-70m", _PYTHIA,
        "Settings: Biderman et al. 2023, table 1; config.json of EleutherAI/pythia-70m",
    ),
    Preset(
        "smollm2-135m", "SmolLM2-135M",
        replace(_SMOL, d_model=576, n_layer=30, n_head=9, n_kv_head=3, d_ff=1536),
        "Settings: config.json of HuggingFaceTB/SmolLM2-135M",
    ),
    Preset(
        "smollm2-360m", "SmolLM2-360M", replace(_SMOL, d_model=960, n_head=15, n_kv_head=5, d_ff=2560),
        "Settings: config.json of HuggingFaceTB/SmolLM2-360M",
    ),
    Preset(
        "qwen3-0.6b", "Qwen3-0.6B",
        replace(
            LLAMA, vocab_size=151_936, d_model=1024, n_layer=28, n_head=16, n_kv_head=8, head_width=128,
            d_ff=3072, context=40_960, qk_norm=True, tied=True,
        ),
        "Settings: config.json of Qwen/Qwen3-0.6B",
    ),
    Preset(
        "llama-2-7b", "Llama-2-7B", LLAMA,
        "Settings: Touvron et al. 2023 b; config.json of meta-llama/Llama-2-7b-hf",
    ),
    Preset(
        "llama-3-8b", "Llama-3-8B",
        replace(LLAMA, vocab_size=128_256, n_kv_head=8, d_ff=14_336, context=8192),
        "Settings: Llama team 2024, table 3; config.json of meta-llama/Meta-Llama-3-8B",
    ),
    Preset(
        "mistral-7b", "Mistral-7B", replace(LLAMA, n_kv_head=8, d_ff=14_336, context=32_768),
        "Settings: Jiang et al. 2023, table 1; config.json of mistralai/Mistral-7B-v0.1",
    ),
)  # fmt: skip
BY_ID = {preset.id: preset for preset in _ALL}
SHIPPED = presets.NAMES  # those whose weights are in weights/
