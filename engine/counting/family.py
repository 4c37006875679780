"""What a family of models is to the reader of its config.json, and what follows from several of its lines."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.counting.architecture import LIMITS
from engine.errors import ReaderError

More = tuple[dict[str, Any], list[str]]  # further settings, and a sentence for each that was assumed
WorkedOut = Callable[[dict[str, Any], dict[str, Any]], More]
WholeText = Callable[[int, int, dict[str, Any]], bool]  # (block, blocks, the file)
BIASES = ("qkv_bias", "projection_bias", "feed_forward_bias")


@dataclass(frozen=True)
class Family:
    """One family of models.

    fixed: settings that its code does not leave open.  keys: {setting: its names in the file}.
    usual: {setting: what is taken when the file leaves it out}.  switches: {true or false in the file:
    (settings that it sets, what is taken without it)}.  worked_out: (settings found, the file) ->
    ({more settings}, [sentences]), for what follows from several lines.
    """

    title: str
    fixed: dict[str, Any]
    keys: Mapping[str, tuple[str, ...]]
    usual: dict[str, Any] = field(default_factory=dict)
    switches: Mapping[str, tuple[tuple[str, ...], bool]] = field(default_factory=dict)
    worked_out: WorkedOut = lambda found, data: ({}, [])


def number(data: dict[str, Any], key: str, usual: Any, least: int, most: int) -> Any:
    """A whole number of the file, or what is usual where it is left out or null.  Raises ReaderError."""
    value = data.get(key)
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ReaderError(f"{key} has to be a whole number from {least:,} to {most:,}, or null.")
    return value


def switch(data: dict[str, Any], key: str, usual: bool = False) -> bool:
    """A true or false of the file, or what is usual.  Raises ReaderError."""
    value = data.get(key)
    if value is not None and not isinstance(value, bool):
        raise ReaderError(f"{key} has to be true or false.")
    return usual if value is None else value


def _blocks(found: dict[str, Any]) -> int:
    """L where it is a number that is counted at all, else 0."""
    blocks = found.get("n_layer")
    return blocks if isinstance(blocks, int) and 0 < blocks <= LIMITS["n_layer"] else 0


def windowed(
    usual: int | None, whole_text: WholeText = lambda block, blocks, data: False, asked: bool = False
) -> WorkedOut:
    """worked_out of families with a window.

    usual: its tokens when the file leaves it out.  whole_text: whether a block, counted from 0, looks
    back over the whole text, where no layer_types say so.  asked: only with use_sliding_window true.
    """

    def worked_out(found: dict[str, Any], data: dict[str, Any]) -> More:
        window = number(data, "sliding_window", None, 1, LIMITS["window"])
        assumed = []
        if "sliding_window" not in data and usual:
            window = usual
            assumed.append(f"sliding_window is left out; the library takes {usual:,}.")
        if window is None or (asked and not switch(data, "use_sliding_window")):
            return {}, []
        kinds, blocks = data.get("layer_types"), _blocks(found)
        if isinstance(kinds, list) and len(kinds) == blocks:
            full = sum(kind != "sliding_attention" for kind in kinds)
        else:
            full = sum(whole_text(block, blocks, data) for block in range(blocks))
        return ({"window": window, "n_full": full} if full < blocks else {}), assumed

    return worked_out


def every_second(block: int, _: int, data: dict[str, Any]) -> bool:
    """Every second block, as in Gemma 2 and gpt-oss."""
    return block % 2 == 1


def one_in(usual: int) -> WholeText:
    """Every n-th block; usual: n when the file leaves sliding_window_pattern out."""

    def whole_text(block: int, _: int, data: dict[str, Any]) -> bool:
        every = number(data, "sliding_window_pattern", usual, 1, LIMITS["n_layer"])
        return (block + 1) % every == 0

    return whole_text


def first_ones(block: int, blocks: int, data: dict[str, Any]) -> bool:
    """The blocks before max_window_layers, as in Qwen."""
    return block < number(data, "max_window_layers", 28, 0, LIMITS["n_layer"])


def experts_of_qwen3(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Which blocks have experts: every decoder_sparse_step-th, but for those listed."""
    step = number(data, "decoder_sparse_step", 1, 1, LIMITS["n_layer"])
    plain = data.get("mlp_only_layers") or []
    if not isinstance(plain, list):
        raise ReaderError("mlp_only_layers has to be a list of block numbers.")
    listed = {one for one in plain if isinstance(one, int)}
    dense = sum(block in listed or (block + 1) % step != 0 for block in range(_blocks(found)))
    more, assumed = windowed(None, asked=True)(found, data)
    return {**more, "n_dense": dense}, assumed


def experts_of_mixtral(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Experts as wide as F in every block."""
    more, assumed = windowed(None)(found, data)
    return {**more, "expert_width": found.get("d_ff", 0)}, assumed


def experts_of_gpt_oss(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Experts as wide as F in every block, and a window in every second one."""
    more, assumed = windowed(128, every_second)(found, data)
    return {**more, "expert_width": found.get("d_ff", 0)}, assumed


def deepseek(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Latent attention, and experts after the first blocks."""
    nope, rope = (
        number(data, key, usual, 0, LIMITS["rope_width"] // 2)
        for key, usual in (("qk_nope_head_dim", 128), ("qk_rope_head_dim", 64))
    )
    more = {"head_width": nope + rope, "rope_width": rope}
    if "q_lora_rank" in data and data["q_lora_rank"] is None:
        more["query_rank"] = 0
    assumed = []
    if data.get("num_nextn_predict_layers"):
        assumed.append(
            "num_nextn_predict_layers: a further block that predicts the token after the next in training "
            "is not counted, as in the size that is published."
        )
    return more, assumed


def opt(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Two positions more than it reads; norms and biases that can be switched off."""
    narrow = data.get("word_embed_proj_dim", found.get("d_model"))
    if narrow != found.get("d_model"):
        raise ReaderError(
            "word_embed_proj_dim differs from hidden_size: an embedding narrower than the stream, with "
            "matrices in between, is not counted here."
        )
    biased, learned = switch(data, "enable_bias", True), switch(data, "layer_norm_elementwise_affine", True)
    before, removed = switch(data, "do_layer_norm_before", True), switch(data, "_remove_final_layer_norm")
    more = {"norm": "layer" if learned else "bare", "final_norm": before and not removed}
    return {**more, **dict.fromkeys(BIASES, biased)}, []


def phi(found: dict[str, Any], data: dict[str, Any]) -> More:
    """Refuses the norms of queries and keys that its code can have."""
    if switch(data, "qk_layernorm"):
        raise ReaderError("qk_layernorm is true: norms of queries and keys with biases are not counted here.")
    return {}, []


def gpt2(found: dict[str, Any], data: dict[str, Any]) -> More:
    """F is 4 d where it is left out."""
    if switch(data, "add_cross_attention"):
        raise ReaderError(
            "This model also looks at a second text (cross-attention), which is not counted here."
        )
    if "d_ff" not in found and isinstance(found.get("d_model"), int):
        return {"d_ff": 4 * found["d_model"]}, ["n_inner is left out, so F = 4 d."]
    return {}, []


def meta(found: dict[str, Any], data: dict[str, Any]) -> More:
    """F of Meta's params.json: two thirds of 4 d, times a factor, up to a multiple."""
    if not isinstance(found.get("d_model"), int):
        return {}, []
    multiple = number(data, "multiple_of", 256, 1, LIMITS["d_ff"])
    factor = data.get("ffn_dim_multiplier")
    factor = 1 if factor is None else factor
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor <= 100:
        raise ReaderError("ffn_dim_multiplier has to be a number up to 100, or null.")
    width = int(factor * int(8 * min(found["d_model"], LIMITS["d_model"]) / 3))
    more, assumed = {"d_ff": multiple * math.ceil(width / multiple)}, []
    if found.get("vocab_size") == -1:
        more["vocab_size"] = 32_000
        assumed.append("vocab_size is left to the tokenizer (−1): 32,000 is taken, as in Llama 1 and 2.")
    assumed.append("F is worked out as Meta's code does: 8/3 d, times the factor, up to the multiple.")
    return more, assumed


def mistral_file(found: dict[str, Any], data: dict[str, Any]) -> More:
    """The window and the experts of Mistral's own params.json."""
    more, assumed = windowed(None)({**found}, data)
    experts = data.get("moe")
    if experts is None:
        return more, assumed
    if not isinstance(experts, dict):
        raise ReaderError("moe has to be an object that tells the experts.")
    most = LIMITS["n_expert"]
    more |= {
        "n_expert": number(experts, "num_experts", 8, 1, most),
        "n_active": number(experts, "num_experts_per_tok", 2, 1, most),
        "expert_width": found.get("d_ff", 0),
    }
    return more, assumed
