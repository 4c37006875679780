"""What a decoder-only transformer is made of, as far as its count depends on it.

V vocabulary · d stream width · L blocks · H query heads · K key/value heads · D head width
F feed-forward width · P learned positions
"""

from dataclasses import dataclass, fields, replace

from engine import presets

LIMITS = {  # the largest settings that are counted; far beyond any model there is
    "vocab_size": 10_000_000, "d_model": 200_000, "n_layer": 2_000, "n_head": 4_096, "n_kv_head": 4_096,
    "head_width": 100_000, "d_ff": 2_000_000, "context": 100_000_000,
}  # fmt: skip
LETTERS = {
    "vocab_size": "V", "d_model": "d", "n_layer": "L", "n_head": "H", "n_kv_head": "K", "head_width": "D",
    "d_ff": "F", "context": "P",
}  # fmt: skip
NORMS = {"rms": "RMSNorm", "layer": "LayerNorm"}
POSITIONS = {"rotary": "rotary (RoPE)", "learned": "learned"}


@dataclass(frozen=True)
class Architecture:
    """Everything a count depends on.  The defaults are Sprout's."""

    vocab_size: int = 8192
    d_model: int = 384
    n_layer: int = 8
    n_head: int = 6
    d_ff: int = 1024
    n_kv_head: int | None = None  # None: as many as query heads
    head_width: int | None = None  # None: d / H
    context: int = 512  # the longest text; learned positions are counted, rotary ones have no parameters
    positions: str = "rotary"  # a key of POSITIONS
    gated: bool = True  # three feed-forward matrices, not two
    norm: str = "rms"  # a key of NORMS
    norm_bias: bool = False
    qk_norm: bool = True  # one gain of a head's width for all queries of a block, one for its keys
    qkv_bias: bool = False
    projection_bias: bool = False  # of attention's output matrix
    feed_forward_bias: bool = False
    output_bias: bool = False
    tied: bool = True  # the output layer is the embedding

    @property
    def kv_heads(self):
        """K, resolved."""
        return self.n_head if self.n_kv_head is None else self.n_kv_head

    @property
    def width_of_head(self):
        """D, resolved; rounded down where d / H is not whole, which problems() reports."""
        return self.d_model // self.n_head if self.head_width is None else self.head_width


_OURS = {"sprout": {"qk_norm": True}, "store": {"qk_norm": False}}  # what a model_type of ours fixes


def to_architecture(settings):
    """Any of the ways to give settings -> Architecture.  See count_parameters."""
    if isinstance(settings, Architecture):
        return settings
    if isinstance(settings, str):
        return _named(settings)
    if not isinstance(settings, dict):  # engine.model.Settings
        settings = {"model_type": "sprout", **vars(settings)}
    names = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff", "context")
    try:
        fixed = _OURS[settings["model_type"]]
        return Architecture(**{name: settings[name] for name in names}, **fixed)
    except KeyError as missing:
        raise ValueError(f"The settings do not say {missing}.") from None


def _named(name):
    if name not in presets.NAMES:
        raise ValueError(f"There is no model named {name[:40]!r}. They are {', '.join(presets.NAMES)}.")
    if name in presets.FAMILY:
        return to_architecture({"model_type": "sprout", **presets.FAMILY[name]})
    return to_architecture({"model_type": "store", **presets.STORE})


def doubled(architecture):
    """The same model twice as wide: d, F and, where it is a setting of its own, D."""
    a = architecture
    width = None if a.head_width is None else 2 * a.head_width
    return replace(a, d_model=2 * a.d_model, d_ff=2 * a.d_ff, head_width=width)


def differences(a, b):
    """The settings in which two architectures differ: {name: (a's, b's)}."""
    pairs = {field.name: (getattr(a, field.name), getattr(b, field.name)) for field in fields(Architecture)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
