"""Where a head looks: arcs over the words and a grid of all its weights, answered in the browser."""

import base64

import numpy as np

from ui import web
from views import marks

_component = web.component("pattern")


def show(pieces, weights, start, label):
    """Draw one head's pattern.  weights (T, T): row t is what token t looks at; start: shown first."""
    T = len(pieces)
    lower = np.round(np.asarray(weights)[np.tril_indices(T)] * 65535).astype("<u2")
    _component(
        data={
            "pieces": list(pieces), "weights": base64.b64encode(lower.tobytes()).decode(), "start": start,
            "ramp": marks.RAMP, "label": label,
        },
        key="attention-pattern",
    )  # fmt: skip
