"""The logit lens: against the same lens of transformers' hidden states, and from typing to the grid.

python -m bench.lens [--model sprout] [--tokens 64] [--rounds 20] [--visits 10]
"""

import argparse
import time

import numpy as np
import torch
from playwright.sync_api import sync_playwright

import engine
from bench import table
from engine import presets
from engine.checks import in_transformers
from engine.lens import readout
from tests.browser import harness

LETTERS = "ABCDEFGHIJKLMNOP"


def timed(act, rounds, clock=time.perf_counter):
    """Seconds of each of so many rounds, after one that is not counted."""
    act()
    seconds = []
    for _ in range(rounds):
        started = clock()
        act()
        seconds.append(clock() - started)
    return seconds


def hidden_states_lens(twin, ids, k=5):
    """The same numbers, made plainly from transformers' hidden states: every row normed and read out."""
    with torch.inference_mode():
        passed = twin.model(torch.tensor([ids]), output_hidden_states=True)
        # The last of the hidden states has been through the final norm already.
        rows = [twin.model.norm(row[0]) for row in passed.hidden_states[:-1]] + [passed.hidden_states[-1][0]]
        output = twin.lm_head(rows[-1]).log_softmax(-1)
        following = torch.tensor([*ids[1:], 0])[:, None]
        found = []
        for row in rows:
            log_p = twin.lm_head(row).log_softmax(-1)
            right = log_p.gather(-1, following)
            found.append(
                (
                    *log_p.exp().topk(k), right.exp(), 1 + (log_p > right).sum(-1),
                    -(log_p.exp() * log_p).sum(-1), (output.exp() * (output - log_p)).sum(-1),
                )
            )  # fmt: skip
    return found


def of_text(model, ids, rounds):
    """Print the lens's time, its share in matrix products, and transformers' time on the same weights."""
    trace = engine.run(model, ids)
    lens, twin = engine.logit_lens(model, trace), in_transformers(model)
    other = hidden_states_lens(twin, ids)
    theirs = torch.stack([row[0] for row in other]).numpy()
    gap = np.abs(theirs - lens.probabilities).max()
    print(f"largest difference of a probability: {gap:.1e}")
    rows, T, d = trace.streams.shape
    vectors = trace.streams[:-1].reshape(-1, d)
    ours = timed(lambda: engine.logit_lens(model, engine.run(model, ids)), rounds)
    theirs = timed(lambda: hidden_states_lens(twin, ids), rounds)
    table.show({"pass and lens, ours": ours, "pass and lens, transformers": theirs})
    # Processor time of this thread: what else the machine does counts less.
    whole = min(timed(lambda: engine.logit_lens(model, trace), rounds, time.thread_time))
    products = min(timed(lambda: readout(model, vectors), rounds, time.thread_time))
    print(f"lens alone {1000 * whole:.1f} ms")
    print(f"its {rows - 1} × {T} readouts in one product {1000 * products:.1f} ms: {products / whole:.0%}")


def typed(name, text, visits):
    """Seconds from leaving the text field until the grid has the new text's columns."""
    seconds = []
    with sync_playwright() as playwright, harness.serve() as server:
        page = harness.new_page(harness.new_context(harness.launch(playwright)))
        page.goto(f"{server.url}/lens?model={name}")
        harness.settled(page)
        field = page.get_by_role("textbox", name="The text itself")
        for visit in range(visits + 1):
            new = f"{LETTERS[visit]}. {text}"  # never seen before, so nothing answers from the cache
            field.fill(new)
            started = time.perf_counter()
            field.press("Control+Enter")
            page.locator(".lens thead th:nth-of-type(3) .token", has_text=LETTERS[visit]).wait_for()
            if visit:  # the first loads the model
                seconds.append(time.perf_counter() - started)
            harness.settled(page)
        page.context.browser.close()
    return seconds


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
    table.show({"typed to grid": typed(wanted.model, cut, wanted.visits)})


if __name__ == "__main__":
    main()
