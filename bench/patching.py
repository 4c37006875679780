"""The grid of "What if": its operations against those that counting gives, and its seconds.

python -m bench.patching [--model sprout] [--tokens 40]

Attention's weighing, 2 % of it all here, is left out of both: PyTorch does not count it.
TransformerLens joins in where it is installed (pip install transformer-lens==4.3.0, in its own environment).
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app sets it, before NumPy is imported

import argparse
import importlib.util
import time

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

import engine
from bench import lens
from engine import patching

CHANGED = 5  # the token that differs


def texts(model, length):
    """Two texts of so many tokens, one token apart."""
    ids = [model.tokenizer.marker_id, *np.random.default_rng(0).choice(model.random_ids, length - 1)]
    other = list(ids)
    other[CHANGED] = (ids[CHANGED] + 1) % model.architecture.vocab_size
    return [[int(i) for i in one] for one in (ids, other)]


def grid(model, both, kind="stream", block=0):
    """A whole grid, (R, T)."""
    found = np.zeros((patching.rows(model, kind), len(both.first.ids)))
    for row, tokens in patching.pieces(model, both, kind):
        found[row, tokens.start : tokens.stop] = patching.cells(model, both, kind, row, tokens, block).back
    return found


def counted(model, length):
    """The operations that are needed: of both texts' passes, and of the blocks above every cell that matters.

    A cell matters where the texts' streams differ there and the answer's token can still read it.
    """
    a = model.architecture
    block = 2 * length * (4 * a.d_model**2 + 3 * a.d_model * a.d_ff)
    token = 2 * a.d_model * a.vocab_size  # a token's scores
    passes = 2 * (a.n_layer * block + length * token)
    runs = [a.n_layer, *((length - CHANGED) * (a.n_layer - row) for row in range(1, a.n_layer))]
    cells = 1 + (a.n_layer - 1) * (length - CHANGED) + 1
    return passes + sum(runs) * block + cells * token


def measured(model, first, second):
    """The operations that are made: PyTorch's as it counts them, and the readouts, which are NumPy's."""
    a, read, original = model.architecture, [], patching.readout

    def readout(own, vectors, *rest):
        read.append(len(vectors))
        return original(own, vectors, *rest)

    patching.readout = readout
    try:
        with FlopCounterMode(display=False) as counter:
            grid(model, patching.pair(model, first, second))
    finally:
        patching.readout = original
    return counter.get_total_flops() + sum(read) * 2 * a.d_model * a.vocab_size


def against_transformer_lens(model, both):
    """Print how far TransformerLens's grids on the same weights are from ours, and the seconds of both."""
    from transformer_lens import patching as theirs

    bridge = lens.transformer_lens_twin(model, model.in_transformers())
    ids, others = (torch.tensor(np.array(one.ids))[None] for one in (both.first, both.second))
    names = {"stream": "resid_pre", "attention": "attn_out", "feed-forward": "mlp_out"}
    with torch.inference_mode():
        _, cache = bridge.run_with_cache(ids)
        for kind, name in names.items():
            begun = time.process_time()
            find = getattr(theirs, f"get_act_patch_{name}")
            found = find(bridge, others, cache, lambda logits: both.back(logits[0, -1].numpy())).numpy()
            between = time.process_time()
            ours = grid(model, both, kind)[: len(found)]  # theirs has no row for the output
            spent = between - begun, time.process_time() - between
            off = np.abs(found - ours).max()
            print(f"{kind}: {off:.1e} from TransformerLens's; {spent[1]:.1f} s here, {spent[0]:.1f} s there")


def main():
    """Print both counts and the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="sprout")
    parser.add_argument("--tokens", type=int, default=40)
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = engine.load(options.model)
    first, second = texts(model, options.tokens)
    need = counted(model, options.tokens)
    made = measured(model, first, second)
    print(f"{model.title}, {options.tokens} tokens: {need / 1e9:.2f} G operations are needed,")
    print(f"{made / 1e9:.2f} G are made, {made / need:.3f} times as many")
    clock, processor = time.perf_counter(), time.process_time()
    grid(model, patching.pair(model, first, second))
    spent = time.perf_counter() - clock, time.process_time() - processor
    print("{:.2f} s on the clock, {:.2f} s of processor".format(*spent))
    if importlib.util.find_spec("transformer_lens"):
        against_transformer_lens(model, patching.pair(model, first, second))


if __name__ == "__main__":
    main()
