"""What a GGUF file says of itself before its weights: read within bounds, nothing in it is trusted.

The transformers library's own reader takes seconds for that, and reads whatever it is told.
"""

import json
import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.counting import config_json
from engine.counting.architecture import Architecture
from engine.errors import ReaderError
from engine.families.checkpoints import plain_files

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
# {how numbers are packed, as GGUF numbers it: (so many numbers together, their bytes)}
_PACKED = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
    11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 30: (1, 2),
}  # fmt: skip
_MOST = 10_000_000  # entries of a list, and letters of a text
# {what GGUF calls a family: (its model_type, {GGUF's key: the config's})}
_LLAMA = {
    "embedding_length": "hidden_size", "block_count": "num_hidden_layers",
    "attention.head_count": "num_attention_heads", "attention.head_count_kv": "num_key_value_heads",
    "feed_forward_length": "intermediate_size", "context_length": "max_position_embeddings",
    "attention.key_length": "head_dim",
}  # fmt: skip
_GPT2 = {
    "embedding_length": "n_embd", "block_count": "n_layer", "attention.head_count": "n_head",
    "feed_forward_length": "n_inner", "context_length": "n_positions",
}  # fmt: skip
_KINDS = dict.fromkeys(("llama", "qwen2", "qwen3"), _LLAMA) | {"gpt2": _GPT2}


@dataclass(frozen=True)
class Header:
    """values: the single ones, by key; lengths: of the lists; tensors: {GGUF's name: its sides}."""

    values: dict[str, Any]
    lengths: dict[str, int]
    tensors: dict[str, tuple[int, ...]]


class _Reader:
    """Goes through the bytes of a file.  Raises ValueError or struct.error for what makes no sense."""

    def __init__(self, held: Any) -> None:
        self.held, self.at = held, 0

    def number(self, kind: str) -> Any:
        (found,) = struct.unpack_from(f"<{kind}", self.held, self.at)
        self.at += struct.calcsize(f"<{kind}")
        return found

    def count(self) -> int:
        found = self.number("Q")
        if found > _MOST:
            raise ValueError(f"{found:,} entries")
        return found

    def text(self) -> str:
        length = self.count()
        found = self.held[self.at : self.at + length]
        if len(found) != length:
            raise ValueError("it ends in the middle of a text")
        self.at += length
        return found.decode("utf-8", "replace")

    def skip(self, kind: int, count: int) -> None:
        if kind == _TEXT:
            for _ in range(count):
                length = self.count()
                self.at += length
        else:
            self.at += count * struct.calcsize(f"<{_NUMBERS[kind]}")
        if self.at > len(self.held):
            raise ValueError("it ends in the middle of a list")


def read(path: Path) -> Header:
    """The header of a GGUF file.  Raises ReaderError."""
    plain_files.check(path)
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
            return _header(_Reader(held))
    except (OSError, ValueError, KeyError, struct.error) as error:
        raise ReaderError(f"The header of {path.name} is damaged ({plain_files.why(error)}).") from error


def _header(reader: _Reader) -> Header:
    if reader.held[:4] != b"GGUF":
        raise ValueError("it does not begin with GGUF")
    reader.at = 4
    version = reader.number("I")
    if version not in (2, 3):
        raise ValueError(f"version {version}; 2 and 3 are read")
    tensors, pairs = reader.count(), reader.count()
    values: dict[str, Any] = {}
    lengths: dict[str, int] = {}
    for _ in range(pairs):
        key, kind = reader.text(), reader.number("I")
        if kind == _ARRAY:
            inner = reader.number("I")
            lengths[key] = reader.count()
            reader.skip(inner, lengths[key])
        else:
            values[key] = reader.text() if kind == _TEXT else reader.number(_NUMBERS[kind])
    found = [_tensor(reader) for _ in range(tensors)]
    every = values.get("general.alignment", 32)
    if not isinstance(every, int) or not 0 < every < _MOST:
        raise ValueError("an alignment that is none")
    start = -(-reader.at // every) * every
    if found and start + max(end for _, _, end in found) > len(reader.held):
        raise ValueError("it ends before its last tensor: it was not copied whole")
    return Header(values, lengths, {name: sides for name, sides, _ in found})


def _tensor(reader: _Reader) -> tuple[str, tuple[int, ...], int]:
    """A tensor's name, its sides, and where it ends after the header, as far as its packing is known."""
    name, dimensions = reader.text(), reader.number("I")
    if dimensions > 8:
        raise ValueError(f"a tensor of {dimensions} sides")
    sides = tuple(reader.number("Q") for _ in range(dimensions))
    together, size = _PACKED.get(reader.number("I"), (1, 0))
    return name, sides, reader.number("Q") + prod(sides) // together * size


def kind_of(header: Header) -> str:
    """The model_type of what a GGUF file holds.  Raises ReaderError with its obstacle."""
    kind = header.values.get("general.architecture")
    if kind not in _KINDS:
        known = ", ".join(_KINDS)
        raise ReaderError(
            f"It is of the family {str(kind)[:40]!r}, which is not opened from GGUF here. These are: {known}."
        )
    if (
        "rope_freqs.weight" in header.tensors
        or header.values.get(f"{kind}.rope.scaling.type", "none") != "none"
    ):
        raise ReaderError(
            "It stretches RoPE's angles in a way that the transformers library's reader leaves out, so it "
            "would run with others than it was trained with. Open its safetensors instead."
        )
    return "mistral" if kind == "llama" and header.values.get("general.name") == "mistral" else kind


def config(header: Header) -> dict[str, Any]:
    """The lines of a config.json that a header tells: the family and its sizes.  Raises ReaderError."""
    kind, own = kind_of(header), header.values["general.architecture"]
    found = {
        name: header.values[f"{own}.{key}"]
        for key, name in _KINDS[own].items()
        if f"{own}.{key}" in header.values
    }
    return found | {
        "model_type": kind,
        "vocab_size": header.values.get(f"{own}.vocab_size", header.lengths.get("tokenizer.ggml.tokens")),
        "tie_word_embeddings": "output.weight" not in header.tensors,
    }


def architecture(header: Header) -> Architecture:
    """The shape that a header tells.  Raises ReaderError with its obstacle."""
    found = config_json.read(json.dumps(config(header))).architecture
    sides = header.tensors.get("token_embd.weight")
    if sides is not None and sides != (found.d_model, found.vocab_size):
        raise ReaderError(
            f"Its embedding is {sides}, and its header makes it {found.d_model:,} × {found.vocab_size:,}."
        )
    return found
