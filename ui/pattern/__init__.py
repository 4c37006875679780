"""Where a head looks: arcs over the words and a grid of all its weights, answered in the browser."""

import base64

import numpy as np

from ui import web
from views import marks

_component = web.component("pattern")


def show(pieces, weights, start, label, grid=True):
    """Draw one head's pattern.  weights (T, T): row t is what token t looks at; start: shown first.

    grid: whether the grid of all weights is drawn below the arcs.
    """
    _component(
        data={
            "pieces": list(pieces),
            "weights": packed(weights),
            "start": start,
            "ramp": marks.RAMP,
            "label": label,
            "grid": grid,
        },
        key="attention-pattern",
    )


def packed(weights):
    """Weights (T, T) -> the lower triangle in 16 bits a weight, row by row, as base64.

    Among several tokens a softmax gives none all or nothing, so none is packed as 0 or 1.
    """
    rows, columns = np.tril_indices(len(weights))
    lower = np.round(np.asarray(weights, dtype=float)[rows, columns] * 65535)
    return base64.b64encode(np.where(rows, lower.clip(1, 65534), lower).astype("<u2").tobytes()).decode()
