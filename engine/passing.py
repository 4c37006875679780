"""How many bytes a pass takes for a moment, reckoned from the model's shape before it begins.

T tokens · d stream width · H query heads · D head width · F feed-forward width · V vocabulary · L blocks
Numbers are counted as float32; what is collected from every block is made there, and then stacked.
"""

from collections.abc import Collection

from engine.families import Model
from engine.lens import SLICE, TILE

NUMBER = 4  # bytes


def run(model: Model, T: int, keep: Collection[str] = ()) -> int:
    """Bytes of engine.run on T tokens."""
    a = model.architecture
    L, d, H = a.n_layer, a.d_model, a.n_head
    widths = dict.fromkeys(("norm1", "norm2"), d) | dict.fromkeys(("gate", "value", "units"), a.d_ff)
    width = sum(widths.get(name, H * a.width_of_head) for name in keep if name != "attention")
    all_blocks = L * T * (3 * d + width) + ("attention" in keep) * L * H * T * T
    if model.runs_in == "NumPy":  # its pass hands back all that passed
        all_blocks += L * T * (2 * d + 2 * a.d_ff + 3 * d) + L * H * T * T
    return round(NUMBER * (T * a.vocab_size + 1.5 * all_blocks + 2 * T * a.d_ff + 2 * H * T * T))


def lens(model: Model, T: int) -> int:
    """Bytes of engine.logit_lens on T tokens: the pass, and the scores that are looked through at a time."""
    a = model.architecture
    width = min(T, TILE)
    at_once = min(a.n_layer, max(1, TILE // T)) * width + 2 * width + 2 * SLICE
    return run(model, T) + NUMBER * at_once * a.vocab_size


def reading(model: Model, T: int) -> int:
    """Bytes of a plain pass over T tokens and of what engine.experiments.measure makes of its scores."""
    a = model.architecture
    return NUMBER * (3 * T * a.vocab_size + 4 * T * a.d_model + 2 * T * a.d_ff + 2 * a.n_head * T * T)
