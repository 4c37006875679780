"""The store's model for training, in PyTorch's own parts; engine/store.py is the NumPy twin.

LLaMA-style (Touvron et al. 2023): separate q, k, v, o and three feed-forward matrices, all used
as x @ W, so that the file of weights reads the same in NumPy.
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from engine.store import EPSILON


@dataclass(frozen=True)
class StoreSettings:
    """Four blocks of width 128: 1,334,144 parameters."""

    vocab_size: int = 4142
    context: int = 160
    n_layer: int = 4
    n_head: int = 4
    d_model: int = 128
    d_ff: int = 352
    rope_base: float = 10_000.0
    norm_eps: float = EPSILON


def turned(x, base):
    """RoPE on x (B, H, T, D), pairs (i, i + D/2)."""
    T, D = x.shape[-2:]
    speed = base ** (-torch.arange(0, D, 2, device=x.device) / D)
    turn = torch.polar(
        torch.ones(T, D // 2, device=x.device),
        torch.outer(torch.arange(T, device=x.device).float(), speed),
    )
    pairs = torch.complex(*x.float().chunk(2, -1)) * turn
    return torch.cat((pairs.real, pairs.imag), -1).to(x.dtype)


class StoreBlock(nn.Module):
    """One block; its weights are named as in the file."""

    def __init__(self, s):
        super().__init__()
        d, f = s.d_model, s.d_ff
        self.s = s
        self.attention_gain = nn.Parameter(torch.ones(d))
        self.feed_forward_gain = nn.Parameter(torch.ones(d))
        shapes = {
            "q": (d, d),
            "k": (d, d),
            "v": (d, d),
            "o": (d, d),
            "gate": (d, f),
            "up": (d, f),
            "down": (f, d),
        }
        for name, shape in shapes.items():
            deviation = 0.02 / (math.sqrt(2 * s.n_layer) if name in ("o", "down") else 1)
            self.register_parameter(name, nn.Parameter(torch.randn(shape) * deviation))

    def forward(self, x):
        B, T, d = x.shape
        normed = functional.rms_norm(x, (d,), self.attention_gain, self.s.norm_eps)
        q, k, v = (
            (normed @ w).view(B, T, self.s.n_head, -1).transpose(1, 2) for w in (self.q, self.k, self.v)
        )
        q, k = turned(q, self.s.rope_base), turned(k, self.s.rope_base)
        gathered = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + gathered.transpose(1, 2).reshape(B, T, d) @ self.o
        normed = functional.rms_norm(x, (d,), self.feed_forward_gain, self.s.norm_eps)
        return x + (functional.silu(normed @ self.gate) * (normed @ self.up)) @ self.down


class StoreModel(nn.Module):
    """Ids (B, T) -> logits (B, T, V); the output layer is the embedding, transposed."""

    def __init__(self, settings=None):
        super().__init__()
        self.settings = settings or StoreSettings()
        self.embedding = nn.Embedding(self.settings.vocab_size, self.settings.d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.ModuleList(StoreBlock(self.settings) for _ in range(self.settings.n_layer))
        self.final_gain = nn.Parameter(torch.ones(self.settings.d_model))

    def stream(self, ids):
        """ids (B, T) -> the stream after the last block and the final norm, (B, T, d)."""
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return functional.rms_norm(x, x.shape[-1:], self.final_gain, self.settings.norm_eps)

    def forward(self, ids):
        return self.stream(ids) @ self.embedding.weight.T
