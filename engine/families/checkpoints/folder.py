"""What a checkpoint's folder says of itself, and why it can't be opened: all before a weight is read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.counting import config_json, config_text, count_parameters
from engine.counting.architecture import Architecture
from engine.counting.config_lines import UNKNOWN
from engine.errors import ReaderError
from engine.families.checkpoints import headers, lines, pieces, plain_files
from engine.families.checkpoints.layouts import LAYOUTS, Layout

_SAID = 3  # names that a sentence lists at most
_MOVING = {"dynamic", "longrope"}  # kinds of RoPE whose angles depend on the text's length


@dataclass(frozen=True)
class Folder:
    """A checkpoint that can be opened, as its small files and headers describe it.

    config: its config.json.  tensors: {the name that the library gives a weight: (its name in the file, the
    tensor)}.
    """

    path: Path
    config: dict[str, Any]
    architecture: Architecture
    layout: Layout
    tensors: dict[str, tuple[str, headers.Tensor]]
    checksum: str
    pieces: str  # names its tokenizer
    spare: tuple[str, headers.Tensor] | None = None  # an output matrix that the config leaves unused

    @property
    def activation(self) -> str | None:
        """As Model.activation: GELU in any of its ways of computing it."""
        usual = "silu" if self.architecture.gated else "gelu"
        told = str(self.config.get("hidden_act") or self.config.get("activation_function") or usual)
        return {"silu": "silu", "swish": "silu"}.get(told, "GELU" if told.startswith("gelu") else None)

    @property
    def rotated(self) -> int:
        """How many numbers of a head RoPE turns."""
        D = self.architecture.width_of_head if self.layout.rotary else 0
        if not self.layout.interleaved:
            return D
        told = self.config.get("rope_parameters") or {}
        share = told.get("partial_rotary_factor", self.config.get("rotary_pct", 0.25))
        return int(D * share)

    @property
    def parallel(self) -> bool:
        """Whether both parts of a block read the same stream."""
        return self.layout.interleaved and self.config.get("use_parallel_residual") is not False

    @property
    def family(self) -> str:
        """Whose lines it runs: a key of lines.FAMILIES."""
        serial = self.layout.interleaved and not self.parallel
        return lines.SERIAL if serial else self.layout.kind


def look(path: Path) -> Folder:
    """What a folder says of itself.  Raises ReaderError with its obstacle: a sentence or two."""
    text = _text(path / "config.json")
    config = config_text.parsed(text)
    layout = _layout(config)
    reading = config_json.read(text)
    _check_config(config, reading, layout)
    tensors, spare = _matched(headers.tensors(path), reading.architecture, layout)
    files, own = pieces.look(path, layout.kind)
    checksum = _checksum(path, text, tensors, files)
    return Folder(path, config, reading.architecture, layout, tensors, checksum, own, spare)


def _text(path: Path) -> str:
    plain_files.check(path)
    try:
        with open(path, "rb") as file:
            return config_text.decoded(file.read(4 * config_text.LONGEST + 8))
    except OSError as error:
        raise ReaderError(f"config.json can't be read ({plain_files.why(error)}).") from error


def _layout(config: dict[str, Any]) -> Layout:
    kind = config.get("model_type")
    name = kind.strip().lower().replace("-", "_") if isinstance(kind, str) else None
    if name in LAYOUTS:
        return LAYOUTS[name]
    said = "does not say its model_type" if kind is None else f"says {config_text.shown(kind)}"
    known = ", ".join(LAYOUTS)
    raise ReaderError(f"Its config.json {said}, a family that is not opened here. These are: {known}.")


def _check_config(config: dict[str, Any], reading: config_json.Reading, layout: Layout) -> None:
    """Raise ReaderError for settings under which the pass would not be the one that is shown."""
    if config.get("quantization_config"):
        raise ReaderError(
            "Its weights are quantised (quantization_config), which is not read here. Open the version whose "
            "weights are float32, float16 or bfloat16, or a GGUF file of it."
        )
    unknown = [line.key for line in reading.lines if line.effect == UNKNOWN]
    if unknown:
        raise ReaderError(
            f"Its config.json has {_listed(unknown)}, unknown here, which may change what is computed."
        )
    if config.get("rope_interleaved"):
        raise ReaderError("Its RoPE pairs neighbours (rope_interleaved), and the library turns halves.")
    if not reading.architecture.tokens_scored:
        raise ReaderError("It scores labels, or nothing at all: it has no output layer for tokens.")
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = (rope.get("rope_type") or rope.get("type")) if isinstance(rope, dict) else None
    if kind in _MOVING or not isinstance(rope, dict):
        raise ReaderError(
            f"Its RoPE ({config_text.shown(kind)}) turns by other angles in longer texts, which is not shown."
        )
    classes = config.get("architectures") or [layout.prefix]
    if not isinstance(classes, list) or not str(classes[0]).startswith(layout.prefix):
        raise ReaderError(f"Its class {config_text.shown(classes)} is none of {layout.prefix}'s.")


def _matched(
    found: dict[str, headers.Tensor], a: Architecture, layout: Layout
) -> tuple[dict[str, tuple[str, headers.Tensor]], tuple[str, headers.Tensor] | None]:
    """Every tensor that the architecture needs, each of its shape; and an output matrix that it does not.

    Raises ReaderError for another file.
    """
    packed = next(
        (f"{name} ({one.kind})" for name, one in found.items() if one.kind not in headers.WIDTHS), ""
    )
    own = {
        _library_name(name, layout): (name, one)
        for name, one in found.items()
        if not name.endswith(layout.ignored)
    }
    if packed and not packed.split(" ")[0].endswith(layout.ignored):
        raise ReaderError(
            f"{packed} is no float32, float16 or bfloat16: its weights are quantised, which is not read here."
        )
    wanted = expected(a, layout)
    missing = [name for name in wanted if name not in own]
    if missing:
        raise ReaderError(f"{_listed(missing)} {'are' if len(missing) > 1 else 'is'} missing in its weights.")
    for name, shape in wanted.items():
        has = own[name][1].shape
        if has != shape:
            raise ReaderError(f"{own[name][0]} is {_sides(has)}; its config.json makes it {_sides(shape)}.")
    tie = f"{layout.modules['output']}.weight"
    odd = [held for name, (held, _) in own.items() if name not in wanted and not (a.tied and name == tie)]
    if odd:
        raise ReaderError(
            f"Its weights hold {_listed(odd)}, which a {layout.prefix} of its settings has not."
        )
    same = tie in own and own[tie][1].shape == (a.vocab_size, a.d_model)
    return {name: own[name] for name in wanted}, own[tie] if a.tied and same else None


def _library_name(name: str, layout: Layout) -> str:
    """What the library calls a weight that a file may name in an older way, or from the base on."""
    name = layout.renamed.get(name, name)
    return name if name.startswith((layout.base, str(layout.modules["output"]))) else layout.base + name


def expected(a: Architecture, layout: Layout) -> dict[str, tuple[int, ...]]:
    """{weight: shape} of all that a network of this family and shape holds, one matrix for two uses once."""
    rows, m = layout.rows(), layout.modules
    found: dict[str, list[tuple[int, ...]]] = {}
    kept = {str(layout.embedding), str(layout.positions)}
    for row in count_parameters(a).rows:
        weight, _ = rows[row.id]
        shape = row.shape
        turned = layout.first == "made" or weight.startswith(str(m["output"]))
        if len(shape) > 1 and turned and weight.rpartition(".")[0] not in kept:
            shape = shape[::-1]
        names = [f"{m['blocks']}.{i}.{weight}" for i in range(a.n_layer)] if row.in_blocks else [weight]
        for name in names:
            found.setdefault(name, []).append(shape)
    return {name: _together(shapes, layout) for name, shapes in found.items()}


def _together(shapes: list[tuple[int, ...]], layout: Layout) -> tuple[int, ...]:
    """The shape of one weight for several rows: the sides that they make are laid side by side."""
    if len(shapes) == 1:
        return shapes[0]
    made = 0 if layout.first == "made" else -1
    sides = list(shapes[0])
    sides[made] = sum(shape[made] for shape in shapes)
    return tuple(sides)


def _checksum(
    path: Path, config: str, tensors: dict[str, tuple[str, headers.Tensor]], files: list[str]
) -> str:
    """Names these weights: by the headers, and by every file's size and time of change."""
    told = hashlib.sha256(config.encode())
    told.update(repr(sorted(tensors.items())).encode())
    for file in sorted({one.file for _, one in tensors.values()} | set(files)):
        state = (path / file).stat()
        told.update(f"{file} {state.st_size} {state.st_mtime_ns}".encode())
    return told.hexdigest()


def _sides(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{side:,}" for side in shape) or "a single number"


def _listed(names: list[str]) -> str:
    """Names in a sentence: a few, and how many more."""
    more = f" and {len(names) - _SAID:,} more" if len(names) > _SAID else ""
    return ", ".join(name[:80] for name in names[:_SAID]) + more
