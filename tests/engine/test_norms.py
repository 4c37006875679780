"""Norms by hand: equal to a loop, to the library, and to the norms that the models run."""

import math

import numpy as np
import pytest

import engine
from engine import norms, store

X = np.random.default_rng(8).normal(0.3, 2, (5, 48)).astype(np.float32)


def test_rms_norm_is_what_a_loop_gives():
    for vector, ours in zip(X, norms.rms_norm(X.astype(float), 0.5), strict=True):
        scale = math.sqrt(sum(float(x) ** 2 for x in vector) / len(vector) + 0.5)
        assert ours == pytest.approx([float(x) / scale for x in vector])


@pytest.mark.parametrize("eps", [1e-6, 1e-5])
def test_both_norms_equal_the_librarys_to_four_places(eps):
    found = norms.by_hand(X, eps)
    assert 0 < found.difference < 1e-4
    assert 0 < found.layer_difference < 1e-4


def test_rms_norm_scales_and_layer_norm_centres_too():
    found = norms.by_hand(X, 1e-6)
    np.testing.assert_allclose(found.after, 1, atol=1e-5)
    np.testing.assert_allclose(found.layer_after, 1, atol=1e-5)
    np.testing.assert_allclose(found.mean_after, X.mean(-1) / np.sqrt((X * X).mean(-1)), rtol=1e-4)
    assert np.abs(found.mean_after).max() > 0.05
    np.testing.assert_allclose(found.layer_mean_after, 0, atol=1e-12)


def test_a_tiny_vector_is_left_small_by_epsilon():
    tiny = np.full((1, 16), 1e-3)
    assert norms.rms(norms.rms_norm(tiny, 1e-6))[0] == pytest.approx(1 / math.sqrt(2))
    assert norms.rms(norms.rms_norm(tiny * 0, 1e-6))[0] == 0


def test_the_sizes_of_a_stream_are_those_of_a_loop():
    trace = engine.run(engine.load("gpt-1"), "A red bag")
    found = norms.sizes(trace)
    assert found.shape == trace.streams.shape[:2]
    for row, vectors in zip(found, trace.streams, strict=True):
        by_loop = [math.sqrt(sum(float(x) ** 2 for x in one) / len(one)) for one in vectors]
        assert row == pytest.approx(by_loop)


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_by_hand_with_its_gain_is_the_models_own_final_norm(name):
    model = engine.load(name)
    trace = engine.run(model, "A red bag\nfor the dog")
    last = list(norms.gains(model).values())[-1]
    ours = norms.rms_norm(trace.streams[-1].astype(float), model.epsilon) * last
    embedding = model.network["embedding"] if name == "store" else model.network.embedding.weight.numpy()
    np.testing.assert_allclose(ours @ embedding.T, trace.logits, atol=2e-4)


def test_every_gain_of_every_model_is_found():
    for name, inner in (("gpt-1", 4), ("gpt-4", 4), ("store", 2)):
        model = engine.load(name)
        found = norms.gains(model)
        assert len(found) == inner * model.architecture.n_layer + 1
        wide = [gain for gain in found.values() if gain.shape == (model.architecture.d_model,)]
        assert len(wide) == 2 * model.architecture.n_layer + 1
    assert engine.load("store").epsilon == store.EPSILON == 1e-5
    assert engine.load("gpt-1").epsilon == 1e-6
