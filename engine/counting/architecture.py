"""What a decoder-only transformer is made of, as far as its count depends on it.

V vocabulary · d stream width · L blocks · H query heads · K key/value heads · D head width
F feed-forward width · P learned positions · Y labels of a classifier
E experts · A experts that a token passes · M width of an expert · S experts that every token passes
L₀ blocks without experts · Lₑ blocks with them
Q, C widths that queries, and keys with values, are squeezed to · R rotated and N unrotated numbers of a head
U width of a value
"""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from engine import presets
from engine.errors import ReaderError

LIMITS = {  # the largest settings that are counted; far beyond any model there is
    "vocab_size": 10_000_000, "d_model": 200_000, "n_layer": 2_000, "n_head": 4_096, "n_kv_head": 4_096,
    "head_width": 100_000, "d_ff": 2_000_000, "context": 100_000_000, "n_expert": 4_096, "n_active": 4_096,
    "expert_width": 2_000_000, "n_shared": 4_096, "n_dense": 2_000, "query_rank": 100_000,
    "latent": 100_000, "rope_width": 100_000, "value_width": 100_000, "window": 100_000_000,
    "n_full": 2_000, "spare_positions": 1_000, "n_label": 10_000_000,
}  # fmt: skip
LETTERS = {
    "vocab_size": "V", "d_model": "d", "n_layer": "L", "n_head": "H", "n_kv_head": "K", "head_width": "D",
    "d_ff": "F", "context": "P", "n_expert": "E", "n_active": "A", "expert_width": "M", "n_shared": "S",
    "n_dense": "L₀", "query_rank": "Q", "latent": "C", "rope_width": "R", "value_width": "U", "n_label": "Y",
}  # fmt: skip
NAMES = {  # what a setting without a letter is called in a sentence
    "window": "the window",
    "n_full": "the number of blocks that look back over the whole text",
    "spare_positions": "the number of spare positions",
}
MAY_BE_ABSENT = ("n_kv_head", "head_width")  # None: worked out from the others
MAY_BE_ZERO = (
    *("n_expert", "n_active", "expert_width", "n_shared", "n_dense", "query_rank", "latent", "rope_width"),
    *("value_width", "window", "n_full", "spare_positions"),
)
NORMS = {"rms": "RMSNorm", "layer": "LayerNorm", "bare": "LayerNorm with nothing learned"}
POSITIONS = {"rotary": "rotary (RoPE)", "learned": "learned"}
BLOCK_NORMS = {
    "two": "one for each part",
    "four": "before and after each part",
    "one": "one for both parts",
}
OUTPUTS = {
    "tokens": "a score for each token",
    "none": "none: the stream is what comes out",
    "labels": "a score for each label",
}
KINDS = {"norm": NORMS, "positions": POSITIONS, "block_norms": BLOCK_NORMS, "output": OUTPUTS}


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
    block_norms: str = "two"  # a key of BLOCK_NORMS
    final_norm: bool = True
    spare_positions: int = 0  # learned positions beside the P of a text
    sinks: bool = False  # a learned score for each head that no token receives
    n_expert: int = 0  # 0: every block has one feed-forward layer; else experts in its place
    n_active: int = 0
    expert_width: int = 0
    n_shared: int = 0
    n_dense: int = 0  # blocks that have a feed-forward layer in the place of experts
    router_bias: bool = False
    latent: int = 0  # 0: keys and values straight from the stream; else by way of so many numbers
    query_rank: int = 0  # with latent: the same for queries, 0 for straight from the stream
    rope_width: int = 0  # with latent: how many numbers of a head are rotated
    value_width: int = 0  # with latent: the width of a value
    window: int = 0  # how many tokens a token sees, itself one of them; 0: all
    n_full: int = 0  # blocks that look back over the whole text though there is a window
    output: str = "tokens"  # a key of OUTPUTS
    n_label: int = 2

    @property
    def kv_heads(self) -> int:
        """K, resolved; with latent attention every query head has its own keys and values."""
        return self.n_head if self.n_kv_head is None or self.latent else self.n_kv_head

    @property
    def width_of_head(self) -> int:
        """D, resolved; rounded down where d / H is not whole, which problems() reports."""
        return self.d_model // self.n_head if self.head_width is None else self.head_width

    @property
    def width_of_value(self) -> int:
        """U, resolved: D but for latent attention."""
        return self.value_width if self.latent else self.width_of_head

    @property
    def n_sparse(self) -> int:
        """Lₑ: blocks with experts."""
        return self.n_layer - self.n_dense if self.n_expert else 0

    @property
    def n_windowed(self) -> int:
        """Blocks in which a token sees no further back than the window."""
        return self.n_layer - self.n_full if self.window else 0

    @property
    def tokens_scored(self) -> bool:
        """Whether there is an output layer for tokens."""
        return self.output == "tokens"


_OURS: dict[str, dict[str, Any]] = {
    "sprout": {"qk_norm": True},
    "store": {"qk_norm": False},
}  # what a model_type of ours fixes


def to_architecture(settings: Any) -> Architecture:
    """Any of the ways to give settings -> Architecture.  See count_parameters."""
    if isinstance(settings, Architecture):
        return settings
    if isinstance(settings, str):
        return _named(settings)
    if is_dataclass(settings):  # engine.model.Settings
        settings = {"model_type": "sprout", **vars(settings)}
    names = ("vocab_size", "d_model", "n_layer", "n_head", "d_ff", "context")
    try:
        fixed = _OURS[settings["model_type"]]
        return Architecture(**{name: settings[name] for name in names}, **fixed)
    except KeyError as missing:
        raise ReaderError(f"The settings do not say {missing}.") from None


def _named(name: str) -> Architecture:
    if name not in presets.NAMES:
        raise ReaderError(f"There is no model named {name[:40]!r}. They are {', '.join(presets.NAMES)}.")
    if name in presets.FAMILY:
        return to_architecture({"model_type": "sprout", **presets.FAMILY[name]})
    return to_architecture({"model_type": "store", **presets.STORE})


_WIDTHS = (
    *("d_model", "d_ff", "head_width", "expert_width", "query_rank", "latent", "rope_width", "value_width"),
)


def doubled(architecture: Architecture) -> Architecture:
    """The same model twice as wide: d, F, and every other width that is a setting of its own."""
    wide = {name: getattr(architecture, name) for name in _WIDTHS}
    return replace(architecture, **{name: 2 * value for name, value in wide.items() if value is not None})


def differences(a: Architecture, b: Architecture) -> dict[str, tuple[Any, Any]]:
    """The settings in which two architectures differ: {name: (a's, b's)}."""
    pairs = {field.name: (getattr(a, field.name), getattr(b, field.name)) for field in fields(Architecture)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
