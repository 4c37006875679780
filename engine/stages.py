"""How a model learned: what was measured at chosen moments of its training, kept in one small file.

`python -m training train … --watch` measures and writes it (training/watch.py); here it is read and checked.

S stages · L blocks · H heads · R rows of the stream, L + 1 · P places · N texts · T tokens of a text
k candidates · W tokens written
"""

import json
import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from engine import weights
from engine.lens import Lens
from engine.one_at_a_time import PARSING

FILE = "stages.npz"  # the training that made the weights; others are stages-<what>.npz
CURVES = ("held_out", "own", "first", "second", "unigram", "bigram")
READ = ("ids", "probabilities", "next_probability", "next_rank", "entropy", "divergence")
THEN = ", then "  # between the commands of a training that was taken up again
TOLD = ("name", "command", "seed", "held_out_documents", "measuring_seconds")  # what a page says of it
SHARES = ("first", "second", "previous", "induction", "shut")
_UNREADABLE = (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile, zlib.error)


@dataclass(frozen=True, eq=False)
class Stages:
    """One training's stages, in order; a read-only array for each thing measured."""

    about: dict  # name, command, seed, texts (id, title, ids), positions (the first place of each bin) …
    tokens: np.ndarray  # (S,) int64: how many tokens the model had read
    held_out: np.ndarray  # (S,) nats a token on held-out stories of the corpus
    own: np.ndarray  # (S,) nats a token on our own texts
    first: np.ndarray  # (S,) mean probability of a made-up name's later pieces at its first mention
    second: np.ndarray  # (S,) the same at its second mention
    unigram: np.ndarray  # (S,) nats: KL(how often each token comes in the corpus || output)
    bigram: np.ndarray  # (S,) nats: KL(what follows the last token in the corpus || output)
    previous: np.ndarray  # (S, L, H) every head's previous-token score, from 0 to 1
    induction: np.ndarray  # (S, L, H) every head's induction score
    by_position: np.ndarray  # (S, P) nats a token on the held-out stories, by the token's place
    stream: np.ndarray  # (S, R) mean root mean square of the stream's vectors on our own texts
    shut: np.ndarray  # (S, L) share of gates nearly shut on our own texts
    written: np.ndarray  # (S, N, 2, W) int64: what follows each text, greedily and drawn; -1 after the end
    read: tuple  # N dicts of the lens's arrays by READ's names, each with S in front

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def vocabulary(self) -> int:
        """How many pieces its tokenizer has at least, by the ids that it read, expected and wrote."""
        read = (i for text in self.about["texts"] for i in text["ids"])
        return 1 + max(*read, int(self.written.max()), *(int(one["ids"].max()) for one in self.read))

    @property
    def commands(self) -> list[str]:
        """What trained it: one command, or several where it was taken up again under another."""
        return str(self.about["command"]).split(THEN)

    @property
    def taken_up(self) -> set[int]:
        """The stages after which it went on under another command, where the one before tells its end."""
        ends = [_end(command) for command in self.commands[:-1]]
        return {s for s, n in enumerate(self.tokens.tolist()) for end in ends if end <= n < 1.002 * end}

    def lens(self, stage: int, text: int) -> Lens:
        """The lens of one text at one stage -> engine.lens.Lens (log_total was not kept: NaN)."""
        kept = {name: self.read[text][name][stage] for name in READ}
        ids = np.array(self.about["texts"][text]["ids"])
        for name in ("ids", "next_rank"):
            kept[name] = kept[name].astype(np.int64)
        for name in ("probabilities", "next_probability", "entropy", "divergence"):
            kept[name] = kept[name].astype(np.float32)
        unknown = np.full(kept["entropy"].shape, np.nan, np.float32)
        return Lens(next_ids=np.append(ids[1:], -1), log_total=unknown, **kept)

    def continuation(self, stage: int, text: int, drawn: bool) -> list[int]:
        """The ids that the model wrote after a text at a stage: greedily, or drawn."""
        ids = self.written[stage, text, int(drawn)]
        return [int(i) for i in ids[ids >= 0]]

    def strongest(self, kind: str, stage: int = -1) -> tuple[int, ...]:
        """(block, head), both from 0, of the highest score of "previous" or "induction" at a stage."""
        scores = getattr(self, kind)[stage]
        return tuple(int(i) for i in np.unravel_index(scores.argmax(), scores.shape))


def shared(one: Stages, other: Stages) -> int:
    """How many stages two trainings share from the first on: one may be the other's beginning."""
    pairs = zip(_marks(one), _marks(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _marks(stages: Stages) -> list[tuple[float, ...]]:
    """What tells every stage from one of another training."""
    figures = (getattr(stages, name).tolist() for name in ("tokens", *CURVES))
    return list(zip(*figures, strict=True))


def _end(command: str) -> float:
    """After how many tokens a command ends, infinity where it does not say."""
    told = re.findall(r"--(?:until|tokens) (\d+)", command)
    return min(map(int, told), default=math.inf)


def together(about: dict[str, Any], measured: Sequence[dict[str, Any]]) -> Stages:
    """What was measured at each stage, a dict of arrays by Stages' names -> Stages.  At least one."""
    names = [name for name in Stages.__annotations__ if name not in ("about", "read")]
    stacked = {name: _still(np.stack([one[name] for one in measured])) for name in names}
    read = tuple(
        {name: _still(np.stack([one["read"][text][name] for one in measured])) for name in READ}
        for text in range(len(about["texts"]))
    )
    return Stages(about=about, read=read, **stacked)


def apart(stages: Stages) -> list[dict[str, Any]]:
    """The other way: Stages -> a dict for each stage, in order."""
    names = [name for name in Stages.__annotations__ if name not in ("about", "read")]
    return [
        {name: getattr(stages, name)[s] for name in names}
        | {"read": [{name: kept[name][s] for name in READ} for kept in stages.read]}
        for s in range(len(stages))
    ]


def save(stages: Stages, path: str | Path) -> None:
    """Write the file, whole or not at all: plain arrays in an npz, `about` as JSON in one of them."""
    path = Path(path)
    arrays = {n: getattr(stages, n) for n in Stages.__annotations__ if n not in ("about", "read")}
    for text, kept in enumerate(stages.read):
        arrays |= {f"{text}.{name}": array for name, array in kept.items()}
    arrays["about"] = np.frombuffer(json.dumps(stages.about).encode(), np.uint8)
    new = path.with_suffix(".new")
    with open(new, "wb") as file:
        np.savez_compressed(file, **arrays)
    new.chmod(0o644)
    new.replace(path)


def read(path: str | Path) -> Stages:
    """Stages from a file.  Raises WeightsError when it can't be read or its arrays don't fit together."""
    try:
        with PARSING, open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return _fitted(arrays)
    except _UNREADABLE as error:
        message = f"{weights.shown(Path(path))} can't be read ({weights.reason(error)}). "
        raise weights.WeightsError(message + "Restore it, or delete it: the models work without.") from error


def kept(name: str, folder: str | Path = weights.FOLDER) -> dict[str, str]:
    """The trainings of a model whose stages are kept, {file's name: checksum}, the weights' own first.

    Only files that the manifest names count.
    """
    home = Path(folder) / name
    if not weights.there(home / "manifest.json"):
        return {}
    named = weights.read_manifest(home)["files"]
    found = [n for n in named if n.startswith("stages") and n.endswith(".npz") and weights.there(home / n)]
    return {n: named[n] for n in sorted(found, key=lambda n: (n != FILE, n))}


def load(name: str, file: str = FILE, folder: str | Path = weights.FOLDER) -> Stages:
    """The stages of one training of a model, its file checked against the manifest.  Raises WeightsError."""
    home = Path(folder) / name
    manifest = weights.read_manifest(home)
    path, expected = home / file, manifest["files"].get(file)
    if expected is None or not weights.there(path):
        raise weights.WeightsError(f"{weights.shown(path)} is missing: no stages of {name} were kept there.")
    weights.check(home, file, manifest)
    return read(path)


def _fitted(arrays: dict[str, np.ndarray]) -> Stages:
    about = json.loads(arrays.pop("about").tobytes())
    S, L, H = arrays["previous"].shape
    R, N, P = L + 1, len(about["texts"]), len(about["positions"])
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys((*CURVES, "tokens"), (S,))
    shapes |= {"previous": (S, L, H), "induction": (S, L, H), "by_position": (S, P), "stream": (S, R)}
    shapes |= {"shut": (S, L), "written": (S, N, 2, arrays["written"].shape[-1])}
    for text, told in enumerate(about["texts"]):
        T = len(told["ids"])
        shapes |= {f"{text}.{name}": (S, R, T) for name in READ}
        shapes |= {f"{text}.{name}": (S, R, T, about["k"]) for name in ("ids", "probabilities")}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].shape}, not {shape}")
    if not S or arrays["tokens"][0] < 0 or (np.diff(arrays["tokens"]) <= 0).any():
        raise ValueError("the stages are not in order")
    _sound(about, arrays)
    read = tuple({name: _still(arrays.pop(f"{text}.{name}")) for name in READ} for text in range(N))
    return Stages(about=about, read=read, **{n: _still(arrays[n]) for n in shapes if "." not in n})


def _sound(about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Raises ValueError where a figure is none, and KeyError where `about` lacks what is told of it."""
    for name in TOLD:
        about[name]
    for name in (*CURVES, *SHARES, "stream"):
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} is no number at some stage")
    for name in SHARES:
        if arrays[name].min() < -1e-4 or arrays[name].max() > 1 + 1e-4:
            raise ValueError(f"{name} is no share at some stage")


def _still(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
