"""The store's model in NumPy: known answers, and the same scores as its PyTorch twin that was trained."""

import math

import numpy as np
import pytest
import torch

from engine import store
from engine import weights as engine_weights
from tests import tiny
from training import export

X = np.random.default_rng(0).standard_normal((12, 32)).astype(np.float32)


@pytest.fixture(scope="module")
def weights():
    return tiny.model("store").network


@pytest.fixture(scope="module")
def settings():
    return tiny.model("store").settings


def some_ids(T, seed=0):
    return np.random.default_rng(seed).integers(tiny.PIECES, size=T)


def test_silu_is_known_at_three_places():
    assert [f"{y:.2f}" for y in store.silu(np.array([-3.0, 0.0, 3.0]))] == ["-0.14", "0.00", "2.86"]


@pytest.mark.filterwarnings("error")
def test_extreme_numbers_do_not_overflow():
    x = np.array([-1e30, -1000, -80, 80, 1000, 1e30], np.float32)
    assert np.isfinite(store.silu(x)).all()
    np.testing.assert_allclose(store.silu(x)[3:], x[3:])
    p = store.softmax(np.array([[1e30, 0, -np.inf], [-1e30, -1e30, -1e30]], np.float32))
    np.testing.assert_allclose(p, [[1, 0, 0], [1 / 3] * 3], rtol=1e-6)


def test_softmax_is_known_and_does_not_change_when_all_scores_move():
    scores = np.log(np.array([[1.0, 2.0, 5.0]]))
    np.testing.assert_allclose(store.softmax(scores), [[1 / 8, 2 / 8, 5 / 8]])
    np.testing.assert_allclose(store.softmax(scores + 700), store.softmax(scores))


def test_rms_norm_is_the_library_s():
    gain = np.linspace(0.5, 2, 32, dtype=np.float32)
    expected = torch.nn.functional.rms_norm(torch.from_numpy(X), (32,), torch.from_numpy(gain), 1e-5)
    np.testing.assert_allclose(store.rms_norm(X, gain), expected, atol=1e-6)


def test_rms_norm_scales_but_does_not_centre():
    x = np.array([[3.0, 4.0]])
    np.testing.assert_allclose(store.rms_norm(x, 1.0), x / math.sqrt(12.5 + 1e-5))
    assert store.rms_norm(x + 5, 1.0).mean() > 0.9


def test_rope_turns_halves_by_position_and_keeps_lengths():
    x = np.tile([1.0, 0.0, 0.0, 2.0], (8, 1))
    turned = store.rope(x, base=100.0)
    for m in (0, 3, 7):
        expected = [math.cos(m), -2 * math.sin(0.1 * m), math.sin(m), 2 * math.cos(0.1 * m)]
        np.testing.assert_allclose(turned[m], expected, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(store.rope(X), axis=1), np.linalg.norm(X, axis=1), rtol=1e-6)
    assert store.rope(X).dtype == np.float32


def test_the_scores_that_the_facts_quote():
    rng = np.random.default_rng(2026)
    q, k = (np.tile(rng.normal(0, 1, 32), (20, 1)) for _ in range(2))
    scores = store.rope(q) @ store.rope(k).T / np.sqrt(32)
    found = [f"{scores[at]:.3f}" for at in ((5, 2), (15, 12), (8, 2))]
    assert found == ["0.217", "0.217", "-0.765"]


@pytest.mark.parametrize("T", [1, 2, 40])
def test_all_logits_are_those_of_the_model_that_was_trained(weights, settings, T):
    ids = some_ids(T)
    found = store.forward(ids, weights, settings)
    assert found.shape == (T, tiny.PIECES)
    assert found.dtype == np.float32
    assert found.std() > 0.5
    twin = tiny.store_network()(torch.from_numpy(ids)[None])[0]
    np.testing.assert_allclose(found, twin, atol=1e-4, rtol=1e-5)


def test_the_file_beside_the_weights_holds_pytorch_s_logits():
    path = engine_weights.FOLDER / "store" / "check.npz"
    if not path.exists():
        pytest.skip("no check.npz here")
    model = engine_weights.load("store")
    with np.load(path) as check:
        found = store.forward(check["ids"], model.network, model.settings)
        np.testing.assert_allclose(found, check["logits"], atol=1e-4)


def test_neighbours_turned_in_pairs_would_not_pass_that_test(weights, settings):
    def neighbours(x):
        order = np.arange(x.shape[-1]).reshape(-1, 2).T.flatten()
        return store.rope(x[..., order])

    ids = some_ids(40)
    wrong = store.forward(ids, weights, settings, positions=neighbours)
    assert np.abs(wrong - store.forward(ids, weights, settings)).max() > 1e-2


def test_no_token_sees_the_future(weights, settings):
    ids = some_ids(20)
    other = ids.copy()
    other[11] = (ids[11] + 1) % tiny.PIECES
    before, after = (store.forward(each, weights, settings) for each in (ids, other))
    np.testing.assert_allclose(before[:11], after[:11], atol=1e-5)
    assert (np.abs(before - after).max(-1)[11:] > 1e-3).all()
    _, passed = store.run(ids, weights, settings)
    assert not any(np.triu(seen["attention"], 1).any() for seen in passed)


def test_a_block_that_is_left_out_leaves_the_stream_as_it_was(weights, settings):
    ids = some_ids(9)
    whole, _ = store.run(ids, weights, settings)
    streams, passed = store.run(ids, weights, settings, skip=(1,))
    np.testing.assert_array_equal(streams[:2], whole[:2])
    np.testing.assert_array_equal(streams[2], streams[1])
    assert [bool(seen) for seen in passed] == [True, False, True]
    assert np.abs(streams[3] - whole[3]).max() > 0.1
    nothing = store.forward(ids, weights, settings, skip=range(3))
    np.testing.assert_array_equal(nothing, store.unembed(weights["embedding"][ids], weights))


def test_a_block_is_its_two_additions_and_says_what_passed(weights, settings):
    layer = store.layer_weights(weights, 0)
    gathered, seen = store.attention(store.rms_norm(X, layer["attention_gain"]), layer, 2)
    between = X + gathered
    made, opened = store.feed_forward(store.rms_norm(between, layer["feed_forward_gain"]), layer)
    x, passed = store.block(X, layer, 2)
    np.testing.assert_allclose(x, between + made, atol=1e-5)
    expected = {**seen, **opened, "attention_added": gathered, "feed_forward_added": made}
    expected |= {"norm1": store.rms_norm(X, layer["attention_gain"])}
    expected |= {"norm2": store.rms_norm(between, layer["feed_forward_gain"])}
    assert {*passed} == {*expected}
    for name, array in expected.items():
        np.testing.assert_array_equal(passed[name], array)
    assert opened["gate"].shape == opened["value"].shape == (12, settings["d_ff"])
    assert seen["queries"].shape == seen["keys"].shape == seen["values"].shape == (2, 12, 16)


def test_the_settings_base_and_epsilon_are_the_ones_that_run(weights, settings):
    ids = some_ids(20)
    for change, other in (
        ({"rope_base": 50.0}, {"positions": lambda x: store.rope(x, base=50.0)}),
        ({"norm_eps": 0.5}, {}),
    ):
        found = store.forward(ids, weights, {**settings, **change})
        assert np.abs(found - store.forward(ids, weights, settings)).max() > 1e-2
        if other:
            np.testing.assert_array_equal(found, store.forward(ids, weights, settings, **other))


def test_the_arrays_of_a_block_have_short_names(weights):
    layer = store.layer_weights(weights, 1)
    gains = {"attention_gain", "feed_forward_gain"}
    assert set(layer) == {*"qkvo", "gate", "up", "down", *gains}
    assert layer["q"] is weights["blocks.1.q"]


def test_more_than_ten_blocks_are_told_apart():
    many = {f"blocks.{i}.q": i for i in range(12)}
    assert store.layer_weights(many, 1) == {"q": 1}


def test_surprise_is_minus_the_log_of_the_probability():
    logits = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [1, 1, 1]], np.float32))
    np.testing.assert_allclose(store.surprise(logits, [0, 1, 2]), -np.log([0.25, 0.8]), rtol=1e-6)
    assert np.isfinite(store.surprise(np.array([[0.0, 5000.0], [0.0, 0.0]]), [1, 0])).all()


def test_even_guessing_has_the_perplexity_of_the_vocabulary(weights, settings):
    even = {**weights, "embedding": np.zeros_like(weights["embedding"])}
    texts = [some_ids(5), some_ids(9)]
    assert store.perplexity(texts, even, settings) == pytest.approx(tiny.PIECES, rel=1e-5)


def test_perplexity_counts_every_token_alike(weights, settings):
    texts = [some_ids(5), some_ids(30, seed=1)]
    nats = np.concatenate([store.surprise(store.forward(t, weights, settings), t) for t in texts])
    assert len(nats) == 4 + 29
    assert store.perplexity(texts, weights, settings) == pytest.approx(math.exp(nats.mean()), rel=1e-6)


def test_the_real_model_has_the_number_of_parameters_of_the_facts():
    from training.store import new_model

    arrays = export.store_arrays(new_model())
    assert sum(array.size for array in arrays.values()) == 1_334_144
    gains = sum(array.size for name, array in arrays.items() if name.endswith("gain"))
    assert (arrays["embedding"].size, gains) == (530_176, 1_152)
