"""The families whose config.json is read, and why others are not.

What a file leaves out is filled in as Hugging Face transformers does; a test holds every value here
against its config classes and its models.
"""

from engine.counting import family
from engine.counting.family import Family

_RMS = {"gated": True, "norm": "rms", "norm_bias": False, "qk_norm": False, "positions": "rotary"}
_LAYER_NORM = {"gated": False, "norm": "layer", "norm_bias": True, "qk_norm": False}
_BIASED = dict.fromkeys(family.BIASES, True)
_KEYS = {
    "vocab_size": ("vocab_size",),
    "d_model": ("hidden_size",),
    "n_layer": ("num_hidden_layers",),
    "n_head": ("num_attention_heads",),
    "d_ff": ("intermediate_size",),
    "n_kv_head": ("num_key_value_heads",),
    "head_width": ("head_dim",),
    "context": ("max_position_embeddings",),
    "tied": ("tie_word_embeddings",),
}
_OWN_HEADS = {name: keys for name, keys in _KEYS.items() if name not in ("n_kv_head", "head_width")}
_EXPERTS = {
    "n_expert": ("num_local_experts", "num_experts", "n_routed_experts"),
    "n_active": ("num_experts_per_tok",),
    "expert_width": ("moe_intermediate_size",),
}
_ATTENTION_BIAS = {"attention_bias": (("qkv_bias", "projection_bias"), False)}
_MLP_BIAS = {"mlp_bias": (("feed_forward_bias",), False)}


_SHORT = {"n_layer": ("n_layers",), "n_head": ("n_heads",), "n_kv_head": ("n_kv_heads",)}
_PARAMS = {
    "vocab_size": ("vocab_size",),
    "d_model": ("dim",),
    **_SHORT,
    "head_width": ("head_dim",),
    "context": ("max_seq_len",),
    "tied": ("tied_embeddings",),
}
_OURS = {name: (name,) for name in ("vocab_size", "d_model", "n_layer", "n_head", "d_ff", "context")}
_MOE = {**_KEYS, **_EXPERTS}
_AS_WIDE = {name: keys for name, keys in _MOE.items() if name != "expert_width"}  # experts as wide as F

FAMILIES = {
    "llama": Family(
        "Llama", _RMS, _KEYS, {"tied": False, "context": 2048}, {**_ATTENTION_BIAS, **_MLP_BIAS}
    ),
    "mistral": Family(
        "Mistral", _RMS, _KEYS, {"tied": False, "n_kv_head": 8, "context": 131_072}, {}, family.windowed(4096)
    ),
    "qwen2": Family(
        "Qwen2", {**_RMS, "qkv_bias": True}, _KEYS, {"tied": False, "n_kv_head": 32, "context": 32_768}, {},
        family.windowed(4096, family.first_ones, asked=True),
    ),
    "qwen3": Family(
        "Qwen3", {**_RMS, "qk_norm": True}, _KEYS,
        {"tied": False, "n_kv_head": 32, "head_width": 128, "context": 32_768}, _ATTENTION_BIAS,
        family.windowed(4096, family.first_ones, asked=True),
    ),
    "qwen3_moe": Family(
        "Qwen3 with experts", {**_RMS, "qk_norm": True}, _MOE,
        {
            "tied": False, "n_kv_head": 4, "context": 32_768, "n_expert": 128, "n_active": 8,
            "expert_width": 768,
        },
        _ATTENTION_BIAS, family.experts_of_qwen3,
    ),
    "smollm3": Family(
        "SmolLM3", _RMS, _KEYS, {"tied": True, "n_kv_head": 4, "context": 32_768},
        {**_ATTENTION_BIAS, **_MLP_BIAS}, family.windowed(None, asked=True),
    ),
    "gemma": Family(
        "Gemma", _RMS, _KEYS, {"tied": True, "n_kv_head": 16, "head_width": 256, "context": 8192},
        _ATTENTION_BIAS,
    ),
    "gemma2": Family(
        "Gemma 2", {**_RMS, "block_norms": "four"}, _KEYS,
        {"tied": True, "n_kv_head": 4, "head_width": 256, "context": 8192}, _ATTENTION_BIAS,
        family.windowed(4096, family.every_second),
    ),
    "gemma3_text": Family(
        "Gemma 3", {**_RMS, "block_norms": "four", "qk_norm": True}, _KEYS,
        {"tied": True, "n_kv_head": 4, "head_width": 256, "context": 131_072}, _ATTENTION_BIAS,
        family.windowed(4096, family.one_in(6)),
    ),
    "phi": Family(
        "Phi", {**_LAYER_NORM, **_BIASED, "positions": "rotary", "block_norms": "one", "output_bias": True},
        _KEYS,
        {"tied": False, "context": 2048}, {}, family.phi,
    ),
    "phi3": Family(
        "Phi-3", _RMS, _KEYS,
        {"tied": False, "context": 4096}, {}, family.windowed(None),
    ),
    "olmo": Family(
        "OLMo", {**_RMS, "norm": "bare"}, _KEYS,
        {"tied": False, "context": 2048}, _ATTENTION_BIAS,
    ),
    "opt": Family(
        "OPT", {**_LAYER_NORM, "positions": "learned", "spare_positions": 2},
        {**_OWN_HEADS, "d_ff": ("ffn_dim",)}, {"tied": True, "context": 2048}, {}, family.opt,
    ),
    "mixtral": Family(
        "Mixtral", _RMS, _AS_WIDE,
        {"tied": False, "n_kv_head": 8, "context": 131_072, "n_expert": 8, "n_active": 2}, {},
        family.experts_of_mixtral,
    ),
    "gpt_oss": Family(
        "gpt-oss", {**_RMS, "sinks": True, "router_bias": True, "feed_forward_bias": True},
        _AS_WIDE,
        {
            "tied": False, "n_kv_head": 8, "head_width": 64, "context": 131_072, "n_expert": 128,
            "n_active": 4,
        },
        {"attention_bias": (("qkv_bias", "projection_bias"), True)}, family.experts_of_gpt_oss,
    ),
    "deepseek_v3": Family(
        "DeepSeek-V3", _RMS,
        {
            **_OWN_HEADS, **_EXPERTS, "n_shared": ("n_shared_experts",),
            "n_dense": ("first_k_dense_replace",), "latent": ("kv_lora_rank",),
            "query_rank": ("q_lora_rank",), "value_width": ("v_head_dim",),
        },
        {
            "tied": False, "context": 4096, "n_expert": 256, "n_active": 8, "expert_width": 2048,
            "n_shared": 1, "n_dense": 3, "latent": 512, "query_rank": 1536, "value_width": 128,
        },
        _ATTENTION_BIAS, family.deepseek,
    ),
    "gpt2": Family(
        "GPT-2", {**_LAYER_NORM, **_BIASED, "positions": "learned"},
        {
            "vocab_size": ("vocab_size",), "d_model": ("n_embd", "hidden_size"),
            "n_layer": ("n_layer", "num_hidden_layers"), "n_head": ("n_head", "num_attention_heads"),
            "d_ff": ("n_inner",), "context": ("n_positions", "max_position_embeddings"),
            "tied": ("tie_word_embeddings",),
        },
        {"tied": True, "context": 1024}, {}, family.gpt2,
    ),
    "gpt_neox": Family(
        "GPT-NeoX", {**_LAYER_NORM, "positions": "rotary", "feed_forward_bias": True}, _OWN_HEADS,
        {"tied": False, "context": 2048}, {"attention_bias": (("qkv_bias", "projection_bias"), True)},
    ),
    "sprout": Family("Sprout (ours)", {**_RMS, "qk_norm": True, "tied": True}, _OURS),
    "store": Family("the store's (ours)", {**_RMS, "tied": True}, _OURS),
    "llama params.json": Family(
        "Llama (Meta's params.json)", _RMS, _PARAMS, {"tied": False, "context": 4096}, {}, family.meta
    ),
    "mistral params.json": Family(
        "Mistral (its own params.json)", _RMS, {**_PARAMS, "d_ff": ("hidden_dim",)},
        {"tied": False, "context": 32_768}, {}, family.mistral_file,
    ),
}  # fmt: skip
NOT_A_MODEL_TYPE = ("llama params.json", "mistral params.json")

_BOTH_WAYS = "it reads a text in both directions and does not write on"
_TWO_STACKS = "it has an encoder beside the decoder, and attention from one to the other"
_STATES = "it has state-space blocks in the place of attention"
_MIXED = "it mixes attention with blocks of another kind"
_SENSES = "what reads its pictures or sounds is not counted, and its text_config is not there"
OBSTACLES = {
    **dict.fromkeys(
        ("bert", "roberta", "distilbert", "albert", "electra", "deberta", "deberta-v2"), _BOTH_WAYS
    ),
    **dict.fromkeys(("modernbert", "xlm-roberta", "mpnet"), _BOTH_WAYS),
    **dict.fromkeys(("t5", "mt5", "bart", "mbart", "pegasus", "marian", "m2m_100", "whisper"), _TWO_STACKS),
    **dict.fromkeys(("mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"), _STATES),
    **dict.fromkeys(("jamba", "bamba", "zamba", "zamba2", "nemotron_h", "recurrent_gemma"), _MIXED),
    **dict.fromkeys(("qwen3_next", "lfm2", "granitemoehybrid", "falcon_h1"), _MIXED),
    **dict.fromkeys(("llava", "gemma3", "mistral3", "qwen2_vl", "qwen2_5_vl", "mllama", "llama4"), _SENSES),
    "bloom": "it has a norm after the embedding, and ALiBi in the place of positions",
    "falcon": "its versions share keys and norms in ways that its file does not tell apart for this page",
    "mpt": "it has ALiBi in the place of positions, and norms that its file switches one by one",
    "gptj": "its matrices have biases in some places only: in the feed-forward and the output layer",
    "gpt_neo": "its attention has a bias on the output matrix alone, and kinds of block that alternate",
    "olmo2": "its QK-norm has a gain for all heads together, not one of a head's width",
    "olmo3": "its QK-norm has a gain for all heads together, not one of a head's width",
    "olmoe": "its QK-norm has a gain for all heads together, not one of a head's width",
    "qwen2_moe": "its shared expert has a gate of its own",
    "gemma3n": "it has an embedding for every block",
    "gemma3n_text": "it has an embedding for every block",
    "deepseek_v2": "its experts are set up differently from those of DeepSeek-V3",
    "cohere": "its LayerNorm has gains and no biases, and its QK-norm a gain for every head",
    "cohere2": "its LayerNorm has gains and no biases",
    "llama4_text": "its blocks with experts and without alternate, and hold a shared one",
}
