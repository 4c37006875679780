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


def to_architecture(settings):
    """Any of the ways to give settings -> Architecture.  See count_parameters."""
    if isinstance(settings, Architecture):
        return settings
    if isinstance(settings, str):
        if settings not in presets.NAMES:
            raise ValueError(
                f"There is no model named {settings[:40]!r}. They are {', '.join(presets.NAMES)}."
            )
        settings = presets.FAMILY.get(settings, presets.STORE)
    given = settings if isinstance(settings, dict) else vars(settings)
    names = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff", "context")
    # A dict is the store's model, which has no QK-norm, unless it is one of the Sprout family's.
    qk_norm = not isinstance(settings, dict) or settings in presets.FAMILY.values()
    try:
        return Architecture(**{name: given[name] for name in names}, qk_norm=qk_norm)
    except KeyError as missing:
        raise ValueError(f"The settings do not say {missing}.") from None


def doubled(architecture):
    """The same model twice as wide: d, F and, where it is a setting of its own, D."""
    a = architecture
    width = None if a.head_width is None else 2 * a.head_width
    return replace(a, d_model=2 * a.d_model, d_ff=2 * a.d_ff, head_width=width)


def differences(a, b):
    """The settings in which two architectures differ: {name: (a's, b's)}."""
    pairs = {field.name: (getattr(a, field.name), getattr(b, field.name)) for field in fields(Architecture)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
