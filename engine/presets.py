"""The settings of our models as plain numbers; needs neither torch nor the weights."""

NAMES = ("gpt-1", "gpt-4", "sprout", "store")
TITLES = {"gpt-1": "gpt-1", "gpt-4": "gpt-4", "sprout": "Sprout", "store": "The store's model"}

_SHARED = {"vocab_size": 8192, "context": 512, "rope_base": 10_000.0}
FAMILY = {
    "gpt-1": {"n_layer": 1, "n_head": 4, "d_model": 128, "d_ff": 512, **_SHARED},
    "gpt-4": {"n_layer": 4, "n_head": 6, "d_model": 192, "d_ff": 512, **_SHARED},
    "sprout": {"n_layer": 8, "n_head": 6, "d_model": 384, "d_ff": 1024, **_SHARED},
}
STORE = {
    "n_layer": 4, "n_head": 4, "d_model": 128, "d_ff": 352,
    "vocab_size": 4142, "context": 160, "rope_base": 10_000.0,
}  # fmt: skip


TEXTS = {"sprout": "stories", "store": "products"}  # what our models of a family were trained on
RUNS_IN = {"sprout": "PyTorch", "store": "NumPy"}
_FAMILY_OF = {**dict.fromkeys(FAMILY, "sprout"), "store": "store"}


def family_of(name: str) -> str | None:
    """Which file runs one of our models, "sprout" or "store"; None for another name."""
    return _FAMILY_OF.get(name)
