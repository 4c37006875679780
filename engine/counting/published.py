"""Settings of published models and of ours, each with its source, for the parameter calculator."""

from dataclasses import dataclass, replace

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
    GPT2,
    vocab_size=50_304,
    d_model=512,
    n_layer=6,
    n_head=8,
    d_ff=2048,
    context=2048,
    positions="rotary",
    tied=False,
)
_SMOL = replace(LLAMA, vocab_size=49_152, context=8192, tied=True)
_MISTRAL = replace(LLAMA, n_kv_head=8, d_ff=14_336, context=32_768)
_GEMMA = replace(
    LLAMA, vocab_size=256_000, d_model=2304, n_layer=26, n_head=8, n_kv_head=4, head_width=256, d_ff=9216,
    context=8192, tied=True, block_norms="four", window=4096, n_full=13,
)  # fmt: skip
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
        "mistral-7b", "Mistral-7B", replace(_MISTRAL, window=4096),
        "Settings: Jiang et al. 2023, table 1; config.json of mistralai/Mistral-7B-v0.1",
    ),
    Preset(
        "smollm3-3b", "SmolLM3-3B",
        replace(_SMOL, vocab_size=128_256, d_model=2048, n_layer=36, n_head=16, n_kv_head=4, context=65_536),
        "Settings: config.json of HuggingFaceTB/SmolLM3-3B",
    ),
    Preset(
        "gemma-2-2b", "Gemma 2 2B", _GEMMA,
        "Settings: Gemma team 2024, table 1; config.json of google/gemma-2-2b",
    ),
    Preset(
        "gemma-3-1b", "Gemma 3 1B",
        replace(
            _GEMMA, vocab_size=262_144, d_model=1152, n_head=4, n_kv_head=1, d_ff=6912, context=32_768,
            qk_norm=True, window=512, n_full=4,
        ),
        "Settings: config.json of google/gemma-3-1b-pt",
    ),
    Preset(
        "phi-2", "Phi-2",
        replace(
            GPT2, vocab_size=51_200, d_model=2560, n_layer=32, n_head=32, d_ff=10_240, context=2048,
            positions="rotary", tied=False, block_norms="one", output_bias=True,
        ),
        "Settings: config.json of microsoft/phi-2",
    ),
    Preset(
        "olmo-1b", "OLMo-1B",
        replace(
            LLAMA, vocab_size=50_304, d_model=2048, n_layer=16, n_head=16, d_ff=8192, context=2048,
            norm="bare", tied=True,
        ),
        "Settings: Groeneveld et al. 2024, table 1; config.json of allenai/OLMo-1B-hf",
    ),
    Preset(
        "opt-125m", "OPT-125M", replace(GPT2, vocab_size=50_272, context=2048, spare_positions=2),
        "Settings: Zhang et al. 2022, table 1; config.json of facebook/opt-125m",
    ),
    Preset(
        "mixtral-8x7b", "Mixtral-8x7B",
        replace(_MISTRAL, n_expert=8, n_active=2, expert_width=14_336),
        "Settings: Jiang et al. 2024, table 1; config.json of mistralai/Mixtral-8x7B-v0.1",
    ),
    Preset(
        "qwen3-30b-a3b", "Qwen3-30B-A3B",
        replace(
            LLAMA, vocab_size=151_936, d_model=2048, n_layer=48, n_head=32, n_kv_head=4, head_width=128,
            d_ff=6144, context=40_960, qk_norm=True, n_expert=128, n_active=8, expert_width=768,
        ),
        "Settings: config.json of Qwen/Qwen3-30B-A3B",
    ),
    Preset(
        "gpt-oss-20b", "gpt-oss-20b",
        replace(
            LLAMA, vocab_size=201_088, d_model=2880, n_layer=24, n_head=64, n_kv_head=8, head_width=64,
            d_ff=2880, context=131_072, qkv_bias=True, projection_bias=True, feed_forward_bias=True,
            sinks=True, n_expert=32, n_active=4, expert_width=2880, router_bias=True, window=128, n_full=12,
        ),
        "Settings: config.json of openai/gpt-oss-20b",
    ),
    Preset(
        "deepseek-v3", "DeepSeek-V3",
        replace(
            LLAMA, vocab_size=129_280, d_model=7168, n_layer=61, n_head=128, head_width=192, d_ff=18_432,
            context=163_840, latent=512, query_rank=1536, rope_width=64, value_width=128, n_expert=256,
            n_active=8, expert_width=2048, n_shared=1, n_dense=3,
        ),
        "Settings: DeepSeek-AI 2024, section 4.2; config.json of deepseek-ai/DeepSeek-V3",
    ),
)  # fmt: skip
BY_ID = {preset.id: preset for preset in _ALL}
