"""Full sweeps of the laboratory against plain forward passes of the same tokens.

Processor seconds are counted, so that what else the machine is doing matters less.
"""

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app does; read when NumPy is first imported

from engine import experiments, measures, sweeps, weights


def seconds(work):
    """Wall-clock and processor seconds of a call."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def measure(name, texts):
    """Print one model's sweep over leaving out each block, beside as many plain passes."""
    model = weights.load(name)
    rows = measures.own_rows(model)[:texts]
    tries = [(), *((change,) for change in experiments.parts(model, ("block",)))]
    plain = experiments.runner(model)
    for row in rows[:3]:
        plain(row)
    wall, swept = seconds(lambda: list(sweeps.sweep(model, rows, tries, {})))
    _, passes = seconds(lambda: [plain(row) for _ in tries for row in rows])
    tokens = len(tries) * sum(map(len, rows))
    print(
        f"{model.title:18}  {len(tries)} × {len(rows)} texts, {tokens:7,} tokens: {wall:6.1f} s on the "
        f"clock, {swept:6.1f} s of processor; plain passes {passes:6.1f} s; ratio {swept / passes:.2f}"
    )


def main():
    """Measure the models that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=1_000, help="how many texts at most (default: all)")
    parser.add_argument("names", nargs="*", help="models (default: store and sprout)")
    options = parser.parse_args()
    if options.names != ["store"]:
        import torch

        torch.set_num_threads(1)
    for name in options.names or ["store", "sprout"]:
        measure(name, options.texts)


if __name__ == "__main__":
    main()
