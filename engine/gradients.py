"""Gradient lengths of untrained stacks, measured beforehand by `python -m training.gradients`."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).with_suffix(".json")
DEPTHS = (2, 4, 8, 16, 32)
KINDS = ("ours", "no_addition", "post_norm")
# ours: engine/model.py's.  plain: every matrix normal with deviation 1/sqrt(its inputs), at any depth.
STARTS = ("plain", "ours")
SETUP = {"d_model": 64, "n_head": 4, "d_ff": 176, "vocab_size": 256, "context": 32, "batch": 4, "seeds": 21}


def read() -> dict[str, Any]:
    """The kept results: {"depths", "setup", "lengths": {start: {kind: [a list over seeds, by depth]}}}."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def quartiles(seeds: Sequence[float] | np.ndarray) -> np.ndarray:
    """What a quarter, half and three quarters of the starts stay below: lengths (seeds,) -> (3,)."""
    return np.quantile(seeds, (0.25, 0.5, 0.75))
