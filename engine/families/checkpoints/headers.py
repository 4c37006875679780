"""The tensors of a folder's safetensors files, from their headers alone; nothing in them is trusted."""

import json
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.counting.tensors import HEADER_LIMIT
from engine.errors import ReaderError
from engine.families.checkpoints import plain_files

INDEX = "model.safetensors.index.json"
_INDEX_LIMIT = 50_000_000  # bytes
WIDTHS = {"F32": 4, "F16": 2, "BF16": 2}  # bytes of a number, of the kinds that are read
_PACKED = {"F64": 8, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1}


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file.  kind: as the file writes it, such as "BF16"."""

    file: str
    kind: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)


def files(folder: Path) -> list[str]:
    """The files that hold a checkpoint's weights.  Raises ReaderError where one is missing."""
    plain_files.check(folder / INDEX)
    if (folder / INDEX).exists():
        return _shards(folder)
    found = sorted(path.name for path in folder.glob("*.safetensors"))
    if not found and any(folder.glob("*.bin")):
        raise ReaderError(
            "Its weights are a pickle (.bin), which could run code of its own and is never opened. Write "
            "them as safetensors with transformers: model.save_pretrained(folder)."
        )
    if not found:
        raise ReaderError("No .safetensors file lies in it.")
    if len(found) > 1 and "model.safetensors" not in found:
        raise ReaderError(
            f"It holds {len(found)} .safetensors files, but no {INDEX} that puts them together."
        )
    return ["model.safetensors"] if "model.safetensors" in found else found


def _shards(folder: Path) -> list[str]:
    """The files that an index names, all of which are there."""
    try:
        if (folder / INDEX).stat().st_size > _INDEX_LIMIT:
            raise ValueError("too long")
        named = json.loads((folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
        found = sorted(set(named.values()))
        if not all(isinstance(one, str) and Path(one).name == one for one in found):
            raise ValueError("names that are no files of this folder")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReaderError(f"{INDEX} can't be read ({type(error).__name__}).") from error
    missing = [one for one in found if not (folder / one).is_file()]
    if missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ReaderError(
            f"{missing[0]}{others} of its {len(found)} files of weights are missing: copy the folder again."
        )
    return found


def tensors(folder: Path) -> dict[str, Tensor]:
    """{name: Tensor} of all files of a folder.  Raises ReaderError, before any weight is read."""
    found: dict[str, Tensor] = {}
    for file in files(folder):
        found |= _of_file(folder / file)
    if not found:
        raise ReaderError("Its files of weights hold no tensors.")
    return found


def _of_file(path: Path) -> dict[str, Tensor]:
    plain_files.check(path)
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(HEADER_LIMIT, size - 8):
                raise ValueError(f"it tells a header of {length:,} bytes in a file of {size:,}")
            header = json.loads(file.read(length))
        found = {n: _tensor(path.name, one) for n, one in header.items() if n != "__metadata__"}
        ends = [header[name]["data_offsets"] for name in found]
        if sum(end - start for start, end in ends) != max((end for _, end in ends), default=0):
            raise ValueError("its tensors overlap or leave gaps")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise ReaderError(f"The header of {path.name} is damaged ({plain_files.why(error)}).") from error
    expected = 8 + length + max((end for _, end in ends), default=0)
    if expected != size:
        told = f"{path.name} has {size:,} bytes and should have {expected:,}"
        raise ReaderError(f"{told}: it was not copied whole. Copy it again.")
    return found


def _tensor(file: str, told: Any) -> Tensor:
    """One entry of a header; its bytes are as many as its shape needs."""
    kind, shape, (start, end) = told["dtype"], tuple(told["shape"]), told["data_offsets"]
    if not all(type(one) is int and one >= 0 for one in (*shape, start, end)) or len(shape) > 8:
        raise ValueError("a shape that is none")
    width = (WIDTHS | _PACKED).get(kind)
    if width is not None and end - start != width * prod(shape):
        raise ValueError(f"{end - start:,} bytes for a shape of {' × '.join(map(str, shape))}")
    return Tensor(file, str(kind)[:20], shape)
