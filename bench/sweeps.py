"""Full sweeps of the laboratory against plain forward passes of the same tokens.

Processor seconds are counted, so that what else the machine is doing matters less.
"""

import argparse
import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app does; read when NumPy is first imported

from engine import experiments, measures, presets, sweeps, weights


def loaded(name):
    """A model; one whose weights are not here is made in its size with random numbers, which take as long."""
    if name in weights.available():
        return weights.load(name)
    from engine.families.sprout import Sprout
    from engine.model import Settings, Transformer

    network = Transformer(Settings(**presets.FAMILY[name])).eval().requires_grad_(False)
    tokenizer = weights.load("gpt-1").tokenizer  # the whole family's
    print(f"The weights of {presets.TITLES[name]} are not here: random ones of its size are used.")
    return Sprout(name, network.settings, tokenizer, network, {"files": {"model.safetensors": ""}})


def measure(name, kind, texts):
    """Print one model's sweep over leaving out each part of a kind, beside as many plain passes.

    A text of the sweep and the plain pass of the same text take turns, so that both meet the same machine.
    """
    model = loaded(name)
    rows = measures.own_rows(model)[:texts]
    tries = [(), *((change,) for change in experiments.parts(model, (kind,)))]
    plain = experiments.runner(model)
    for row in rows[:3]:
        plain(row)
    swept = passes = wall = 0.0
    steps = sweeps.sweep(model, rows, tries, {})
    for _ in tries:
        for row in rows:
            before, clock = time.process_time(), time.perf_counter()
            next(steps)
            between = time.process_time()
            wall += time.perf_counter() - clock
            plain(row)
            swept += between - before
            passes += time.process_time() - between
    tokens = len(tries) * sum(map(len, rows))
    print(
        f"{model.title:18}  {kind:12}  {len(tries)} × {len(rows)} texts, {tokens:7,} tokens: {wall:6.1f} s "
        f"on the clock, {swept:6.1f} s of processor; plain passes {passes:6.1f} s; ratio {swept / passes:.2f}"
    )


def main():
    """Measure the models that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=1_000, help="how many texts at most (default: all)")
    parser.add_argument("--part", choices=experiments.PARTS, default="block", help="what is left out")
    parser.add_argument("names", nargs="*", help="models (default: store and sprout)")
    options = parser.parse_args()
    if options.names != ["store"]:
        import torch

        torch.set_num_threads(1)
    for name in options.names or ["store", "sprout"]:
        measure(name, options.part, options.texts)


if __name__ == "__main__":
    main()
