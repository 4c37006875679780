"""Reading a folder of weights/ whole, and refusing it when a file is not what was written."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from engine import presets
from engine.tokenizer import Tokenizer

FOLDER = Path(__file__).parent.parent / "weights"
CHECKED = ("model.safetensors", "config.json", "tokenizer.json")
_UNUSABLE = (ValueError, KeyError, TypeError, ArithmeticError, RuntimeError, OSError, SafetensorError)
_REMEDY = "Restore the folder with `git checkout -- weights/{name}`, or copy it again."


class WeightsError(ValueError):
    """A model that can't be loaded; the message names the file and says what to do."""


@dataclass(frozen=True, eq=False)
class Model:
    """A trained model, ready to run.

    network: an engine.model.Transformer, or for the store a dict of NumPy arrays by name.
    settings: for the Sprout family engine.model.Settings, for the store a dict of the same names.
    manifest: how it was made, what it scored, and the SHA-256 of its files.
    """

    name: str
    settings: Any
    tokenizer: Tokenizer
    network: Any
    manifest: dict

    @property
    def title(self):
        return presets.TITLES[self.name]

    @property
    def checksum(self):
        """The SHA-256 of the weights' file: what a cache of results is keyed by."""
        return self.manifest["files"]["model.safetensors"]

    def setting(self, name):
        """One setting by name, the same for both families."""
        return self.settings[name] if isinstance(self.settings, dict) else getattr(self.settings, name)

    def __repr__(self):
        return f"Model({self.name!r})"


def available(folder=FOLDER):
    """The names of the models whose weights are here, in the usual order."""
    return [n for n in presets.NAMES if (Path(folder) / n / "manifest.json").exists()]


def load(name, folder=FOLDER):
    """Load a model by name, every file checked.  Raises WeightsError."""
    if name not in presets.NAMES:
        known = ", ".join(presets.NAMES)
        raise WeightsError(f"There is no model named {str(name)[:40]!r}. The models are {known}.")
    home = Path(folder) / name
    manifest = read_manifest(home)
    for file in CHECKED:
        check(home, file, manifest)
    try:
        settings = json.loads((home / "config.json").read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(home / "tokenizer.json")
        network, settings = (_store if name == "store" else _sprout)(home, settings)
        vocabulary = network["embedding"].shape[0] if name == "store" else settings.vocab_size
        if len(tokenizer) != vocabulary:
            raise ValueError(f"tokenizer.json has {len(tokenizer)} pieces, the model {vocabulary}.")
    except _UNUSABLE as error:
        message = f"{shown(home)}: {', '.join(CHECKED)} can't be used together ({str(error)[:300]}). "
        raise WeightsError(message + _REMEDY.format(name=name)) from error
    return Model(name, settings, tokenizer, network, manifest)


def read_manifest(home):
    """The manifest of one folder of weights, without loading the model."""
    path = home / "manifest.json"
    if not home.exists():
        title = presets.TITLES.get(home.name, home.name)
        raise WeightsError(
            f"{shown(home)} is not there: no weights of {title} came with this copy. Choose another model, "
            "or train it (training/README.md)."
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        manifest["files"]["model.safetensors"]
    except FileNotFoundError:
        raise WeightsError(f"{shown(path)} is missing. " + _REMEDY.format(name=home.name)) from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        message = f"{shown(path)} can't be read ({reason(error)}). " + _REMEDY.format(name=home.name)
        raise WeightsError(message) from error
    return manifest


def reason(error):
    """Why a file can't be used, in few words, none of them a path of this machine."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"{type(error).__name__}: {str(error)[:200]}"


def shown(path):
    """A path as a message names it: from the project's folder on, where it lies in it."""
    return path.relative_to(FOLDER.parent) if path.is_relative_to(FOLDER.parent) else path


def sha256(path):
    """The checksum of a file, as hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checked(home, file, manifest):
    """The bytes of a file of a folder of weights, which are those that were sealed.  Raises WeightsError."""
    check(home, file, manifest)
    return (home / file).read_bytes()


def check(home, file, manifest):
    """Raise WeightsError when a file is not the one that was sealed, byte for byte."""
    path, remedy = home / file, _REMEDY.format(name=home.name)
    try:
        found = sha256(path)
    except FileNotFoundError:
        raise WeightsError(f"{shown(path)} is missing. {remedy}") from None
    except OSError as error:
        raise WeightsError(f"{shown(path)} can't be read ({reason(error)}). {remedy}") from error
    if found != manifest["files"].get(file):
        message = f"{shown(path)} is damaged or was changed: its checksum is not the one in manifest.json. "
        raise WeightsError(message + remedy)


def _sprout(home, settings):
    """The Sprout family: float16 on disk, float32 in use."""
    from safetensors.torch import load_file

    from engine.model import Settings, Transformer

    settings = {**settings}
    settings.pop("model_type", None)
    settings = Settings(**settings)
    network = Transformer(settings)
    tensors = {n: w.float() for n, w in load_file(home / "model.safetensors").items()}
    tensors["output.weight"] = tensors["embedding.weight"]  # tied: stored once
    network.load_state_dict(tensors)
    return network.eval().requires_grad_(False), settings


def _store(home, settings):
    from safetensors.numpy import load_file

    arrays = load_file(home / "model.safetensors")
    shapes = _store_shapes(settings)
    if set(arrays) != set(shapes):
        odd = min(set(arrays) ^ set(shapes))
        raise ValueError(f"the settings and model.safetensors disagree on {odd}.")
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} is {arrays[name].shape}, the settings say {shape}.")
    for array in arrays.values():
        array.flags.writeable = False
    return arrays, settings


def _store_shapes(settings):
    """The shape of every array of the store's model, by name."""
    V, d, F = settings["vocab_size"], settings["d_model"], settings["d_ff"]
    block = dict.fromkeys("qkvo", (d, d)) | {"gate": (d, F), "up": (d, F), "down": (F, d)}
    block |= {"attention_gain": (d,), "feed_forward_gain": (d,)}
    blocks = {f"blocks.{i}.{n}": shape for i in range(settings["n_layer"]) for n, shape in block.items()}
    return {"embedding": (V, d), "final_gain": (d,), **blocks}
