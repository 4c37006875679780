"""The engine: real forward passes of our models, and what is computed from them.

    model = engine.load("sprout")
    trace = engine.run(model, "Once upon a time")
    lens = engine.logit_lens(model, trace)

Importing this package imports neither torch nor any model; the names below do when first used.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "available": "engine.families",
    "load": "engine.families",
    "Model": "engine.families",
    "ReaderError": "engine.errors",
    "WeightsError": "engine.weights",
    "run": "engine.trace",
    "Trace": "engine.trace",
    "logit_lens": "engine.lens",
    "Lens": "engine.lens",
    "count_parameters": "engine.counting",
    "parts": "engine.source",
    "journey_of": "engine.journey",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'engine' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
