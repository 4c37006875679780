"""Processor time of attention, feed-forward layers and output layer, for every model whose weights are here.

Beside each measured share stands the share that counting operations predicts.
"""

import os

# Before NumPy is imported: threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch

import engine
from engine import timing, weights
from engine.counting import costs, to_architecture


def main() -> None:
    """Print a row for each model and length."""
    torch.set_num_threads(1)
    print(f"{'model':8} {'tokens':>6} {'whole pass':>11}" + "".join(f"{part:>26}" for part in timing.PARTS))
    for name in weights.available():
        model = engine.load(name)
        for tokens in timing.lengths(model):
            one = timing.measure(model, tokens)
            counted = costs.arithmetic(to_architecture(name), tokens).shares
            cells = [
                f"{1000 * one.seconds[part]:8.2f} ms {one.shares[part]:5.0%} ({counted[part]:4.0%})"
                for part in timing.PARTS
            ]
            print(
                f"{name:8} {tokens:6} {1000 * one.whole:8.2f} ms" + "".join(f"{cell:>26}" for cell in cells)
            )


if __name__ == "__main__":
    main()
