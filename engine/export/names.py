"""The weights of a model under the names that Hugging Face's Qwen3 and Llama give them.

Both are what our families are: RMSNorm before each part, RoPE on halves, a gated feed-forward layer.  Qwen3
norms queries and keys, Llama does not.  Their matrices are used as W x, so ours are turned over.
"""

import numpy as np

from engine.errors import LacksError
from engine.families.interface import Model

IN_A_BLOCK = {
    "norm1": "input_layernorm", "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj",
    "q_norm": "self_attn.q_norm", "k_norm": "self_attn.k_norm", "projection": "self_attn.o_proj",
    "norm2": "post_attention_layernorm", "w1": "mlp.gate_proj", "w3": "mlp.up_proj", "w2": "mlp.down_proj",
}  # fmt: skip
_NEEDED = {"gate": "gate", "rotary": "RoPE", "rms_norm": "RMSNorm"}


def layout(model: Model) -> str:
    """Which of the two a model is: "qwen3" or "llama".  Raises LacksError where it is neither."""
    missing = [called for fact, called in _NEEDED.items() if fact not in model.has]
    a = model.architecture
    if missing:
        raise LacksError(f"{model.title} has no {missing[0]}, so it is neither a Qwen3 nor a Llama.")
    if "biases" in model.has or model.parallel or a.block_norms != "two" or model.rotated != a.width_of_head:
        raise LacksError(f"{model.title} is put together otherwise than a Qwen3 or a Llama.")
    if model.changes:
        raise LacksError("A changed model is not written: its file would not say what was changed.")
    return "qwen3" if "qk_norm" in model.has else "llama"


def in_block(model: Model, block: int) -> dict[str, np.ndarray]:
    """One block's weights by the calculator's row, matrices (out, in) float32."""
    rows = [row for row in IN_A_BLOCK if "qk_norm" in model.has or not row.endswith("_norm")]
    return {row: np.ascontiguousarray(model.part(row, block).T) for row in rows}


def named(model: Model) -> dict[str, np.ndarray]:
    """All weights by Hugging Face's names, float32; the output matrix only where it is not the embedding."""
    found = {"model.embed_tokens.weight": model.part("embedding.matrix")}
    for block in range(model.architecture.n_layer):
        for row, weight in in_block(model, block).items():
            found[f"model.layers.{block}.{IN_A_BLOCK[row]}.weight"] = weight
    found["model.norm.weight"] = model.part("final_norm")
    if not model.architecture.tied:
        found["lm_head.weight"] = model.directions
    return found


def kept_small(weight: np.ndarray) -> np.ndarray:
    """A weight in float16 where that loses nothing, as where it was stored so; else in float32."""
    with np.errstate(over="ignore"):
        half = weight.astype(np.float16)
    return half if (half.astype(np.float32) == weight).all() else np.asarray(weight, dtype=np.float32)
