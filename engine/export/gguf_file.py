"""One GGUF file, as llama.cpp and what builds on it read it.  Written with the `gguf` package.

llama.cpp pairs a Qwen3's numbers for RoPE as ours are, half a head apart.  A Llama's it pairs with their
neighbours, so rows of queries and keys change their places in its file.
"""

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engine.errors import ReaderError
from engine.export import names
from engine.families.interface import Model

_IN_A_BLOCK = {
    "norm1": "attn_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v", "projection": "attn_output",
    "q_norm": "attn_q_norm", "k_norm": "attn_k_norm", "norm2": "ffn_norm", "w1": "ffn_gate",
    "w3": "ffn_up", "w2": "ffn_down",
}  # fmt: skip
_F32, _F16 = 0, 1  # what the file says of most of its matrices
_NORMAL, _CONTROL = 1, 3  # kinds of pieces


def has_gguf() -> bool:
    """Whether the package that writes GGUF is installed."""
    return find_spec("gguf") is not None


def gguf_bytes(model: Model) -> bytes:
    """The file's content.  Raises as write_gguf does."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.gguf"
        write_gguf(model, path)
        return path.read_bytes()


def write_gguf(model: Model, path: Path) -> None:
    """Write a model's file.  Raises LacksError where it is neither a Qwen3 nor a Llama, and OSError.

    Matrices are float16 where that loses nothing, vectors float32, as llama.cpp wants them.
    """
    layout = names.layout(model)
    try:
        from gguf import GGUFWriter
    except ImportError as error:
        raise ReaderError("Writing GGUF needs the package gguf. Install it: pip install gguf.") from error
    tensors = dict(_tensors(model, layout))
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, layout)
    _describe(writer, model)
    half = any(tensor.dtype == np.float16 for tensor in tensors.values())
    writer.add_file_type(_F16 if half else _F32)
    _add_pieces(writer, model)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _describe(writer: Any, model: Model) -> None:
    a = model.architecture
    writer.add_name(model.title)
    writer.add_license("mit")
    writer.add_context_length(a.context)
    writer.add_embedding_length(a.d_model)
    writer.add_block_count(a.n_layer)
    writer.add_feed_forward_length(a.d_ff)
    writer.add_head_count(a.n_head)
    writer.add_head_count_kv(a.kv_heads)
    writer.add_key_length(a.width_of_head)
    writer.add_value_length(a.width_of_head)
    writer.add_layer_norm_rms_eps(model.epsilon)
    writer.add_rope_freq_base(model.rope_base)
    writer.add_rope_dimension_count(a.width_of_head)
    writer.add_vocab_size(a.vocab_size)


def _add_pieces(writer: Any, model: Model) -> None:
    """The vocabulary.  GPT-2's rule for cutting a text gives our pieces too: no merge joins digits."""
    pieces, specials, merges = model.tokenizer.vocabulary()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(pieces)
    writer.add_token_types([_CONTROL if i in specials else _NORMAL for i in range(len(pieces))])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(model.tokenizer.marker_id)
    writer.add_eos_token_id(model.tokenizer.end_id)
    writer.add_pad_token_id(model.tokenizer.end_id)
    writer.add_add_bos_token(True)


def _tensors(model: Model, layout: str) -> Any:
    a = model.architecture
    yield "token_embd.weight", names.kept_small(model.part("embedding.matrix"))
    for block in range(a.n_layer):
        for row, weight in names.in_block(model, block).items():
            if layout == "llama" and row in ("q", "k"):
                weight = neighbours_together(weight, a.width_of_head)
            yield f"blk.{block}.{_IN_A_BLOCK[row]}.weight", _stored(weight)
    yield "output_norm.weight", _stored(model.part("final_norm"))
    if not a.tied:
        yield "output.weight", names.kept_small(model.directions)


def _stored(weight: np.ndarray) -> np.ndarray:
    return names.kept_small(weight) if weight.ndim == 2 else np.asarray(weight, dtype=np.float32)


def neighbours_together(weight: np.ndarray, width: int) -> np.ndarray:
    """Queries' or keys' rows (heads · D, d), pairs half a head apart -> the same, pairs side by side."""
    halves = weight.reshape(-1, 2, width // 2, weight.shape[-1])
    return np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(weight.shape)
