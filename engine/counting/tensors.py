"""The tensors of a safetensors file, from its header alone, and the parts of a count they belong to."""

import json
import re
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path

from engine import weights
from engine.counting import count_parameters
from engine.errors import ReaderError

HEADER_LIMIT = 100_000_000  # bytes; the format's own limit

# What a tensor's name means: the rows of the count it holds.
_ROWS: tuple[tuple[str, tuple[str, ...] | None], ...] = (
    (r"embedding(\.weight)?", ("embedding.matrix",)),
    (r"blocks\.\d+\.attention\.qkv\.weight", ("q", "k", "v")),
    (r"blocks\.\d+\.([qkv])", None),
    (r"blocks\.\d+\.attention\.([qk]_norm)\.gain", None),
    (r"blocks\.\d+\.(attention\.proj\.weight|o)", ("projection",)),
    (r"blocks\.\d+\.(feed_forward\.w1\.weight|gate)", ("w1",)),
    (r"blocks\.\d+\.(feed_forward\.w3\.weight|up)", ("w3",)),
    (r"blocks\.\d+\.(feed_forward\.w2\.weight|down)", ("w2",)),
    (r"blocks\.\d+\.(norm1\.gain|attention_gain)", ("norm1",)),
    (r"blocks\.\d+\.(norm2\.gain|feed_forward_gain)", ("norm2",)),
    (r"final_(norm\.)?gain", ("final_norm",)),
)


@dataclass(frozen=True)
class Check:
    """One kind of tensor in the file beside the rows of the count that it should hold."""

    title: str
    part: str
    example: str  # the first tensor's name
    tensors: int
    in_file: int
    counted: int

    @property
    def agrees(self) -> bool:
        """Whether file and formula give the same number."""
        return self.in_file == self.counted


def shapes(path: str | Path) -> dict[str, tuple[int, ...]]:
    """{tensor's name: its shape} of a safetensors file; only the header is read.  Raises ReaderError."""
    try:
        with open(path, "rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            if size > HEADER_LIMIT:
                raise ValueError("its header is longer than the format allows")
            header = json.loads(file.read(size))
        return {name: tuple(one["shape"]) for name, one in header.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise ReaderError(f"{path} can't be read as safetensors: {error}.") from error


def reconcile(name: str, folder: str | Path = weights.FOLDER) -> list[Check]:
    """A shipped model's file against the formula -> list of Check.  Their sums are the two totals.

    Tensors that no row explains, and rows that no tensor holds, are listed too: they do not agree.
    """
    table = count_parameters(name)
    found: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for tensor, shape in shapes(Path(folder) / name / "model.safetensors").items():
        found.setdefault(_rows_of(tensor), []).append((tensor, prod(shape)))
    checks = []
    for rows, tensors in found.items():
        known = [table[row] for row in rows if row in table]
        checks.append(
            Check(
                title=" + ".join(row.title for row in known) or "not in the formula",
                part=known[0].part if known else "",
                example=tensors[0][0],
                tensors=len(tensors),
                in_file=sum(size for _, size in tensors),
                counted=sum(row.count for row in known),
            )
        )
    held = {row for rows in found for row in rows}
    missing = [row for row in table.rows if row.id not in held]
    checks += [Check(row.title, row.part, "not in the file", 0, 0, row.count) for row in missing]
    order = {row.title: place for place, row in enumerate(table.rows)}
    return sorted(checks, key=lambda one: order.get(one.title.split(" + ")[0], len(order)))


def _rows_of(tensor: str) -> tuple[str, ...]:
    for pattern, rows in _ROWS:
        match = re.fullmatch(pattern, tensor)
        if match:
            return rows or (match[1],)
    return (f"unknown: {tensor}",)
