"""Attention weights of a model with grouped queries (Ainslie et al. 2023) in code that knows none.

Random numbers in a published model's shapes: what matters is what the code says to them.

T tokens · d stream width · H query heads · K key/value heads · D head width
"""

from dataclasses import dataclass

import numpy as np

from engine import store
from engine.counting import published

MODEL = "smollm2-360m"
TOKENS = 4


@dataclass(frozen=True)
class Shapes:
    """The sides of one block's attention matrices, each used as x @ W."""

    d: int
    heads: int
    groups: int
    width: int

    @property
    def query(self) -> tuple[int, int]:
        """(d, H D)"""
        return self.d, self.heads * self.width

    @property
    def key(self) -> tuple[int, int]:
        """(d, K D), the value matrix's too."""
        return self.d, self.groups * self.width


def shapes(model: str = MODEL) -> Shapes:
    """The Shapes of a model of the calculator's list."""
    a = published.BY_ID[model].architecture
    return Shapes(a.d_model, a.n_head, a.kv_heads, a.width_of_head)


def draw(given: Shapes, seed: int = 0) -> dict[str, np.ndarray]:
    """A layer of random matrices in these shapes -> {"q", "k", "v", "o"}, float32."""
    generator = np.random.default_rng(seed)
    sides = {"q": given.query, "k": given.key, "v": given.key, "o": given.query[::-1]}
    return {n: generator.normal(0, 0.05, pair).astype(np.float32) for n, pair in sides.items()}


def numpy_error(given: Shapes) -> str | None:
    """What the store's attention, which expects a key and a value for every head, says to such a layer.

    -> the error's text, or None where it runs.
    """
    try:
        store.attention(np.ones((TOKENS, given.d), np.float32), draw(given), given.heads)
    except ValueError as error:
        return f"{type(error).__name__}: {error}"
    return None


def torch_error(given: Shapes) -> str | None:
    """What our PyTorch attention says when such matrices, queries over keys over values, are loaded into it.

    Nothing is stored for it: the matrices have shapes and no numbers.  -> the error's text, or None.
    """
    import torch

    from engine.model import Attention, Settings

    settings = Settings(vocab_size=1, context=1, n_layer=1, n_head=given.heads, d_model=given.d, d_ff=1)
    with torch.device("meta"):
        attention = Attention(settings)
        rows = given.query[1] + 2 * given.key[1]
        state = {**attention.state_dict(), "qkv.weight": torch.empty(rows, given.d)}
    try:
        attention.load_state_dict(state)
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return None


def repeated(layer: dict[str, np.ndarray], given: Shapes) -> dict[str, np.ndarray]:
    """Every key and value head written H / K times in a row, so that code without groups can run it."""

    def each(matrix: np.ndarray) -> np.ndarray:
        by_head = matrix.reshape(given.d, given.groups, given.width)
        return np.repeat(by_head, given.heads // given.groups, axis=1).reshape(given.query)

    return {**layer, "k": each(layer["k"]), "v": each(layer["v"])}


def difference(given: Shapes) -> float:
    """The largest difference between the repeated layer in our code and PyTorch's own grouped attention."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    layer = draw(given)
    x = np.random.default_rng(1).standard_normal((TOKENS, given.d)).astype(np.float32)
    ours, _ = store.attention(x, repeated(layer, given), given.heads, positions=lambda heads: heads)
    q, k, v = (
        torch.from_numpy(x @ layer[name]).view(TOKENS, -1, given.width).transpose(0, 1)[None]
        for name in "qkv"
    )
    gathered = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)[0]
    theirs = gathered.transpose(0, 1).reshape(TOKENS, -1) @ torch.from_numpy(layer["o"])
    return float(np.abs(ours - theirs.numpy()).max())
