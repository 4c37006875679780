"""Rewired passes: the model's own as it stands, and what must hold with another mask or a part less."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import engine
from engine import heads, length, measures, store, wiring
from engine.experiments import Change, runner
from engine.model import Transformer
from engine.wiring import Wiring
from tests import tiny

IDS = [0, 7, 7, 1, 20, 3, 11, 30, 2, 7, 90, 41]


@pytest.fixture(params=["sprout", "store"])
def model(request):
    return tiny.model(request.param)


def without(model, kind):
    return [Change(kind, block) for block in range(model.architecture.n_layer)]


def test_as_it_stands_it_is_the_models_own_pass(model):
    np.testing.assert_allclose(wiring.streams(model, IDS), engine.run(model, IDS).streams, atol=1e-4)
    np.testing.assert_allclose(wiring.logits(model, IDS), engine.run(model, IDS).logits, atol=1e-3)


@pytest.mark.parametrize(
    ("how", "kinds"), [(Wiring(turned=False), ["no-rope"]), (Wiring(feed_forward=False), ["feed-forward"])]
)
def test_a_part_less_is_the_same_change_made_elsewhere(model, how, kinds):
    changes = [Change("no-rope")] if kinds == ["no-rope"] else without(model, "feed-forward")
    np.testing.assert_allclose(
        wiring.logits(model, IDS, how), runner(model, *changes)(np.array(IDS)), atol=1e-3
    )


def test_without_skips_a_part_takes_the_streams_place():
    model = tiny.model("store")
    layer, x = store.layer_weights(model.network, 0), model.network["embedding"][IDS]
    gathered, _ = store.attention(store.rms_norm(x, layer["attention_gain"]), layer, 2)
    alone = wiring.streams(model, IDS, Wiring(skips=False, feed_forward=False))
    np.testing.assert_allclose(alone[1], gathered, atol=1e-4)


def test_a_window_as_long_as_the_text_hides_nothing(model):
    T = len(IDS)
    assert (wiring.latest(T)(T) == wiring.earlier(T)).all()
    held = Wiring(wiring.latest(T))
    np.testing.assert_allclose(wiring.logits(model, IDS, held), wiring.logits(model, IDS), atol=1e-4)


def test_nothing_farther_back_than_the_windows_reach_plays_a_part(model):
    reach = 3
    L = model.architecture.n_layer
    last = L * (reach - 1)  # every block looks so far back, and reads what the one before it gathered
    held, other = Wiring(wiring.latest(reach)), [*IDS]
    other[-1 - last - 1] = 99
    a, b = (wiring.logits(model, ids, held)[-1] for ids in (IDS, other))
    np.testing.assert_allclose(a, b, atol=1e-4)
    other[-1 - last] = 99
    assert abs(wiring.logits(model, other, held)[-1] - a).max() > 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_without_mask_and_rope_a_new_order_only_reorders_the_vectors(model, seed):
    order = np.random.default_rng(seed).permutation(len(IDS))
    blind = Wiring(wiring.everything, turned=False)
    as_written = wiring.streams(model, IDS, blind)
    np.testing.assert_allclose(
        wiring.streams(model, np.array(IDS)[order], blind), as_written[:, order], rtol=1e-3, atol=1e-3
    )
    for how in (Wiring(), Wiring(turned=False), Wiring(wiring.everything)):  # each of the two tells an order
        a, b = (wiring.streams(model, ids, how)[-1] for ids in (np.array(IDS), np.array(IDS)[order]))
        assert abs(a[order] - b).max() > 0.01


def test_a_text_longer_than_the_context_is_read_as_by_a_model_built_for_it():
    model = engine.load("gpt-1")
    row = length.joined_rows(model, 700, 1)[0]
    network = Transformer(replace(model.settings, context=700))
    network.load_state_dict(model.network.state_dict())
    expected = network.requires_grad_(False)(torch.tensor(row)[None])[0]
    np.testing.assert_allclose(wiring.logits(model, row), expected.numpy(), atol=1e-4)


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_trained_weights_are_read_as_ever(name):
    model = engine.load(name)
    row = measures.own_rows(model)[0]
    np.testing.assert_allclose(wiring.logits(model, row), model.logits(row), atol=1e-4)


@pytest.mark.parametrize(
    "how",
    [
        Wiring(wiring.everything),
        Wiring(wiring.latest(3)),
        Wiring(wiring.everything, turned=False),
        Wiring(skips=False),
        Wiring(feed_forward=False),
        Wiring(skips=False, feed_forward=False),
    ],
)
def test_what_a_rewired_pass_keeps_is_what_it_did(model, how):
    wired = model.wired(how)
    trace = engine.run(wired, IDS, ("attention", "head_values"))
    assert not trace.attention[..., ~how.sees(len(IDS))].any()
    np.testing.assert_allclose(trace.attention.sum(-1), 1, atol=1e-5)
    for block, added in enumerate(trace.attention_added):
        np.testing.assert_allclose(heads.added(wired, IDS, block).sum(0), added, atol=1e-3, rtol=1e-4)
    assert trace.feed_forward_added.any() == how.feed_forward
    if how.skips:
        sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
        np.testing.assert_allclose(trace.streams[1:], sums, atol=1e-3, rtol=1e-4)
