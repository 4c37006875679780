"""How many bytes a pass takes for a moment, reckoned from the model's shape before it begins.

T tokens · d stream width · H query heads · D head width · F feed-forward width · V vocabulary · L blocks
Numbers are counted as float32.  A pass in PyTorch puts what every block made into arrays of all blocks when
the block ends; one in NumPy hands all of it back, and what is kept of it is stacked then.
"""

from collections.abc import Collection

from engine.families import Model
from engine.lens import SLICE, TILE
from engine.patching import AT_ONCE, READ_OUT

NUMBER = 4  # bytes


def run(model: Model, T: int, keep: Collection[str] = ()) -> int:
    """Bytes of engine.run on T tokens."""
    a = model.architecture
    L, d, H = a.n_layer, a.d_model, a.n_head
    widths = dict.fromkeys(("norm1", "norm2"), d) | dict.fromkeys(("gate", "value", "units"), a.d_ff)
    width = sum(widths.get(name, H * a.width_of_head) for name in keep if name != "attention")
    kept = L * T * (3 * d + width) + ("attention" in keep) * L * H * T * T
    made = kept / L
    if model.runs_in == "NumPy":
        made = 1.5 * L * (T * (5 * d + 2 * a.d_ff) + H * T * T) + kept / 2
    return round(NUMBER * (T * a.vocab_size + kept + made + 2 * T * a.d_ff + 2 * H * T * T))


def journey(model: Model, T: int) -> int:
    """Bytes of engine.journey_of at the last of T tokens, which keeps that token's row alone."""
    a = model.architecture
    in_a_block = T * (12 * a.d_model + 5 * a.d_ff) + 3 * a.n_head * T * T
    return run(model, T) if model.runs_in == "NumPy" else NUMBER * (T * a.vocab_size + in_a_block)


def lens(model: Model, T: int) -> int:
    """Bytes of engine.logit_lens on T tokens: the pass, and the scores that are looked through at a time."""
    a = model.architecture
    width = min(T, TILE)
    at_once = min(a.n_layer, max(1, TILE // T)) * width + 2 * width + 2 * SLICE
    return run(model, T) + NUMBER * at_once * a.vocab_size


def reading(model: Model, T: int) -> int:
    """Bytes of a plain pass over T tokens and of what engine.experiments.measure makes of its scores."""
    a = model.architecture
    if model.runs_in == "NumPy":
        return run(model, T) + 3 * NUMBER * T * a.vocab_size
    return NUMBER * (3 * T * a.vocab_size + 4 * T * a.d_model + 2 * T * a.d_ff + 2 * a.n_head * T * T)


def shares(model: Model, T: int) -> int:
    """Bytes of engine.heads.added on T tokens: a pass, and a part of one block's addition for each head."""
    a = model.architecture
    return run(model, T, ("gathered",)) + 2 * NUMBER * a.n_head * T * a.d_model


def without_heads(model: Model, T: int) -> int:
    """Bytes of engine.patching.without_heads on the first T tokens: streams side by side, and few scores."""
    a, together = model.architecture, max(T, AT_ONCE)
    each = 6 * a.d_model + 3 * a.d_ff + 2 * a.n_head * T
    return NUMBER * (together * each + 2 * a.n_head * T * a.d_model + 6 * READ_OUT * a.vocab_size)
