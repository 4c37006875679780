"""What can be changed of a model: a part left out, or one detail unlike its training."""

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import LacksError, ReaderError

if TYPE_CHECKING:
    from engine.families.interface import Model

PARTS = ("block", "attention", "feed-forward", "head")
DETAILS = ("neighbours", "base", "no-rope", "epsilon", "norms-after", "no-gate", "untied", "no-qk-norm")
_MADE = count(1)  # numbers what functions made of a model: they have no name to tell them apart by
# What a model must have for a detail to be changed, and how that is called.
_NEEDS = {
    "neighbours": ("rotary", "RoPE"),
    "base": ("rotary", "RoPE"),
    "no-rope": ("rotary", "RoPE"),
    "no-gate": ("gate", "gate"),
    "untied": ("tied", "tied output matrix"),
    "no-qk-norm": ("qk_norm", "QK-norm"),
}


@dataclass(frozen=True)
class Change:
    """One difference from the model as trained.  Blocks and heads are counted from 0.

    kind: one of PARTS, which `block` (and `head`) then name, or of DETAILS; "base" and "epsilon"
    need a `value`, the other details have none.  The model itself notes "start" (value: the seed),
    "reaching" (the length), and "remade", "wired" and "unscaled", numbered: no two are the same.
    """

    kind: str
    block: int | None = None
    head: int | None = None
    value: float | None = None

    def __str__(self) -> str:
        """As a page writes it; blocks and heads are counted from 1 there."""
        block = f"block {self.block + 1}" if self.block is not None else ""
        return {
            "block": f"without {block}",
            "attention": f"without the attention of {block}",
            "feed-forward": f"without the feed-forward layer of {block}",
            "head": f"without head {(self.head or 0) + 1} of {block}",
            "neighbours": "RoPE pairs neighbours",
            "base": f"RoPE base {self.value or 0:,.0f}",
            "no-rope": "no RoPE",
            "epsilon": f"ε = {plainly(self.value or 0)} in the norms",
            "norms-after": "norms after the parts",
            "no-gate": "the gate left out",
            "untied": "another output matrix",
            "no-qk-norm": "QK-norm left out",
            "start": "before its training",
            "reaching": f"for texts of up to {self.value or 0:,.0f} tokens",
            "remade": "numbers put through a function",
            "wired": "put together otherwise",
            "unscaled": "RoPE's angles not stretched",
        }[self.kind]


def made(kind: str) -> Change:
    """The mark of a model that functions made: no other has the same."""
    return Change(kind, value=next(_MADE))


def plainly(x: float) -> str:
    """A number without an exponent: 0.00001, 10."""
    return f"{x:.10f}".rstrip("0").rstrip(".")


def check(model: "Model", change: Change) -> None:
    """Raise ReaderError when a model has no such part or detail."""
    L, H = model.architecture.n_layer, model.architecture.n_head
    if change.kind in PARTS:
        if change.block is None or not 0 <= change.block < L:
            raise ReaderError(f"{model.title} has {L} blocks: choose one from 1 to {L}.")
        if change.kind == "head" and (change.head is None or not 0 <= change.head < H):
            raise ReaderError(f"A block of {model.title} has {H} heads: choose one from 1 to {H}.")
    elif change.kind not in DETAILS:
        raise ReaderError(f"Nothing called {change.kind!r} can be changed.")
    elif change.kind not in model.details:
        part = lacking(model, change.kind)
        why = f"has no {part}" if part else "is not made for this change"
        raise LacksError(f"{model.title} {why}, so this can't be changed.")
    elif change.kind in ("base", "epsilon") and not 0 < (change.value or 0) < float("inf"):
        raise ReaderError(f"The {change.kind} must be a positive number.")


def lacking(model: "Model", detail: str) -> str | None:
    """The part that a model would need for a detail and has not, as a sentence calls it, or None."""
    needed, name = _NEEDS.get(detail, (None, None))
    return name if needed is not None and needed not in model.has else None


def possible(has: frozenset[str]) -> tuple[str, ...]:
    """Of DETAILS those that a model with these parts can have."""
    return tuple(one for one in DETAILS if one not in _NEEDS or _NEEDS[one][0] in has)


def other_matrix(embedding: np.ndarray) -> np.ndarray:
    """A random matrix like the embedding (V, d): same shape, same deviation, always the same numbers."""
    drawn = np.random.default_rng(0).standard_normal(embedding.shape, dtype=np.float32)
    return drawn * np.float32(np.std(np.asarray(embedding)))
