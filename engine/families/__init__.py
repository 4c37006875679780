"""Every model behind one interface, whatever it is made of: see interface.py.

A family is a file here: sprout.py runs engine/model.py, store.py runs engine/store.py.  A model that is
in no folder of weights, such as an opened checkpoint, is added() and then found like the others.
Importing this package imports neither torch nor any model.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from engine import presets
from engine.counting.architecture import Architecture, to_architecture
from engine.families.changes import DETAILS, PARTS, Change
from engine.families.interface import EXTRAS, Model

__all__ = [
    "DETAILS", "EXTRAS", "PARTS", "Change", "Model", "add", "added", "architecture_of", "available", "beside",
    "facts_of", "family_of", "is_added", "known", "load", "manifest_of", "offered", "pieces_of", "remove",
    "runs_in", "texts_of", "title",
]  # fmt: skip


class Offered(Protocol):
    """A model that is known by name and not in memory, such as a checkpoint that a server offers."""

    name: str
    title: str
    family: str
    runs_in: str
    texts: str
    manifest: dict[str, Any]

    @property
    def architecture(self) -> Any:
        """Its shape."""

    @property
    def pieces(self) -> Any:
        """Names its tokenizer, or None where that is not known yet."""

    def opened(self) -> Model:
        """The model itself, in memory.  Raises ReaderError."""


_added: dict[str, Model | Offered] = {}


def available() -> list[str]:
    """The names of all models that can be loaded: ours, in the usual order, then those that were added."""
    from engine import weights

    return [*weights.shipped(), *_added]


def known() -> list[str]:
    """The names of all models whose shape is known: ours, with weights here or without, then the added."""
    return [*presets.NAMES, *_added]


def load(name: str) -> Model:
    """A model by name.  Raises WeightsError for one that is not there or is damaged."""
    from engine import weights

    return _added[name].opened() if isinstance(name, str) and name in _added else weights.read(name)


def title(name: str) -> str:
    """What a model is called on a page; nothing is loaded for it."""
    return _added[name].title if name in _added else presets.TITLES.get(name, name)


def family_of(name: str) -> str | None:
    """The family of a model that is known by name, loaded or not; None for no model."""
    return _added[name].family if name in _added else presets.family_of(name)


def runs_in(name: str) -> str:
    """Whether a model runs in "PyTorch" or in "NumPy"; nothing is loaded for it."""
    return _added[name].runs_in if name in _added else presets.RUNS_IN[presets.family_of(name) or name]


def texts_of(name: str) -> str:
    """Which texts it is asked with: "stories", "products", "repeats" or "plain"; nothing is loaded for it."""
    return _added[name].texts if name in _added else presets.TEXTS[presets.family_of(name) or name]


def architecture_of(name: str) -> Architecture:
    """A model's shape; nothing is loaded for it."""
    return _added[name].architecture if name in _added else to_architecture(name)


def facts_of(name: str) -> dict[str, Any]:
    """What an architecture leaves open of a model; nothing is loaded for it.

    activation, parallel: as Model has them; rotated: how many numbers of a head RoPE turns, or None: all.
    """
    if name in _added:
        usual = {"activation": None, "parallel": False, "rotated": None}
        return {fact: getattr(_added[name], fact, value) for fact, value in usual.items()}
    return {"activation": "silu", "parallel": False, "rotated": None}


def pieces_of(name: str) -> str | None:
    """What names a model's tokenizer, or None where that is not known; nothing is loaded for it."""
    from engine import weights

    if name in _added:
        return _added[name].pieces
    try:
        return weights.read_manifest(weights.FOLDER / name)["files"].get("tokenizer.json")
    except (weights.WeightsError, AttributeError):
        return None


def manifest_of(name: str) -> dict[str, Any]:
    """What an added model's files say of themselves; nothing is loaded for it."""
    return _added[name].manifest


def offered(name: str) -> Any:
    """The offer of this name, or None for a model that is in memory or on disk as ours are."""
    one = _added.get(name)
    return None if one is None or isinstance(one, Model) else one


def beside(name: str) -> list[str]:
    """The models that may be loaded to stand beside one: all but the offered ones, and this one itself."""
    return [one for one in available() if one == name or offered(one) is None]


def add(model: Model | Offered) -> None:
    """Let this model be found by its name from now on, after ours.  Raises ValueError for a name of ours."""
    if model.name in presets.NAMES:
        raise ValueError(f"{model.name} is the name of a model that ships here.")
    _added[model.name] = model


def is_added(name: str) -> bool:
    """Whether a model of this name was added."""
    return name in _added


def remove(name: str) -> None:
    """Forget a model that was added."""
    _added.pop(name, None)


@contextmanager
def added(model: Model) -> Iterator[Model]:
    """Add a model for as long as this lasts."""
    add(model)
    try:
        yield model
    finally:
        remove(model.name)
