"""What a model expects next, from its scores.

V vocabulary
"""

import numpy as np

from engine import store


def likeliest(logits: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores (V,) -> the k likeliest tokens, the first one first, and their probabilities, (k,) each.

    Of equal ones the smaller id comes first.  The softmax is taken in 64 bits over all V.
    """
    p = store.softmax(logits.astype(np.float64))
    top = np.argsort(-p, kind="stable")[:k]
    return top, p[top]
