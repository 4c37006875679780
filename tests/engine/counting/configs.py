"""config.json files of published models, as far as the count depends on them, and small ones for the rest."""

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
        "sliding_window": 4096,
    },
    "smollm3-3b": {
        "model_type": "smollm3", "vocab_size": 128_256, "hidden_size": 2048, "num_hidden_layers": 36,
        "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 11_008,
        "max_position_embeddings": 65_536, "tie_word_embeddings": True, "use_sliding_window": False,
        "no_rope_layer_interval": 4,
    },
    "gemma-2-2b": {
        "model_type": "gemma2", "vocab_size": 256_000, "hidden_size": 2304, "num_hidden_layers": 26,
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 9216,
        "max_position_embeddings": 8192, "sliding_window": 4096,
    },
    "gemma-3-1b": {
        "model_type": "gemma3_text", "vocab_size": 262_144, "hidden_size": 1152, "num_hidden_layers": 26,
        "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256, "intermediate_size": 6912,
        "max_position_embeddings": 32_768, "sliding_window": 512, "sliding_window_pattern": 6,
    },
    "phi-2": {
        "model_type": "phi", "vocab_size": 51_200, "hidden_size": 2560, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 10_240,
        "max_position_embeddings": 2048, "tie_word_embeddings": False, "partial_rotary_factor": 0.4,
        "qk_layernorm": False,
    },
    "olmo-1b": {
        "model_type": "olmo", "vocab_size": 50_304, "hidden_size": 2048, "num_hidden_layers": 16,
        "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 8192,
        "max_position_embeddings": 2048, "tie_word_embeddings": True,
    },
    "opt-125m": {
        "model_type": "opt", "vocab_size": 50_272, "hidden_size": 768, "num_hidden_layers": 12,
        "num_attention_heads": 12, "ffn_dim": 3072, "max_position_embeddings": 2048,
        "word_embed_proj_dim": 768, "do_layer_norm_before": True,
    },
    "mixtral-8x7b": {
        **_LLAMA_7B, "model_type": "mixtral", "vocab_size": 32_000, "num_key_value_heads": 8,
        "intermediate_size": 14_336, "max_position_embeddings": 32_768, "tie_word_embeddings": False,
        "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": None,
    },
    "qwen3-30b-a3b": {
        "model_type": "qwen3_moe", "vocab_size": 151_936, "hidden_size": 2048, "num_hidden_layers": 48,
        "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "decoder_sparse_step": 1,
        "mlp_only_layers": [], "max_position_embeddings": 40_960, "tie_word_embeddings": False,
    },
    "gpt-oss-20b": {
        "model_type": "gpt_oss", "vocab_size": 201_088, "hidden_size": 2880, "num_hidden_layers": 24,
        "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880,
        "num_local_experts": 32, "num_experts_per_tok": 4, "sliding_window": 128,
        "max_position_embeddings": 131_072, "tie_word_embeddings": False, "attention_bias": True,
    },
    "deepseek-v3": {
        "model_type": "deepseek_v3", "vocab_size": 129_280, "hidden_size": 7168, "num_hidden_layers": 61,
        "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18_432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_experts_per_tok": 8,
        "n_shared_experts": 1, "first_k_dense_replace": 3, "q_lora_rank": 1536, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "num_nextn_predict_layers": 1,
        "max_position_embeddings": 163_840, "tie_word_embeddings": False,
    },
}  # fmt: skip
# Small ones for what the presets leave out: biases, and lines that a file may lack.
_SMALL = {
    "vocab_size": 100,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 96,
}
_OPT = {
    "model_type": "opt", "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2, "ffn_dim": 96,
    "num_attention_heads": 4, "word_embed_proj_dim": 64,
}  # fmt: skip
_DEEPSEEK = {
    **_SMALL, "model_type": "deepseek_v3", "kv_lora_rank": 24, "qk_nope_head_dim": 12, "qk_rope_head_dim": 8,
    "v_head_dim": 10, "first_k_dense_replace": 1, "moe_intermediate_size": 16, "num_key_value_heads": 4,
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
    "llama, a window that it does not read": {**_SMALL, "model_type": "llama", "sliding_window": 8},
    "smollm3": {**_SMALL, "model_type": "smollm3", "attention_bias": True, "mlp_bias": True},
    "gemma": {**_SMALL, "model_type": "gemma", "num_key_value_heads": 2},
    "gemma2": {**_SMALL, "model_type": "gemma2", "attention_bias": True},
    "gemma3": {**_SMALL, "model_type": "gemma3_text"},
    "phi": {**_SMALL, "model_type": "phi", "num_key_value_heads": 2},
    "phi, wide heads": {**_SMALL, "model_type": "phi", "head_dim": 32},
    "phi3": {**_SMALL, "model_type": "phi3", "num_key_value_heads": 2, "pad_token_id": 0},
    "olmo with biases": {**_SMALL, "model_type": "olmo", "attention_bias": True, "num_key_value_heads": 2},
    "opt without biases": {**_OPT, "enable_bias": False, "layer_norm_elementwise_affine": False},
    "opt, norms after": {**_OPT, "do_layer_norm_before": False},
    "opt, no final norm": {**_OPT, "_remove_final_layer_norm": True, "tie_word_embeddings": False},
    "mixtral, as it comes": {**_SMALL, "model_type": "mixtral", "num_attention_heads": 8},
    "mixtral": {**_SMALL, "model_type": "mixtral", "num_experts": 3, "num_key_value_heads": 4},
    "qwen3_moe, some without": {
        **_SMALL, "model_type": "qwen3_moe", "decoder_sparse_step": 2, "num_hidden_layers": 5,
        "mlp_only_layers": [1, 1, 2], "num_experts": 9, "moe_intermediate_size": 24, "head_dim": 32,
    },
    "qwen3_moe, as it comes": {**_SMALL, "model_type": "qwen3_moe"},
    "gpt_oss": {**_SMALL, "model_type": "gpt_oss", "attention_bias": False, "num_local_experts": 5,
                "num_attention_heads": 8},
    "deepseek_v3, queries straight": {
        **_DEEPSEEK, "q_lora_rank": None, "attention_bias": True, "n_shared_experts": 3,
    },
    "deepseek_v3, biases": {**_DEEPSEEK, "q_lora_rank": 20, "attention_bias": True, "n_routed_experts": 16},
    "gpt2, own width": {**_GPT2, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": 100},
}  # fmt: skip
