"""The logit lens: against the same lens of transformers' hidden states; from typing to the grid, beside an
empty Streamlit app's echo.

python -m bench.lens [--model sprout] [--tokens 64] [--rounds 20] [--visits 10]

TransformerLens joins in where it is installed (pip install transformer-lens==4.3.0, in an environment
of its own: it brings a hundred packages).
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the app sets it, before NumPy is imported

import argparse
import importlib.util
import tempfile
import time

import numpy as np
import torch
from playwright.sync_api import sync_playwright

import engine
from bench import empty, table, watching
from engine import presets, weights
from engine.lens import readout
from tests.browser import harness

LETTERS = "ABCDEFGHIJKLMNOP"
COLUMN = ".lens thead th:nth-of-type(3) .token"  # of the first letter that was typed


def timed(act, rounds, clock=time.perf_counter):
    """Seconds of each of so many rounds, after one that is not counted."""
    act()
    seconds = []
    for _ in range(rounds):
        started = clock()
        act()
        seconds.append(clock() - started)
    return seconds


def hidden_states_lens(twin, ids):
    """The same numbers, made plainly from transformers' hidden states: every row normed and read out."""
    with torch.inference_mode():
        passed = twin.model(torch.tensor([ids]), output_hidden_states=True)
        # The last of the hidden states has been through the final norm already.
        rows = [twin.model.norm(row[0]) for row in passed.hidden_states[:-1]] + [passed.hidden_states[-1][0]]
        logits = (twin.lm_head(row) for row in rows)
        return numbers_of(logits, twin.lm_head(rows[-1]).log_softmax(-1), ids)


def numbers_of(rows, output, ids, k=5):
    """Rows of logits and the output's log-probabilities -> what our Lens holds, plainly."""
    following = torch.tensor([*ids[1:], 0])[:, None]
    found = []
    for logits in rows:
        log_p = logits.log_softmax(-1)
        right = log_p.gather(-1, following)
        rank = 1 + (log_p > right).sum(-1)
        entropy = -(log_p.exp() * log_p).sum(-1)
        divergence = (output.exp() * (output - log_p)).sum(-1)
        found.append((*log_p.exp().topk(k), right.exp(), rank, entropy, divergence))
    return found


def transformer_lens_twin(model, twin):
    """Our weights in TransformerLens, by way of a folder that transformers writes."""
    from transformer_lens.model_bridge import TransformerBridge
    from transformers import PreTrainedTokenizerFast

    file = weights.FOLDER / model.name / "tokenizer.json"
    marker = dict.fromkeys(("bos_token", "eos_token", "pad_token"), "<|end|>")
    with tempfile.TemporaryDirectory() as folder:
        twin.save_pretrained(folder)
        PreTrainedTokenizerFast(tokenizer_file=str(file), **marker).save_pretrained(folder)
        return TransformerBridge.boot_transformers(folder, device="cpu")


def transformer_lens_lens(bridge, ids):
    """The same numbers by TransformerLens: its cache, its accumulated residual stream, its unembedding."""
    with torch.inference_mode():
        logits, cache = bridge.run_with_cache(torch.tensor([ids]))
        rows = cache.accumulated_resid(apply_ln=True)[:, 0] @ bridge.W_U
        return numbers_of(rows, logits[0].log_softmax(-1), ids)


def of_text(model, ids, rounds):
    """Print the lens's time, its share in matrix products, and transformers' time on the same weights."""
    trace = engine.run(model, ids)
    lens, twin = engine.logit_lens(model, trace), model.in_transformers()
    other = hidden_states_lens(twin, ids)
    theirs = torch.stack([row[0] for row in other]).numpy()
    gap = np.abs(theirs - lens.probabilities).max()
    print(f"largest difference of a probability from transformers': {gap:.1e}")
    rows, T, d = trace.streams.shape
    vectors = trace.streams[:-1].reshape(-1, d)
    ours = timed(lambda: engine.logit_lens(model, engine.run(model, ids)), rounds)
    theirs = timed(lambda: hidden_states_lens(twin, ids), rounds)
    measured = {"pass and lens, ours": ours, "pass and lens, transformers": theirs}
    if importlib.util.find_spec("transformer_lens"):
        bridge = transformer_lens_twin(model, twin)
        hooked = torch.stack([row[0] for row in transformer_lens_lens(bridge, ids)]).numpy()
        print(f"and from TransformerLens's: {np.abs(hooked - lens.probabilities).max():.1e}")
        measured["pass and lens, TransformerLens"] = timed(lambda: transformer_lens_lens(bridge, ids), rounds)
    table.show(measured)
    # Processor time of this thread, in turn: what else the machine does counts less.
    acts = (lambda: engine.logit_lens(model, trace), lambda: readout(model, vectors))
    each = [[timed(act, 1, time.thread_time)[0] for act in acts] for _ in range(rounds)]
    whole, products = np.min(each, axis=0)
    print(f"lens alone {1000 * whole:.1f} ms")
    print(f"its {rows - 1} × {T} readouts in one product {1000 * products:.1f} ms: {products / whole:.0%}")


def typed(name, text, visits):
    """From leaving the text field until the grid has the new text's columns; and, in turn, until an empty app
    has echoed the same text -> {what: seconds} of the times and of what the browser and the server worked."""
    found = {}
    with sync_playwright() as playwright, harness.serve() as server, empty.serve() as bare:
        browser = harness.launch(playwright)
        lens = Typing(browser, f"{server.url}/lens?model={name}", server, "The text itself", COLUMN)
        echo = Typing(browser, bare.url, bare, empty.FIELD, empty.ECHO)
        for visit in range(visits + 1):
            letters = f"{LETTERS[visit]}. "  # a text never seen before, so nothing answers from the cache
            for what, page in (("typed to grid", lens), ("typed to an empty app's echo", echo)):
                seconds = page.type(f"{letters}{text}", LETTERS[visit])
                for more, one in seconds.items():
                    if visit:  # the first loads the model
                        found.setdefault(f"{what}{more}", []).append(one)
        browser.close()
    return found


class Typing:
    """A page with a field, and what changes when something was typed."""

    def __init__(self, browser, address, server, field, changes):
        context = harness.new_context(browser)
        self.page, self.server, self.changes = harness.new_page(context), server, changes
        self.session = context.new_cdp_session(self.page)
        self.session.send("Performance.enable")
        self.page.goto(address)
        harness.settled(self.page)
        self.field = self.page.get_by_role("textbox", name=field)

    def type(self, text, letters):
        """Type, leave the field -> {"": seconds until it shows, …: seconds of work until all has settled}."""
        self.field.fill(text)
        watching.for_letters(self.page, self.changes, letters)
        before = watching.cost(self.session, self.server.process.pid)
        self.field.press("Control+Enter")
        seconds = watching.seen(self.page)
        harness.settled(self.page)
        cost = watching.cost(self.session, self.server.process.pid) - before
        return {"": seconds, ", browser's main thread": cost.main_thread, ", server": cost.server}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="sprout", choices=presets.NAMES)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--visits", type=int, default=10, help="at most 15")
    wanted = parser.parse_args()
    torch.set_num_threads(1)  # as the app sets it
    model = engine.load(wanted.model)
    text = "Once upon a time there was a little dog who liked to run in the park. " * 40
    ids = model.tokenizer.encode(text)[: wanted.tokens]
    of_text(model, ids, wanted.rounds)
    cut = model.tokenizer.decode(ids)
    table.show(typed(wanted.model, cut, wanted.visits))


if __name__ == "__main__":
    main()
