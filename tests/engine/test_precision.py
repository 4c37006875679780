"""Fewer bits: the rounding is what it says, and a pass with it is a second pass written by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import measures, precision
from engine.precision import ROUNDINGS, Rounding
from tests import tiny
from tests.engine import plain_pass

ROWS = arrays(np.float32, st.just((3, 8)), elements=st.floats(-100, 100, width=16))


def by_hand(x, bits):
    """One vector rounded, number by number."""
    top = 2 ** (bits - 1) - 1
    step = max(abs(float(n)) for n in x) / top
    return [round(float(n) / step) * step if step else 0.0 for n in x]


@given(x=ROWS, bits=st.sampled_from([4, 8]))
def test_every_vector_has_steps_of_its_own(x, bits):
    found = precision.rounded(x, bits)
    for row, shown in zip(x, found, strict=True):
        step = np.abs(row).max() / (2 ** (bits - 1) - 1)
        np.testing.assert_allclose(shown, np.round(shown / (step or 1)) * step, atol=1e-4)
        assert np.abs(shown - row).max() <= step / 2 + 1e-4
        assert len(np.unique(shown)) <= 2**bits - 1


@given(ROWS)
def test_one_step_for_a_whole_matrix_is_no_finer_than_one_for_a_row(x):
    whole, step = precision.rounded(x, 8, axis=None), np.abs(x).max() / 127
    assert np.abs(whole - x).max() <= step / 2 + 1e-4
    np.testing.assert_allclose(whole, np.round(whole / (step or 1)) * step, atol=1e-4)


def test_float16_ends_at_65_504():
    assert precision.rounded(np.array([65_504.0, 70_000.0, 1 / 3]), 16).tolist() == [
        65_504.0,
        math.inf,
        float(np.float16(1 / 3)),
    ]


def test_large_dimensions_are_found_and_kept():
    x = np.ones((4, 100), np.float32) * np.linspace(0.5, 1, 100, dtype=np.float32)
    x[2, 7] = 50  # of a root mean square of about 5
    assert np.flatnonzero(precision.outliers(x)).tolist() == [7]
    kept = precision.rounded_stream(x, Rounding("stream", 4, apart=True))
    np.testing.assert_array_equal(kept[:, 7], x[:, 7])
    assert np.abs(kept - x)[2].max() < np.abs(precision.rounded(x, 4) - x)[2].max() / 5


def test_a_vector_of_zeros_stays_one():
    assert not precision.rounded_stream(np.zeros((2, 4), np.float32), Rounding("stream", 8, apart=True)).any()


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_without_rounding_it_is_the_plain_pass(kind):
    model = tiny.model(kind)
    ids = measures.own_rows(model)[0][:20]
    expected = model.logits(ids)
    np.testing.assert_allclose(precision.runner(model, None)(np.array(ids)), expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["sprout", "store"])
@pytest.mark.parametrize("name", [name for name in ROUNDINGS if name.startswith("weights")])
def test_rounded_weights_are_those_of_a_model_that_has_them(kind, name):
    model, how = tiny.model(kind), ROUNDINGS[name]
    ids = measures.own_rows(model)[0][:20]
    expected = with_other_weights(model, how)(ids)
    np.testing.assert_allclose(precision.runner(model, how)(np.array(ids)), expected, atol=2e-3)


def with_other_weights(model, how):
    """The second implementation of the pass, on matrices rounded number by number.

    Each is used as x @ W, so a column makes one number; an embedding has a row for each token.
    """

    def other(name, matrix):
        if matrix.ndim < 2:
            return matrix
        if how.whole:
            return np.reshape(by_hand(matrix.ravel(), how.bits), matrix.shape)
        lines = matrix if name == "embedding" else matrix.T
        made = np.array([by_hand(line, how.bits) for line in lines])
        return made if name == "embedding" else made.T

    L, H, store = model.architecture.n_layer, model.architecture.n_head, model.name == "store"
    plain = dict(model.network) if store else plain_pass.sprout_arrays(model.network)
    arrays = {name: other(name, matrix) for name, matrix in plain.items()}
    for i in range(0 if store else L):  # queries, keys and values are one matrix there
        joint = other("qkv", np.concatenate([plain[f"blocks.{i}.{n}"] for n in "qkv"], axis=1))
        parts = zip("qkv", np.split(joint, 3, axis=1), strict=True)
        arrays |= {f"blocks.{i}.{n}": part for n, part in parts}
    eps = 1e-5 if store else 1e-6
    return lambda ids: plain_pass.logits(ids, arrays, L, H, eps, qk_norm=not store)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_the_stream_is_rounded_in_every_row(kind, monkeypatch):
    model, seen = tiny.model(kind), []
    rounded = precision.rounded_stream
    monkeypatch.setattr(precision, "rounded_stream", lambda x, how: seen.append(rounded(x, how)) or seen[-1])
    ids = measures.own_rows(model)[0][:12]
    precision.runner(model, ROUNDINGS["stream-4"])(np.array(ids))
    assert len(seen) == model.architecture.n_layer + 1
    for row in seen:
        assert row.shape == (12, model.architecture.d_model)
        assert all(len(np.unique(vector)) <= 15 for vector in row)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_looking_with_fewer_bits_leaves_the_model_as_it_was(kind):
    model = tiny.model(kind)
    ids = measures.own_rows(model)[0][:12]
    before = model.logits(ids)
    for how in ROUNDINGS.values():
        precision.runner(model, how)(np.array(ids))
    np.testing.assert_array_equal(model.logits(ids), before)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_a_reading_is_the_surprise_at_every_token(kind):
    model = tiny.model(kind)
    rows = [row[:9] for row in measures.own_rows(model)[:3]]
    *_, (share, reading) = precision.readings(model, None, rows)
    assert share == 1
    expected = np.concatenate([model.surprises(row) for row in rows])
    np.testing.assert_allclose(reading.nats, expected, atol=1e-4)
    tops = np.concatenate([model.logits(row)[:-1].argmax(-1) for row in rows])
    np.testing.assert_array_equal(reading.top, tops)


def test_a_text_of_one_token_says_nothing():
    *_, (_, reading) = precision.readings(tiny.model("sprout"), ROUNDINGS["stream-8"], [[0]])
    assert len(reading.nats) == len(reading.top) == 0
