"""Which lines of a config.json the count depends on, and which change what is computed."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from engine.counting.architecture import Architecture
from engine.counting.config_text import shown
from engine.counting.family import Family

COUNTED = "counted"
COMPUTED = "changes what is computed"  # and holds no parameters
IDLE = "changes no score"
UNREAD = "not read by this family"
UNKNOWN = "not known here"


@dataclass(frozen=True)
class Line:
    """One line of the file.  effect: one of the words above; value: as it stands in JSON, cut short.

    setting: the field of Architecture that it fills; None for a line that fills none.
    """

    key: str
    value: str
    effect: str
    setting: str | None = None


_COUNTED = (
    *("architectures", "num_labels", "id2label", "attention_bias", "mlp_bias", "enable_bias"),
    *("layer_norm_elementwise_affine", "do_layer_norm_before", "_remove_final_layer_norm"),
    *("decoder_sparse_step", "mlp_only_layers", "qk_nope_head_dim", "qk_rope_head_dim", "multiple_of"),
    *("ffn_dim_multiplier", "moe", "word_embed_proj_dim", "qk_layernorm", "add_cross_attention"),
)
_COMPUTED = (
    *("hidden_act", "hidden_activation", "activation_function", "rms_norm_eps", "norm_eps"),
    *("layer_norm_eps", "layer_norm_epsilon", "rope_theta", "rope_base", "rope_local_base_freq"),
    *("rope_scaling", "use_scaled_rope", "rope_parameters", "rope_interleaved", "rope_interleave"),
    *("rotary_pct", "rotary_emb_base", "partial_rotary_factor", "no_rope_layers"),
    *("no_rope_layer_interval", "sliding_window", "use_sliding_window", "sliding_window_pattern"),
    *("_sliding_window_pattern", "max_window_layers", "layer_types", "use_parallel_residual"),
    *("query_pre_attn_scalar", "attn_logit_softcapping", "final_logit_softcapping"),
    *(
        "scale_attn_weights",
        "scale_attn_by_inverse_layer_idx",
        "reorder_and_upcast_attn",
        "clip_qkv",
        "norm_topk_prob",
        "scoring_func",
        "topk_method",
        "n_group",
    ),
    *("topk_group", "routed_scaling_factor", "swiglu_limit", "torch_dtype", "dtype"),
    *("quantization_config",),
)
_IDLE = (
    *("model_type", "initializer_range", "initializer_factor", "init_std", "attention_dropout"),
    *("attention_probs_dropout_prob", "dropout", "layerdrop", "hidden_dropout", "hidden_dropout_prob"),
    *("classifier_dropout", "attn_pdrop", "embd_pdrop", "resid_pdrop", "aux_loss_alpha"),
    *("router_aux_loss_coef", "router_jitter_noise", "output_router_logits", "seq_aux", "ep_size"),
    *(
        "bos_token_id",
        "eos_token_id",
        "pad_token_id",
        "unk_token_id",
        "sep_token_id",
        "is_decoder",
        "use_cache",
        "pretraining_tp",
    ),
    *("transformers_version", "n_ctx", "label2id", "num_nextn_predict_layers", "task_specific_params"),
    *("cache_implementation", "is_llama_config", "transformers.js_config", "auto_map", "_name_or_path"),
    *("_attn_implementation_autoset", "_model_name_or_path", "return_dict", "output_attentions"),
    *("output_hidden_states", "tokenizer_class"),
)
_EFFECTS = {
    **dict.fromkeys(_COUNTED, COUNTED),
    **dict.fromkeys(_COMPUTED, COMPUTED),
    **dict.fromkeys(_IDLE, IDLE),
}
KNOWN = frozenset(_EFFECTS)


def lines(
    data: dict[str, Any], family: Family, every_key: Collection[str], architecture: Architecture
) -> tuple[Line, ...]:
    """Every line of the file, and what depends on it.  every_key: what any family calls a setting."""
    own = {key: setting for setting, keys in family.keys.items() for key in keys}
    return tuple(
        Line(
            json.dumps(key)[1:-1][:80],
            shown(value),
            _effect(key, own.get(key), architecture, key in every_key and key not in family.switches),
            own.get(key),
        )
        for key, value in data.items()
    )


def _effect(key: str, setting: str | None, architecture: Architecture, of_another_family: bool) -> str:
    if setting == "context":
        return COUNTED if architecture.positions == "learned" else IDLE
    if setting is not None:
        return COUNTED
    if of_another_family:
        return UNREAD
    return IDLE if key.startswith("summary_") else _EFFECTS.get(key, UNKNOWN)
