"""How much of the gradient reaches the first block of an untrained stack, with other ways to join blocks.

python -m engine.gradients      measures anew and writes engine/gradients.json

Ours adds each part's result to the stream and norms what the part reads (pre-norm).  It is compared
with x <- f(x) in place of x <- x + f(x), and with post-norm: x <- Norm(x + f(x)), as in Vaswani et
al. 2017; Xiong et al. 2020 explain the difference.  Everything else is the code of engine/model.py.
"""

import json
import math
from pathlib import Path
from statistics import median

RESULTS = Path(__file__).with_suffix(".json")
DEPTHS = (2, 4, 8, 16, 32)
KINDS = ("ours", "no_addition", "post_norm")
# ours: engine/model.py's.  plain: every matrix normal with deviation 1/sqrt(its inputs), at any depth.
STARTS = ("plain", "ours")
SETUP = {"d_model": 64, "n_head": 4, "d_ff": 176, "vocab_size": 256, "context": 32, "batch": 4, "seeds": 3}


def measure(depths=DEPTHS, setup=None):
    """Gradient lengths at the first block, {start: {kind: [one for each depth]}}.

    The Euclidean length of the gradient of the loss, for random tokens, with respect to all weights
    of the first block; the median over the seeds.  0 where nothing arrives in float32.
    """
    setup = setup or SETUP
    return {
        start: {
            kind: [
                median(_length(kind, start, depth, setup, seed) for seed in range(setup["seeds"]))
                for depth in depths
            ]
            for kind in KINDS
        }
        for start in STARTS
    }


def stack(kind, start, depth, setup):
    """An untrained Transformer of so many blocks, joined in one of the KINDS and begun as STARTS say."""
    from torch import nn

    from engine.model import Block, Settings, Transformer

    class NoAddition(Block):
        def forward(self, x, cos, sin):
            x = self.attention(self.norm1(x), cos, sin)
            return self.feed_forward(self.norm2(x))

    class PostNorm(Block):
        def forward(self, x, cos, sin):
            x = self.norm1(x + self.attention(x, cos, sin))
            return self.norm2(x + self.feed_forward(x))

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


def _length(kind, start, depth, setup, seed):
    import torch

    torch.manual_seed(seed)
    network = stack(kind, start, depth, setup)
    ids = torch.randint(setup["vocab_size"], (setup["batch"], setup["context"]))
    network.loss(ids).backward()
    first = network.blocks[0].parameters()
    return math.sqrt(sum(float(weight.grad.double().pow(2).sum()) for weight in first))


def read():
    """The kept results: {"depths", "setup", "lengths": as measure() gives them}."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def main():
    """Measure and keep."""
    import torch

    torch.set_num_threads(1)  # such small products only wait for each other with more
    lengths = {
        start: {kind: [float(f"{v:.4g}") for v in values] for kind, values in kinds.items()}
        for start, kinds in measure().items()
    }
    kept = {"depths": DEPTHS, "setup": SETUP, "lengths": lengths}
    RESULTS.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    print(json.dumps(lengths, indent=1))


if __name__ == "__main__":
    main()
