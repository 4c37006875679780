"""The tuned lens: a learned affine map before each row is read (Belrose et al. 2023).

T tokens · d stream width · L blocks
"""

from pathlib import Path

import numpy as np

from engine import weights
from engine.families import Model

FILE = "tuned_lens.safetensors"


def load(model: Model, folder: str | Path = weights.FOLDER) -> dict[str, np.ndarray] | None:
    """The translators of a model, {"matrix": (L, d, d), "shift": (L, d)}, or None where there are none.

    Translators that were trained for other weights count as none.  Raises WeightsError when the
    file can't be read, or is not what was sealed.
    """
    path = weights.beside(model, FILE, folder)
    if path is None:
        return None
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            if (file.metadata() or {}).get("weights") != model.checksum:
                return None
            found = {name: file.get_tensor(name).astype(np.float32) for name in ("matrix", "shift")}
    except (SafetensorError, OSError) as error:
        why = weights.reason(error)
        message = f"{weights.shown(path)} can't be read ({why}). Delete it, and the lens works without it."
        raise weights.WeightsError(message) from error
    L, d = model.architecture.n_layer, model.architecture.d_model
    if found["matrix"].shape != (L, d, d) or found["shift"].shape != (L, d):
        raise weights.WeightsError(
            f"{weights.shown(path)} does not fit {model.title}. Delete it, and the lens works."
        )
    return found


def translate(translators: dict[str, np.ndarray], streams: np.ndarray) -> np.ndarray:
    """Streams (L+1, T, d) -> streams (L+1, T, d): row r plus its map of itself; the output stays as it is."""
    below = streams[:-1]
    moved = below + below @ translators["matrix"].mT + translators["shift"][:, None]
    return np.concatenate((moved, streams[-1:]))
