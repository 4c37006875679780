"""Reading a folder of weights/ whole, and refusing it when a file is not what was written."""

import hashlib
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from engine import families, presets, sound
from engine.errors import ReaderError
from engine.families import Model
from engine.tokenizer import Tokenizer

FOLDER = Path(__file__).parent.parent / "weights"
CHECKED = ("model.safetensors", "config.json", "tokenizer.json")
_UNUSABLE = (
    ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RuntimeError, MemoryError, OSError,
    SafetensorError, ReaderError,
)  # fmt: skip
_REMEDY = "Restore the folder with `git checkout -- weights/{name}`, or copy it again."
_PERMIT = "Whoever runs the app has to be allowed to read it: `chmod -R a+rX weights/{name}`."
_PATH = re.compile(r"(?:/[^/\s'\"]+)+/([^/\s'\"]+)")


class WeightsError(ReaderError):
    """A model that can't be loaded; the message names the file and says what to do."""


def shipped(folder: str | Path = FOLDER) -> list[str]:
    """The names of our models whose weights are here, in the usual order."""
    return [n for n in presets.NAMES if there(Path(folder) / n / "manifest.json")]


def there(path: Path) -> bool:
    """Whether something lies at a path.  What may not be looked at does: it is named when it is read."""
    try:
        return path.exists()
    except OSError:
        return True


def available(folder: str | Path = FOLDER) -> list[str]:
    """The names of all models: families.available(); in another folder, those that lie there."""
    return families.available() if folder == FOLDER else shipped(folder)


def load(name: str, folder: str | Path = FOLDER) -> Model:
    """A model by name: families.load(); from another folder, as it lies there.  Raises WeightsError."""
    return families.load(name) if folder == FOLDER else read(name, folder)


def read(name: str, folder: str | Path = FOLDER) -> Model:
    """One of our models from its folder, every file checked.  Raises WeightsError."""
    if name not in presets.NAMES:
        known = ", ".join(presets.NAMES)
        raise WeightsError(f"There is no model named {str(name)[:40]!r}. The models are {known}.")
    home = Path(folder) / name
    manifest = read_manifest(home)
    for file in CHECKED:
        check(home, file, manifest)
    try:
        settings = json.loads((home / "config.json").read_text(encoding="utf-8"))
        sound.settings(settings, sound.header(home / "model.safetensors"))
        tokenizer = Tokenizer.from_file(home / "tokenizer.json")
        model = _family(name).read(home, name, settings, tokenizer, manifest)
        if len(tokenizer) != model.architecture.vocab_size:
            vocabulary = model.architecture.vocab_size
            raise ValueError(f"tokenizer.json has {len(tokenizer)} pieces, the model {vocabulary}.")
    except _UNUSABLE as error:
        why = _PATH.sub(r"\1", str(error))[:300] if not isinstance(error, OSError) else reason(error)
        message = f"{shown(home)}: {', '.join(CHECKED)} can't be used together ({why}). "
        raise WeightsError(message + remedy(name, error)) from error
    return model


def _family(name: str) -> Any:
    """The family's file, imported when its first model is read."""
    return import_module(f"engine.families.{presets.family_of(name)}")


def read_manifest(home: Path) -> dict[str, Any]:
    """The manifest of one folder of weights, without loading the model."""
    path = home / "manifest.json"
    if not there(home):
        title = presets.TITLES.get(home.name, home.name)
        raise WeightsError(
            f"{shown(home)} is not there: no weights of {title} came with this copy. Choose another model, "
            "or train it (training/README.md)."
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        sound.manifest(manifest)
    except FileNotFoundError:
        raise WeightsError(f"{shown(path)} is missing. " + _REMEDY.format(name=home.name)) from None
    except (ValueError, TypeError, RecursionError, OSError) as error:
        raise WeightsError(unreadable(path, error)) from error
    return manifest


def unreadable(path: Path, error: Exception) -> str:
    """The sentences for a file of a folder of weights that can't be read."""
    return f"{shown(path)} can't be read ({reason(error)}). {remedy(path.parent.name, error)}"


def remedy(name: str, error: Exception) -> str:
    """What to do when a folder of weights can't be used because of an error."""
    return (_PERMIT if isinstance(error, PermissionError) else _REMEDY).format(name=name)


def reason(error: Exception) -> str:
    """Why a file can't be used, in few words, none of them a path of this machine."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"{type(error).__name__}: " + _PATH.sub(r"\1", str(error))[:200]


def shown(path: Path) -> Path:
    """A path as a message names it, without the folders of this machine: weights/name/file."""
    parts = path.parts
    places = [place for place, part in enumerate(parts) if part == FOLDER.name]
    return Path(*parts[places[-1] :]) if places else Path(path.name)


def sha256(path: str | Path) -> str:
    """The checksum of a file, as hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checked(home: Path, file: str, manifest: dict[str, Any]) -> bytes:
    """The bytes of a file of a folder of weights, which are those that were sealed.  Raises WeightsError."""
    check(home, file, manifest)
    try:
        return (home / file).read_bytes()
    except OSError as error:
        raise WeightsError(unreadable(home / file, error)) from error


def beside(model: Model, file: str, folder: str | Path = FOLDER) -> Path | None:
    """A file that was made for a model beside its weights, as it was sealed; None where there is none.

    The manifest is read again where the model's own doesn't name it: it may have been made since.  Raises
    WeightsError, for a file that no manifest names too.
    """
    home, manifest = Path(folder) / model.name, model.manifest
    if file not in manifest["files"]:
        if not there(home / file):
            return None
        manifest = read_manifest(home)
    check(home, file, manifest)
    return home / file


def check(home: Path, file: str, manifest: dict[str, Any]) -> None:
    """Raise WeightsError when a file is not the one that was sealed, byte for byte."""
    path, restore = home / file, _REMEDY.format(name=home.name)
    try:
        found = sha256(path)
    except FileNotFoundError:
        raise WeightsError(f"{shown(path)} is missing. {restore}") from None
    except OSError as error:
        raise WeightsError(unreadable(path, error)) from error
    if file not in manifest["files"]:
        message = f"{shown(path)} is not named in manifest.json, so nothing tells whether it is whole. "
        raise WeightsError(message + "Delete it, or make it again with the command that seals it.")
    if found != manifest["files"].get(file):
        message = f"{shown(path)} is damaged or was changed: its checksum is not the one in manifest.json. "
        raise WeightsError(message + restore)
