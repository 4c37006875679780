"""The Sprout family of language models, whole: the file that is trained, run and shown.

B batch · T tokens · d stream width · H heads · D head width (d / H) · F feed-forward width
V vocabulary · L blocks
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention, silu


@dataclass(frozen=True)
class Settings:
    """The numbers that tell gpt-1, gpt-4 and Sprout apart. The defaults are Sprout's."""

    vocab_size: int = 8192  # V: how many different pieces of text there are
    context: int = 512  # the longest text, in tokens
    n_layer: int = 8  # L: blocks
    n_head: int = 6  # H: heads in each block
    d_model: int = 384  # d: width of the residual stream
    d_ff: int = 1024  # F: width of the feed-forward layer, about 2/3 of 4d
    rope_base: float = 10_000.0


class RMSNorm(nn.Module):
    """Bring each vector to root mean square 1, then scale each number by a learned gain.

    x: (..., width) -> the same shape.  Zhang and Sennrich 2019.
    """

    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        wide = x.float()  # squares of large numbers need float32
        rms = (wide.pow(2).mean(-1, keepdim=True) + self.eps).sqrt()
        return (wide / rms).to(x.dtype) * self.gain


def rope_tables(length, head_width, base):
    """Cosine and sine of every angle: position m turns pair i by m * base^(-2i / D) radians.

    Two tables of (length, D/2).  Su et al. 2021, section 3.4.2.
    """
    pair = torch.arange(head_width // 2, dtype=torch.float32)
    speed = base ** (-2 * pair / head_width)
    angle = torch.outer(torch.arange(length, dtype=torch.float32), speed)
    return angle.cos(), angle.sin()


def rotate(x, cos, sin):
    """Turn each pair (x[i], x[i + D/2]) by its position's angle.

    x: (..., T, D), D even.  cos, sin: (T, D/2).  Returns x's shape.
    """
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


class Attention(nn.Module):
    """Each token gathers from itself and the tokens before it.  (B, T, d) -> (B, T, d).

    Causal multi-head self-attention, Vaswani et al. 2017; queries and keys are normed
    before they are turned (QK-norm, Henry et al. 2020).
    """

    def __init__(self, settings):
        super().__init__()
        d, self.n_head = settings.d_model, settings.n_head
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.q_norm = RMSNorm(d // self.n_head)
        self.k_norm = RMSNorm(d // self.n_head)
        self.proj = nn.Linear(d, d, bias=False)

    def forward(self, x, cos, sin):
        B, T, d = x.shape
        split = self.qkv(x).view(B, T, 3, self.n_head, d // self.n_head)
        q, k, v = split.permute(2, 0, 3, 1, 4)  # each (B, H, T, D)
        q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)  # values are not turned
        q, k = q.to(v.dtype), k.to(v.dtype)
        # softmax(q k^T / sqrt(D), only where key <= query) v
        gathered = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(gathered.transpose(1, 2).reshape(B, T, d))


class FeedForward(nn.Module):
    """Each token by itself: a gated layer, SwiGLU.  (..., d) -> (..., d).  Shazeer 2020."""

    def __init__(self, settings):
        super().__init__()
        d, d_ff = settings.d_model, settings.d_ff
        self.w1 = nn.Linear(d, d_ff, bias=False)  # the gate
        self.w3 = nn.Linear(d, d_ff, bias=False)  # the values it lets through
        self.w2 = nn.Linear(d_ff, d, bias=False)  # back to the stream's width

    def forward(self, x):
        return self.w2(silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    """Two additions to the residual stream, each after a norm of its own.  (B, T, d) -> same."""

    def __init__(self, settings):
        super().__init__()
        self.norm1 = RMSNorm(settings.d_model)
        self.attention = Attention(settings)
        self.norm2 = RMSNorm(settings.d_model)
        self.feed_forward = FeedForward(settings)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm1(x), cos, sin)
        x = x + self.feed_forward(self.norm2(x))
        return x


class Transformer(nn.Module):
    """Ids of tokens in, a score for every possible next token out."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.embedding = nn.Embedding(settings.vocab_size, settings.d_model)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.n_layer))
        self.final_norm = RMSNorm(settings.d_model)
        self.output = nn.Linear(settings.d_model, settings.vocab_size, bias=False)
        self.output.weight = self.embedding.weight  # tied: one matrix, Press and Wolf 2017
        head_width = settings.d_model // settings.n_head
        cos, sin = rope_tables(settings.context, head_width, settings.rope_base)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.initialise()

    def initialise(self):
        """Normal weights of deviation 0.02; what a block adds starts out sqrt(2L) times smaller."""
        for name, weight in self.named_parameters():
            if weight.ndim == 2:
                nn.init.normal_(weight, std=0.02)
            if name.endswith(("proj.weight", "w2.weight")):
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * self.settings.n_layer))

    def stream(self, ids):
        """ids (B, T) -> the residual stream after the last block and the final norm, (B, T, d)."""
        T = ids.shape[1]
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x, self.cos[:T], self.sin[:T])
        return self.final_norm(x)

    def forward(self, ids):
        """ids (B, T) -> logits (B, T, V): at each place, a score for each next token."""
        return self.output(self.stream(ids))

    def surprise(self, ids):
        """-log of the probability of each token of ids (B, T) after the first: (B, T-1), in nats."""
        logits, target = self(ids[:, :-1]).float(), ids[:, 1:]
        nats = cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
        return nats.view(target.shape)

    def loss(self, ids):
        """Mean surprise over ids (B, T): what training makes small."""
        return self.surprise(ids).mean()
