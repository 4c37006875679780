"""Tokens a second in training, as a share of the speed at which this machine multiplies matrices.

python -m bench.training_throughput [--models gpt-1 gpt-4] [--steps 3] [--rows 8] [--threads 2] [--no-compile]

A token costs 6 floating-point operations for every number in a matrix (2 forward, 4 backward), the tied
matrix once, and 6 L T d for the causal half of attention's two products.  The machine's own speed is the
best of several square products in the same number type.  Rows are random ids: no corpus is needed.
"""

import argparse
import time

import numpy as np
import torch

from engine import presets
from engine.model import Settings, Transformer
from training.loop import Run, Workers
from training.plan import Plan
from training.store_model import StoreModel

PRECISIONS = ("float32", "bfloat16")


class Noise:
    """Rows of random ids."""

    def __init__(self, vocabulary, length, rows):
        generator = np.random.default_rng(0)
        self.ids = generator.integers(vocabulary, size=(rows, length + 1)).astype(np.uint16)

    def rows(self, epoch):
        return self.ids, np.ones(self.ids.shape, dtype=bool)


def wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def seconds(act, device, times):
    """The shortest of so many runs, after one that does not count."""
    act()
    taken = []
    for _ in range(times):
        wait(device)
        began = time.perf_counter()
        act()
        wait(device)
        taken.append(time.perf_counter() - began)
    return min(taken)


def matrix_speed(device, precision, times=5):
    """Floating-point operations a second of the best square matrix product."""
    best = 0.0
    for n in (512, 1024, 2048) if device.type == "cpu" else (4096, 8192):
        a, b = (torch.randn(n, n, device=device).to(getattr(torch, precision)) for _ in range(2))
        best = max(best, 2 * n**3 / seconds(lambda a=a, b=b: a @ b, device, times))
    return best


def work_a_token(model):
    """Floating-point operations that training on one token needs."""
    s = model.settings
    numbers = sum(weight.numel() for weight in model.parameters() if weight.ndim == 2)
    return 6 * numbers + 6 * s.n_layer * s.context * s.d_model


def new_model(name):
    return Transformer(Settings(**presets.FAMILY[name])) if name in presets.FAMILY else StoreModel()


def measure(name, precision, args, workers):
    """Tokens a second, whole steps with the optimiser's part, and the operations each token needs."""
    torch.manual_seed(0)
    model = new_model(name)
    s = model.settings
    plan = Plan(tokens=10**9, rows=args.rows, precision=precision, compile=args.compile)
    run = Run(model, Noise(s.vocab_size, s.context, args.rows), plan, workers)
    return args.rows * s.context / seconds(run.step, workers.device, args.steps), work_a_token(model)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--models", nargs="+", choices=presets.NAMES, default=presets.NAMES)
    options.add_argument("--steps", type=int, default=3)
    options.add_argument("--rows", type=int, default=8)
    options.add_argument("--threads", type=int)
    options.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    args = options.parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    workers = Workers()
    print(f"{workers.device}, {torch.get_num_threads()} threads, {args.rows} rows a step")
    columns = ("tokens/s", "Mflop/token", "Gflop/s", "products", "share")
    print(f"{'model':8} {'precision':10}" + "".join(f" {column:>11}" for column in columns))
    for precision in PRECISIONS:
        for name in args.models:
            peak = matrix_speed(workers.device, precision)  # anew, beside what it is compared with
            tokens, work = measure(name, precision, args, workers)
            print(
                f"{name:8} {precision:10} {tokens:11,.0f} {work / 1e6:11,.1f} {tokens * work / 1e9:11,.1f} "
                f"{peak / 1e9:11,.1f} {tokens * work / peak:11.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
