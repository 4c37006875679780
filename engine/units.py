"""The texts that drive each hidden unit most, measured beforehand and kept beside the weights.

L blocks · F feed-forward width · K texts kept for a unit
"""

from pathlib import Path

import numpy as np

from engine import gate, measures, weights
from engine.families import Model

FILE = "units.safetensors"
KEPT = 8  # texts kept for a unit
_NAMES = ("text", "token", "product")


def made_from(model: Model) -> dict[str, str]:
    """What a file of these figures belongs to: the checksums of the weights and of our texts."""
    return {"weights": model.checksum, "texts": weights.sha256(measures.own_file(model))}


def save(found: gate.Driving, model: Model, folder: str | Path = weights.FOLDER) -> None:
    """Write a gate.Driving beside the weights: products as float32, numbers as small as they fit."""
    from safetensors.numpy import save_file

    numbers = {name: getattr(found, name) for name in ("text", "token")}
    arrays = {name: array.astype(np.min_scalar_type(int(array.max()))) for name, array in numbers.items()}
    arrays["product"] = found.product.astype(np.float32)
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    path = Path(folder) / model.name / FILE
    save_file(arrays, path, made_from(model))
    path.chmod(0o644)  # for every reader, as the other files are


def load(model: Model, folder: str | Path = weights.FOLDER) -> gate.Driving | None:
    """The kept gate.Driving of a model, or None where there is none for these weights and these texts.

    Raises WeightsError when the file can't be read, or is not what was sealed.
    """
    path = weights.beside(model, FILE, folder)
    if path is None:
        return None
    from safetensors import SafetensorError, safe_open

    remedy = "Delete it, and the page measures when you look."
    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}) != made_from(model):
                return None
            found = gate.Driving(**{name: file.get_tensor(name) for name in _NAMES})
    except (SafetensorError, OSError) as error:
        raise weights.WeightsError(
            f"{weights.shown(path)} can't be read ({weights.reason(error)}). {remedy}"
        ) from error
    L, F = model.architecture.n_layer, model.architecture.d_ff
    if any(getattr(found, name).shape != (L, F, KEPT) for name in _NAMES):
        raise weights.WeightsError(f"{weights.shown(path)} does not fit {model.title}. {remedy}")
    return found
