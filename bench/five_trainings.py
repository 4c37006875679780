"""Readers who train at the same time: python -m bench.five_trainings [--readers 5] [--steps 1000]

As the page does it, in threads of one process: two at a time, the others wait for their turn.  One reader
alone comes first, to compare with.
"""

import argparse
import threading
import time

import torch

from engine import tiny_training as tiny
from ui.train_here import AT_ONCE
from ui.turns import Turns


def one_reader(turns, steps, seed, done):
    """Stand in the queue, train both models, and note when what happened."""
    came = time.monotonic()
    wanted = {
        "2 blocks": tiny.Choices(steps=steps, seed=seed),
        "1 block": tiny.Choices(blocks=1, steps=steps, seed=seed),
    }
    with turns.taking() as before:
        while before():
            time.sleep(0.05)
        began, last = time.monotonic(), {}
        for title, look, _ in tiny.race(wanted):
            last[title] = look.copied
    ended = time.monotonic()
    done.append((began - came, ended - began, steps / (ended - began), *last.values()))


def at_once(readers, steps):
    """So many readers press Start together -> a row each, in the order they were done."""
    turns, done = Turns(AT_ONCE), []
    threads = [threading.Thread(target=one_reader, args=(turns, steps, n, done)) for n in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--readers", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    wanted = parser.parse_args()
    torch.set_num_threads(1)  # as the app does
    for readers in (1, wanted.readers):
        print(f"{readers} at once, {AT_ONCE} train at a time")
        for n, (waits, trains, pace, more, one) in enumerate(at_once(readers, wanted.steps), start=1):
            print(
                f"  {n}: waited {waits:5.1f} s, trained {trains:5.1f} s, {pace:5.1f} steps a second of both "
                f"models; 2 blocks copy {more:.0%}, 1 block {one:.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
