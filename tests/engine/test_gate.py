"""The gate: known values, and units whose products are what the feed-forward layer adds."""

import math

import numpy as np
import pytest

import engine
from engine import gate, store


@pytest.fixture(scope="module", params=["gpt-1", "store"])
def case(request):
    model = engine.load(request.param)
    return model, engine.run(model, "A red bag\nfor the dog and the ball", keep=("gate", "value"))


def test_silu_at_the_three_points():
    assert [f"{gate.silu(a):.2f}" for a in (-3, 0, 3)] == ["-0.14", "0.00", "2.86"]


def test_silu_is_x_over_one_plus_e_to_minus_x_and_the_models_own():
    a = np.linspace(-20, 20, 401)
    np.testing.assert_allclose(gate.silu(a), a / (1 + np.exp(-a)), atol=1e-12)
    np.testing.assert_allclose(gate.silu(a), store.silu(a), atol=1e-12)
    assert gate.silu(-1e4) == 0
    assert gate.silu(1e4) == 1e4


def test_the_other_curves_are_pytorchs():
    import torch
    from torch.nn import functional

    a = torch.linspace(-6, 6, 121, dtype=torch.float64)
    np.testing.assert_allclose(gate.gelu(a.numpy()), functional.gelu(a).numpy(), atol=1e-12)
    np.testing.assert_allclose(gate.relu(a.numpy()), functional.relu(a).numpy())
    np.testing.assert_allclose(gate.silu(a.numpy()), functional.silu(a).numpy(), atol=1e-12)


def test_the_products_through_the_last_matrix_are_what_the_layer_adds(case):
    model, trace = case
    for block in range(model.architecture.n_layer):
        if model.name == "store":
            last = store.layer_weights(model.network, block)["down"]
        else:
            last = model.network.blocks[block].feed_forward.w2.weight.numpy().T
        added = gate.products(trace)[block].astype(float) @ last
        np.testing.assert_allclose(added, trace.feed_forward_added[block], atol=1e-4, rtol=1e-5)


def test_units_nearly_shut_are_counted_one_by_one(case):
    _, trace = case
    counted = gate.nearly_shut(trace.gate)
    for block, t in ((0, 0), (-1, 3)):
        assert counted[block, t] == sum(-0.05 < float(a) < 0.05 for a in trace.gate[block, t])


def test_the_most_active_units_have_the_largest_products():
    assert gate.most_active(np.array([1.0, -5, 3, 0]), 3).tolist() == [1, 2, 0]


def test_a_units_peak_is_its_largest_product_in_the_text(case):
    _, trace = case
    found, product = gate.peaks(trace), gate.products(trace)
    for block, unit in ((0, 0), (-1, 17)):
        column = product[block, :, unit]
        assert abs(found.product[block, unit]) == np.abs(column).max()
        assert column[found.token[block, unit]] == found.product[block, unit]


def test_the_texts_that_drive_a_unit_come_strongest_first():
    texts = [
        gate.Peaks(np.array([[0.0, top]], np.float32), np.array([[0, token]]))
        for top, token in ((1.0, 4), (-9.0, 2), (3.0, 7))
    ]
    assert gate.driving(texts, 2).of(0, 1) == [(1, 2, -9.0), (2, 7, 3.0)]


@pytest.mark.parametrize(("d", "d_ff", "equal"), [(384, 1024, True), (192, 512, True), (128, 352, False)])
def test_two_thirds_of_4d_make_three_matrices_hold_what_two_did(d, d_ff, equal):
    found = gate.widths(d, d_ff)
    assert math.isclose(found["two thirds"], 8 * d / 3)
    assert (found["plain"] == found["gated"]) is equal
    if d == 384:
        assert found["gated"] == 1_179_648
