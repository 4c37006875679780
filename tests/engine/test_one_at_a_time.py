"""What threads must not do at once they do one after the other: parsing, and starting torch's dice."""

import ast
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

import engine
from engine import source
from engine.one_at_a_time import random_start
from tests import tiny

THREADS = 8


def test_no_two_threads_parse_at_once(monkeypatch):
    parse, inside, most = ast.parse, threading.Semaphore(0), []

    def watched(text, *rest, **options):
        inside.release()
        most.append(inside._value)
        time.sleep(0.01)
        try:
            return parse(text, *rest, **options)
        finally:
            inside.acquire()

    source._tree.cache_clear()
    source._found.cache_clear()
    source._changed.cache_clear()
    monkeypatch.setattr(ast, "parse", watched)
    names = ["sprout", "store", "counting", "lens", "rotation", "norms", "gates", "growth"]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(engine.parts, names))
    assert all(found)
    assert len(most) >= len(names)
    assert max(most) == 1


def test_threads_that_draw_first_weights_at_once_each_get_those_of_their_seed():
    model = tiny.model("sprout")
    alone = [model.at_start(seed).part("embedding.matrix").copy() for seed in range(THREADS)]
    for _ in range(5):
        with ThreadPoolExecutor(THREADS) as pool:
            together = list(pool.map(model.at_start, range(THREADS)))
        for one, other in zip(alone, together, strict=True):
            np.testing.assert_array_equal(one, other.part("embedding.matrix"))


def test_the_dice_are_where_they_were_afterwards():
    before = torch.random.get_rng_state()
    with random_start(5):
        torch.rand(3)
    assert torch.equal(before, torch.random.get_rng_state())
