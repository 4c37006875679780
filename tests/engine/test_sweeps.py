"""Sweeps: right, stoppable, and answered from memory only for the same weights and texts."""

from dataclasses import replace

import numpy as np
import pytest
from torch.nn.functional import cross_entropy

from engine import experiments, store, sweeps
from engine.experiments import Change
from tests.engine.test_experiments import small_sprout, small_store, state

TEXTS = [[1, 2, 3, 4, 5, 6], [7, 8, 9], [3, 3, 3, 3, 12, 30, 5]]
TRIES = [(), (Change("block", 0),), (Change("base", value=100.0),)]


def finish(steps):
    *_, last = steps
    return last[1]


def test_the_stores_perplexity_is_store_pys_own():
    model = small_store()
    found = finish(sweeps.sweep(model, TEXTS, TRIES, {}))
    for one, options in zip(
        TRIES, ({}, {"skip": (0,)}, {"positions": lambda x: store.rope(x, 100.0)}), strict=True
    ):
        expected = store.perplexity(TEXTS, model.network, model.settings, **options)
        assert found[one].perplexity == pytest.approx(expected, rel=1e-5)
        assert found[one].tokens == sum(len(ids) - 1 for ids in TEXTS)


def test_sprouts_loss_is_pytorchs_cross_entropy():
    import torch

    model = small_sprout()
    found = finish(sweeps.sweep(model, TEXTS, [()], {}))[()]
    logits = [model.network(torch.tensor(ids)[None])[0, :-1] for ids in TEXTS]
    targets = [i for ids in TEXTS for i in ids[1:]]
    assert found.nats == pytest.approx(
        float(cross_entropy(torch.cat(logits), torch.tensor(targets))), rel=1e-5
    )
    top = torch.cat(logits).softmax(-1).max(-1).values.mean()
    assert found.top == pytest.approx(float(top), rel=1e-5)


def test_results_come_one_by_one_and_the_share_grows_to_one():
    steps = list(sweeps.sweep(small_store(), TEXTS, TRIES, {}))
    shares = [share for share, _ in steps]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert [len(found) for _, found in steps] == [0, 0, 1, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize("small", [small_store, small_sprout])
def test_a_stopped_sweep_keeps_what_was_finished_and_leaves_no_trace(small):
    model, known = small(), {}
    before = state(model)
    steps = sweeps.sweep(model, TEXTS, TRIES, known)
    for _ in range(4):
        next(steps)
    steps.close()
    assert list(known) == [sweeps.key(model, sweeps.fingerprint(TEXTS), ())]
    after = state(model)
    assert all((before[n] == after[n]).all() for n in before)
    assert finish(sweeps.sweep(model, TEXTS, TRIES, known)) == finish(sweeps.sweep(model, TEXTS, TRIES, {}))


def test_known_results_are_not_computed_again(monkeypatch):
    model, known = small_store(), {}
    first = finish(sweeps.sweep(model, TEXTS, TRIES, known))
    monkeypatch.setattr(sweeps, "runner", lambda *_: pytest.fail("computed again"))
    assert list(sweeps.sweep(model, TEXTS, TRIES, known)) == [(1.0, first)]


def test_other_weights_or_texts_are_not_answered_from_memory():
    model = small_store()
    other = replace(model, manifest={"files": {"model.safetensors": "other"}})
    keys = {
        sweeps.key(m, sweeps.fingerprint(texts), ()) for m in (model, other) for texts in (TEXTS, TEXTS[:2])
    }
    assert len(keys) == 4


def test_even_guessing_has_the_vocabularys_perplexity():
    nats, top = experiments.measure(np.zeros((5, 40), np.float32), [1, 2, 3, 4, 5])
    even = sweeps.summary([nats], [top])
    assert even.perplexity == pytest.approx(40)
    assert even.top == pytest.approx(1 / 40)


def test_an_overflowing_perplexity_is_infinite():
    assert sweeps.Result(1000.0, 0.5, 1).perplexity == float("inf")
