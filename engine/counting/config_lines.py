"""What each line of a config.json is about, and whether the count, or what is computed, depends on it."""

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
    """One line of the file.  effect: one of the words above; value: as it stands in JSON, cut short."""

    key: str
    value: str
    meaning: str
    effect: str


_MEANINGS = {
    "vocab_size": "V: how many different tokens",
    "d_model": "d: width of the residual stream",
    "n_layer": "L: how many blocks",
    "n_head": "H: query heads in each block",
    "d_ff": "F: width inside the feed-forward layer",
    "n_kv_head": "K: key/value heads; fewer than H means grouped queries (Ainslie et al. 2023)",
    "head_width": "D: width of a head; d / H when left out",
    "tied": "whether the output layer is the embedding itself",
    "n_expert": "E: how many experts a block has",
    "n_active": "A: how many experts a token passes; it changes the active count alone",
    "expert_width": "M: width inside an expert",
    "n_shared": "S: experts that every token passes",
    "n_dense": "L₀: the first blocks, which have no experts",
    "latent": "C: how many numbers keys and values are worked out from",
    "query_rank": "Q: how many numbers queries are worked out from; null: the stream",
    "value_width": "U: width of a value",
}
_COUNTED = {
    "architectures": "the class in the transformers library; it tells whether there is an output layer",
    "num_labels": "Y: how many labels a classifier has",
    "id2label": "the labels of a classifier; their number is Y",
    "attention_bias": "whether attention's matrices have biases",
    "mlp_bias": "whether the feed-forward matrices have biases",
    "enable_bias": "whether the matrices have biases",
    "layer_norm_elementwise_affine": "whether the norms have gains and biases",
    "do_layer_norm_before": "whether norms stand before the parts; if not, the final norm is left out",
    "_remove_final_layer_norm": "whether the final norm is left out",
    "decoder_sparse_step": "every how many blocks one has experts",
    "mlp_only_layers": "the blocks that have no experts",
    "qk_nope_head_dim": "N: how many numbers of a head are not rotated",
    "qk_rope_head_dim": "R: how many numbers of a head are rotated",
    "multiple_of": "what F is rounded up to a multiple of",
    "ffn_dim_multiplier": "a factor of F",
    "moe": "the experts: how many there are, and how many a token passes",
    "word_embed_proj_dim": "the width of the embedding, which has to be the stream's here",
    "qk_layernorm": "whether queries and keys are normed, which has to be false here",
    "add_cross_attention": "whether a second text is looked at, which has to be false here",
}
_COMPUTED = {
    "hidden_act": "the activation function",
    "hidden_activation": "the activation function",
    "activation_function": "the activation function",
    "rms_norm_eps": "ε of RMSNorm, so that nothing is divided by zero",
    "norm_eps": "ε of RMSNorm, so that nothing is divided by zero",
    "layer_norm_eps": "ε of LayerNorm",
    "layer_norm_epsilon": "ε of LayerNorm",
    "rope_theta": "the base of RoPE's angles",
    "rope_base": "the base of RoPE's angles",
    "rope_local_base_freq": "the base of RoPE's angles in blocks with a window",
    "rope_scaling": "how RoPE's angles are stretched for longer texts",
    "use_scaled_rope": "whether RoPE's angles are stretched for longer texts",
    "rope_parameters": "the base of RoPE's angles, and how they are stretched",
    "rope_interleaved": "which numbers RoPE pairs: false means first half with second half",
    "rope_interleave": "which numbers RoPE pairs: false means first half with second half",
    "rotary_pct": "the share of each head that RoPE turns",
    "rotary_emb_base": "the base of RoPE's angles",
    "partial_rotary_factor": "the share of each head that RoPE turns",
    "no_rope_layers": "the blocks that RoPE leaves out",
    "no_rope_layer_interval": "every how many blocks RoPE leaves one out",
    "sliding_window": "how far back a token can look, where that is limited; it bounds the cache",
    "use_sliding_window": "whether looking back is limited",
    "sliding_window_pattern": "every how many blocks one looks back over the whole text",
    "_sliding_window_pattern": "every how many blocks one looks back over the whole text",
    "max_window_layers": "the block from which looking back is limited",
    "layer_types": "which kind of attention each block has",
    "use_parallel_residual": "whether attention and feed-forward layer read the same stream",
    "query_pre_attn_scalar": "what scores are divided by, under a root",
    "attn_logit_softcapping": "the size that scores are kept below",
    "final_logit_softcapping": "the size that the output's scores are kept below",
    "scale_attn_weights": "whether scores are divided by √D",
    "clip_qkv": "the size that queries, keys and values are kept below",
    "norm_topk_prob": "whether the shares of the experts are made to sum to 1",
    "scoring_func": "how the router's scores become shares",
    "topk_method": "how experts are chosen",
    "n_group": "how many groups the experts form",
    "topk_group": "from how many groups experts are chosen",
    "routed_scaling_factor": "what the experts' sum is multiplied with",
    "swiglu_limit": "the size that the gate is kept below",
    "torch_dtype": "the precision of the weights, and so of rounding",
    "dtype": "the precision of the weights, and so of rounding",
    "quantization_config": "how the weights are packed into fewer bits; their number stays",
}
_IDLE = {
    "model_type": "the family: which code reads this file",
    "initializer_range": "spread of the weights before training",
    "initializer_factor": "spread of the weights before training",
    "init_std": "spread of the weights before training",
    "attention_dropout": "share of attention weights left out in training",
    "attention_probs_dropout_prob": "share of attention weights left out in training",
    "dropout": "share of numbers left out in training",
    "layerdrop": "share of blocks left out in training",
    "hidden_dropout": "share of numbers left out in training",
    "hidden_dropout_prob": "share of numbers left out in training",
    "classifier_dropout": "share of numbers left out in a classifier's training",
    "attn_pdrop": "share of attention weights left out in training",
    "embd_pdrop": "share of the embedding left out in training",
    "resid_pdrop": "share of what a block adds left out in training",
    "aux_loss_alpha": "weight of the loss that spreads tokens over the experts, in training",
    "router_aux_loss_coef": "weight of the loss that spreads tokens over the experts, in training",
    "router_jitter_noise": "noise on the router's input in training",
    "output_router_logits": "whether the router's scores are handed out too",
    "seq_aux": "how the experts' loss is summed in training",
    "ep_size": "over how many devices the experts are spread",
    "bos_token_id": "the token that begins a text",
    "eos_token_id": "the token that ends a text",
    "pad_token_id": "the token that fills short texts up",
    "use_cache": "whether keys and values are kept while writing",
    "pretraining_tp": "how matrices were split in training; they are stored whole",
    "transformers_version": "the library that wrote the file",
    "n_ctx": "the longest text; n_positions is the one that counts",
    "label2id": "the labels of a classifier, the other way round",
    "num_nextn_predict_layers": "further blocks for training, which are not counted",
    "task_specific_params": "settings for generating text",
    "cache_implementation": "how keys and values are kept while writing",
    "is_llama_config": "a note for other programs",
    "transformers.js_config": "a note for other programs",
    "auto_map": "which file holds code of its own for the model",
    "_name_or_path": "where the file came from",
    "_attn_implementation_autoset": "which code computes attention",
}
_TABLES = ((_COUNTED, COUNTED), (_COMPUTED, COMPUTED), (_IDLE, IDLE))


def lines(
    data: dict[str, Any], family: Family, every_key: Collection[str], architecture: Architecture
) -> tuple[Line, ...]:
    """Every line of the file explained.  every_key: what any family calls a setting."""
    own = {key: setting for setting, keys in family.keys.items() for key in keys}
    return tuple(_line(key, value, family, own, every_key, architecture) for key, value in data.items())


def _line(
    key: str,
    value: Any,
    family: Family,
    own: dict[str, str],
    every_key: Collection[str],
    architecture: Architecture,
) -> Line:
    def line(meaning: str, effect: str) -> Line:
        return Line(json.dumps(key)[1:-1][:80], shown(value), meaning, effect)

    if own.get(key) == "context":
        learned = architecture.positions == "learned"
        return line(
            "P: the longest text, in tokens"
            + ("; each position has a learned vector" if learned else "; RoPE needs no parameters for it"),
            COUNTED if learned else IDLE,
        )
    if key in own:
        return line(_MEANINGS[own[key]], COUNTED)
    if key in every_key and key not in family.switches:
        return line("a setting that this family does not read", UNREAD)
    for table, effect in _TABLES:
        if key in table:
            return line(table[key], effect)
    if key.startswith("summary_"):
        return line("for a classifier on top", IDLE)
    return line("a line that this page does not know", UNKNOWN)
