"""The checkpoints that a server offers, and those of them that are in memory, within a limit of bytes."""

import hashlib
import os
import re
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.counting import count_parameters
from engine.counting.architecture import Architecture
from engine.errors import ReaderError
from engine.families.checkpoints import convert, gguf_header
from engine.families.checkpoints.folder import Folder, look
from engine.families.checkpoints.loading import load
from engine.families.checkpoints.plain_files import showable, why

ROOT = Path(__file__).parents[3]
MOST = 200  # entries of a folder that are looked at
LONGEST_NAME = 40  # letters of a name in an address
Told = Callable[[str, float], None]


@dataclass(eq=False)
class Offer:
    """One entry: what it is called, and either its shape or why it can't be opened.

    name: in addresses; title: on pages; path: a folder, or a GGUF file.  It has what families' registry asks
    of a model that is not in memory.
    """

    name: str
    title: str
    path: Path
    shelf: "Shelf" = field(repr=False)
    architecture: Architecture | None = None
    obstacle: str | None = None
    pieces: str | None = None  # names its tokenizer, where that is known before it is opened

    activation: str | None = None
    rotated: int | None = None
    parallel: bool = False
    family: str = ""
    runs_in: str = "PyTorch"
    texts: str = "plain"
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def is_gguf(self) -> bool:
        """Whether it has to be converted first."""
        return self.path.suffix == ".gguf"

    @property
    def bytes(self) -> int:
        """What its weights take in memory here."""
        return self.shelf.bytes_of(self.architecture)

    def opened(self) -> Any:
        """The model, in memory.  Raises ReaderError."""
        return self.shelf.open(self).result()


class Opening:
    """One checkpoint on its way into memory, in a thread of its own: a reader who leaves stops nothing."""

    def __init__(self) -> None:
        self.stage, self.share = "waiting", 0.0  # "waiting", "converting", "loading"
        self.model: Any = None
        self.error: Exception | None = None
        self._done = threading.Event()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it is done, after so many seconds at most."""
        return self._done.wait(seconds)

    def result(self) -> Any:
        """The model, as soon as it is there.  Raises ReaderError, or what went wrong."""
        self.wait()
        if self.error is not None:
            raise self.error
        return self.model

    def tell(self, stage: str, share: float) -> None:
        """Say how far it is."""
        self.stage, self.share = stage, min(1.0, max(0.0, share))

    def run(self, work: Callable[["Opening"], Any]) -> None:
        """Do it, here and now."""
        try:
            self.model = work(self)
        except Exception as error:
            self.error = error
        finally:
            self._done.set()


class Shelf:
    """limit: bytes that opened checkpoints take together; dtype: "float32" or "bfloat16"; cache: a folder for
    what is made of GGUF files."""

    def __init__(self, limit: int, dtype: str, cache: Path) -> None:
        self.limit, self.dtype, self.cache = limit, dtype, cache
        self.offers: dict[str, Offer] = {}
        self._held: OrderedDict[str, Opening] = OrderedDict()  # least recently used first
        self._lock, self._one_at_a_time = threading.Lock(), threading.Lock()

    # what is offered

    def put(self, path: Path, taken: Collection[str], title: str | None = None) -> Offer:
        """Look at a folder or a GGUF file -> an offer, with its obstacle if it has one.

        taken: names that are in use already.
        """
        title = _title(title or (path.stem if path.suffix == ".gguf" else path.name))
        offer = Offer(_name(title, {*taken, *self.offers}), title, path, self)
        try:
            if offer.is_gguf:
                offer.architecture = gguf_header.architecture(header := gguf_header.read(path))
                offer.family = gguf_header.kind_of(header)
            if not offer.is_gguf or self.converted(path).exists():
                self._describe(offer, look(self.converted(path) if offer.is_gguf else path))
            self._check_room(offer)
        except ReaderError as error:
            offer.obstacle = showable(str(error))
        except OSError as error:
            offer.obstacle = f"It can't be read ({why(error)})."
        self.offers[offer.name] = offer
        return offer

    def _describe(self, offer: Offer, folder: Folder) -> None:
        offer.architecture, offer.pieces = folder.architecture, folder.pieces
        offer.family, offer.activation = folder.family, folder.activation
        offer.rotated, offer.parallel = folder.rotated, folder.parallel

    # memory

    def bytes_of(self, a: Architecture | None) -> int:
        """What the weights of an architecture take in memory here."""
        if a is None:
            return 0
        stored = count_parameters(a).total
        if self.dtype == "float32":
            return 4 * stored
        return 2 * stored + (4 if a.tied else 2) * a.vocab_size * a.d_model  # the output layer in float32

    def held(self) -> list[str]:
        """The names of those in memory, least recently used first."""
        with self._lock:
            return [name for name, one in self._held.items() if one.model is not None]

    def taken(self) -> int:
        """Bytes that the weights of those in memory take together."""
        return sum(self.offers[name].bytes for name in self.held())

    def _check_room(self, offer: Offer) -> None:
        """Raise ReaderError for one that would not fit even alone; a conversion always takes float32."""
        need = offer.bytes
        if offer.is_gguf and not self.converted(offer.path).exists() and offer.architecture is not None:
            need = max(need, 4 * count_parameters(offer.architecture).total)
        if need > self.limit:
            smaller = ", or SPROUT_DTYPE=bfloat16" if self.dtype == "float32" else ""
            raise ReaderError(
                f"It takes {size(need)} of memory, and opened models may take {size(self.limit)} together. "
                f"Whoever starts the server can raise that with SPROUT_MODELS_MB{smaller}."
            )

    def _make_room(self, offer: Offer) -> None:
        """Let go of what was used least recently until this one fits."""
        self._check_room(offer)
        with self._lock:
            others = [name for name, one in self._held.items() if one.model is not None]
            taken = sum(self.offers[name].bytes for name in others)
            for name in others:
                if taken + offer.bytes <= self.limit:
                    break
                taken -= self.offers[name].bytes
                del self._held[name]

    # opening

    def open(self, offer: Offer) -> Opening:
        """Begin to open one, or go on with what has begun; a model in memory is done at once."""
        with self._lock:
            if offer.name in self._held and self._held[offer.name].error is None:
                self._held.move_to_end(offer.name)
                return self._held[offer.name]
            opening = self._held[offer.name] = Opening()
        work = threading.Thread(target=opening.run, args=(lambda one: self._work(offer, one),), daemon=True)
        work.start()
        return opening

    def _work(self, offer: Offer, opening: Opening) -> Any:
        if offer.obstacle:
            raise ReaderError(f"{offer.title} can't be opened. {offer.obstacle}")
        with self._one_at_a_time:
            opening.tell("loading", 0.0)
            self._make_room(offer)
            path = self._folder(offer, opening)
            try:
                folder = look(path)  # once more: a file may have changed since
                self._describe(offer, folder)
                return load(folder, offer.name, offer.title, self.dtype, lambda s: opening.tell("loading", s))
            except ReaderError as error:
                raise ReaderError(showable(f"{offer.title} can't be opened. {error}")) from error

    def converted(self, path: Path) -> Path:
        """The folder that is made of a GGUF file: another file, or a changed one, has another."""
        state = path.stat()
        told = f"{path.resolve()} {state.st_size} {state.st_mtime_ns}"
        return self.cache / f"{_name(path.stem, ())}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"

    def _folder(self, offer: Offer, opening: Opening) -> Path:
        """Where its safetensors lie; of a GGUF file they are made when it is opened for the first time."""
        if not offer.is_gguf:
            return offer.path
        folder = self.converted(offer.path)
        if not folder.exists():
            opening.tell("converting", 0.0)
            self.cache.mkdir(parents=True, exist_ok=True)
            convert.remove_halves(folder)
            _convert(offer, folder, lambda share: opening.tell("converting", share))
        return folder


def _convert(offer: Offer, folder: Path, told: Callable[[float], None]) -> None:
    """Run convert.py and tell how far it is.  Raises ReaderError when it fails."""
    module, told_last = "engine.families.checkpoints.convert", ""
    command = [sys.executable, "-m", module, str(offer.path.resolve()), str(folder)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        try:
            for line in program.stdout or ():
                told_last = line.strip()
                if re.fullmatch(r"[01]\.\d+", told_last):
                    told(float(told_last))
        finally:
            program.kill()
    if not folder.exists():
        reason = told_last.removeprefix("error ") if told_last.startswith("error ") else "it ended early"
        raise ReaderError(f"{offer.title} could not be converted from GGUF ({reason}).")


def size(count: int) -> str:
    """Bytes as a page writes them: "70 kB", "538 MB", "1.4 GB"."""
    if count >= 999_500_000:
        return f"{count / 1e9:.1f} GB"
    return f"{round(count / 1e6)} MB" if count >= 999_500 else f"{max(1, round(count / 1e3))} kB"


def _title(name: str) -> str:
    """A file's name as a page can show it anywhere."""
    plain = re.sub(r"[^\w .()+/-]", "-", name)[:60].strip()
    return plain if re.search(r"\w", plain) else "checkpoint"


def _name(title: str, taken: Collection[str]) -> str:
    """A title as an address can hold it, and no name that is in use."""
    plain = re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-.")[:LONGEST_NAME] or "checkpoint"
    found, number = plain, 1
    while found in taken:
        number += 1
        found = f"{plain}-{number}"
    return found


def entries(root: Path) -> list[Path]:
    """What may be a checkpoint in a folder: itself, its sub-folders, and the GGUF files in all of these."""
    try:
        folders = [root, *sorted(path for path in root.iterdir() if path.is_dir())]
    except OSError:
        return [root]  # which is then told as its obstacle
    found: list[Path] = []
    for folder in folders[: MOST + 1]:
        try:
            names = {path.name for path in folder.iterdir()}
        except OSError:
            found.append(folder)
            continue
        whole = "config.json" in names or any(name.endswith(".safetensors") for name in names)
        found += [folder] if whole else []
        found += [folder / name for name in sorted(names) if name.endswith(".gguf")]
    return found[:MOST]


def of_the_hub(cache: Path) -> list[tuple[Path, str]]:
    """Hugging Face's own cache: the newest snapshot of each model in it -> [(its folder, its title)]."""
    found = []
    for folder in sorted(cache.glob("models--*")):
        snapshots = [path for path in (folder / "snapshots").glob("*") if (path / "config.json").exists()]
        if snapshots:
            newest = max(snapshots, key=lambda path: path.stat().st_mtime)
            found.append((newest, folder.name.removeprefix("models--").replace("--", "/")))
    return found[:MOST]
