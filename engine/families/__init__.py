"""Every model behind one interface, whatever it is made of: see interface.py.

A family is a file here: sprout.py runs engine/model.py, store.py runs engine/store.py.  A model that is
in no folder of weights, such as an opened checkpoint, is added() and then found like the others.
Importing this package imports neither torch nor any model.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from engine import presets
from engine.counting.architecture import Architecture, to_architecture
from engine.families.changes import DETAILS, PARTS, Change
from engine.families.interface import EXTRAS, Model

__all__ = [
    "DETAILS", "EXTRAS", "PARTS", "Change", "Model", "add", "added", "architecture_of", "available",
    "family_of", "is_added", "known", "load", "remove", "runs_in", "texts_of", "title",
]  # fmt: skip

_added: dict[str, Model] = {}


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

    return _added[name] if isinstance(name, str) and name in _added else weights.read(name)


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


def add(model: Model) -> None:
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
