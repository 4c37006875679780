"""How much of the gradient reaches the first block of an untrained stack, with other ways to join blocks.

python -m training.gradients      measures anew and writes engine/gradients.json; the app only reads it

Ours adds each part's result to the stream and norms what the part reads (pre-norm).  It is compared
with x <- f(x) in place of x <- x + f(x), and with post-norm: x <- Norm(x + f(x)), as in Vaswani et
al. 2017; Xiong et al. 2020 explain the difference.  Everything else is the code of engine/model.py.
Every start draws weights and tokens from its seed: 0, 1, 2 … up to the setup's number of seeds.
"""

import json
import math

import torch
from torch import nn
from tqdm import tqdm

from engine.gradients import DEPTHS, KINDS, RESULTS, SETUP, STARTS
from engine.model import Block, Settings, Transformer


class NoAddition(Block):
    """x <- f(Norm(x)), twice."""

    def forward(self, x, cos, sin):
        x = self.attention(self.norm1(x), cos, sin)
        return self.feed_forward(self.norm2(x))


class PostNorm(Block):
    """x <- Norm(x + f(x)), twice."""

    def forward(self, x, cos, sin):
        x = self.norm1(x + self.attention(x, cos, sin))
        return self.norm2(x + self.feed_forward(x))


def stack(kind, start, depth, setup):
    """An untrained Transformer of so many blocks, joined in one of the KINDS and begun as STARTS say."""
    sizes = {name: value for name, value in setup.items() if name not in ("batch", "seeds")}
    settings = Settings(n_layer=depth, **sizes)
    network = Transformer(settings)
    other = {"no_addition": NoAddition, "post_norm": PostNorm}.get(kind)
    if other:
        network.blocks = nn.ModuleList(other(settings) for _ in range(depth))
        network.initialise()
    if start == "plain":
        for weight in network.parameters():
            if weight.ndim == 2:
                nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
    return network


def length(kind, start, depth, setup, seed):
    """The Euclidean length of the gradient of the loss, for random tokens, in all weights of block 1.

    0 where nothing arrives in float32.
    """
    torch.manual_seed(seed)
    network = stack(kind, start, depth, setup)
    ids = torch.randint(setup["vocab_size"], (setup["batch"], setup["context"]))
    network.loss(ids).backward()
    first = network.blocks[0].parameters()
    return math.sqrt(sum(float(weight.grad.double().pow(2).sum()) for weight in first))


def measure(depths=DEPTHS, setup=SETUP):
    """Lengths from every seed, in the seeds' order: {start: {kind: [a list for each depth]}}."""
    return {
        start: {
            kind: [
                [length(kind, start, depth, setup, seed) for seed in range(setup["seeds"])]
                for depth in tqdm(depths, f"{start}, {kind}", mininterval=5)
            ]
            for kind in KINDS
        }
        for start in STARTS
    }


def main():
    """Measure and keep, to four digits."""
    torch.set_num_threads(1)  # such small products only wait for each other with more
    lengths = {
        start: {kind: [[float(f"{v:.4g}") for v in seeds] for seeds in kept] for kind, kept in kinds.items()}
        for start, kinds in measure().items()
    }
    kept = {"depths": DEPTHS, "setup": SETUP, "lengths": lengths}
    RESULTS.write_text(json.dumps(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
