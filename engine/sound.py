"""Whether a folder's settings and tensors can be one of our models: asked before anything is allocated.

Checksums tell what was damaged on the way.  A folder whose manifest was written anew for other files passes
them, so what the files say is read as strictly as what a reader types.
"""

import json
import re
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HEADER_LIMIT = 100_000_000  # bytes; the format's own limit
# The largest value of each setting: far beyond our models, and little enough to be reckoned with.
LARGEST = {
    "vocab_size": 10**6, "context": 10**5, "n_layer": 10**3, "n_head": 10**3, "d_model": 10**5, "d_ff": 10**6,
}  # fmt: skip
NUMBERS = {"rope_base": (1, 1e12), "norm_eps": (0, 1)}
_BLOCK = re.compile(r"blocks\.(\d+)\.")
_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"[\w.-]+")


class Stored(NamedTuple):
    """What a file's header says of one tensor."""

    dtype: str  # as the format writes it: F16, F32, …
    shape: tuple[int, ...]


def header(path: Path) -> dict[str, Stored]:
    """What a safetensors file holds, by its header alone.  Raises ValueError, and OSError."""
    with open(path, "rb") as file:
        start = file.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 0 < size <= HEADER_LIMIT:
            raise ValueError("model.safetensors has no header that can be read.")
        try:
            told = json.loads(file.read(size))
            found = {name: one for name, one in told.items() if name != "__metadata__"}
            return {name: Stored(str(one["dtype"]), tuple(one["shape"])) for name, one in found.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError("The header of model.safetensors is none.") from error


def settings(told: Any, tensors: Mapping[str, Stored]) -> None:
    """Raise ValueError where config.json says what no model of ours, or not these tensors, can have."""
    if not isinstance(told, dict):
        raise ValueError("config.json holds no settings.")
    for name, largest in LARGEST.items():
        value = told.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
            shown = json.dumps(value)[:40]
            raise ValueError(
                f"{name} is {shown} in config.json; it has to be a whole number, 1 to {largest:,}."
            )
    for name, (least, most) in NUMBERS.items():
        value = told.get(name, least if name == "norm_eps" else None)
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
            said = f"it has to be a number from {least:g} to {most:g}."
            raise ValueError(f"{name} is {str(value)[:40]} in config.json; {said}")
    d, H = told["d_model"], told["n_head"]
    if d % H or d // H % 2:
        raise ValueError(f"{H} heads can't share a width of {d} in pairs.")
    _same_size(told, tensors)


def _same_size(told: dict[str, Any], tensors: Mapping[str, Stored]) -> None:
    """Raise ValueError where settings and tensors disagree on the blocks or on the embedding."""
    blocks = {int(match[1]) for match in map(_BLOCK.match, tensors) if match}
    if blocks != set(range(told["n_layer"])):
        raise ValueError(
            f"config.json tells of {told['n_layer']} blocks, model.safetensors of {len(blocks)}."
        )
    embedding = tensors.get("embedding.weight", tensors.get("embedding"))
    wanted = (told["vocab_size"], told["d_model"])
    if embedding is None or embedding.shape != wanted:
        found = "none" if embedding is None else embedding.shape
        raise ValueError(f"The embedding in model.safetensors is {found}; the settings say {wanted}.")


def tensors(
    found: Mapping[str, Stored], shapes: Mapping[str, tuple[int, ...]], dtypes: Iterable[str]
) -> None:
    """Raise ValueError unless the file holds exactly tensors of these shapes, in one of these dtypes."""
    if set(found) != set(shapes):
        odd = min(set(found) ^ set(shapes))
        raise ValueError(f"the settings and model.safetensors disagree on {odd[:80]}.")
    for name, shape in shapes.items():
        if found[name].shape != shape:
            raise ValueError(f"{name} is {found[name].shape}, the settings say {shape}.")
        if found[name].dtype not in dtypes:
            raise ValueError(f"{name} is stored as {found[name].dtype[:10]}, not as {' or '.join(dtypes)}.")


def finite(arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError where a tensor holds a number that is none, or an endless one."""
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that are none (NaN) or endless.")


def manifest(told: Any) -> None:
    """Raise ValueError unless a manifest names files by plain names, each with a checksum."""
    if not isinstance(told, dict) or not isinstance(told.get("files"), dict):
        raise ValueError("it names no files")
    for name, checksum in told["files"].items():
        if not _FILE.fullmatch(name) or not isinstance(checksum, str) or not _CHECKSUM.fullmatch(checksum):
            raise ValueError(f"{name[:40]!r} has no checksum in it")
    if "model.safetensors" not in told["files"]:
        raise ValueError("it does not name model.safetensors")
    window = told.get("training_window", 1)
    if not isinstance(window, int) or isinstance(window, bool) or not 1 <= window <= LARGEST["context"]:
        raise ValueError(f"training_window is {json.dumps(window)[:40]}")
