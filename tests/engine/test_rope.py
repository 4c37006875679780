"""RoPE by itself: what the two specs quote, and what must hold for any vectors."""

import math

import numpy as np
import pytest

from engine import rope

BASES = (10_000.0, 100_000.0, 7.5)


def turned_as_complex(x, position, base=10_000.0):
    """Another way: each pair of halves is one complex number, turned by a complex exponential."""
    half = len(x) // 2
    speed = [base ** (-2 * i / len(x)) for i in range(half)]
    z = (x[:half] + 1j * x[half:]) * np.exp(1j * position * np.array(speed))
    return np.concatenate((z.real, z.imag))


def test_equal_distances_give_the_score_known_for_seed_1():
    q, k = rope.draw(1, 64)
    for m, n in ((5, 2), (105, 102), (400, 397)):
        assert rope.score(q, k, m, n) == pytest.approx(2.2391108293848, abs=1e-10)
    assert rope.score(q, k, 5, 4) == pytest.approx(1.0119022088976, abs=1e-10)


def test_the_scaled_scores_known_for_seed_2026():
    q, k = rope.draw(2026, 32)
    found = [rope.score(q, k, m, n, scaled=True) for m, n in ((5, 2), (15, 12), (8, 2))]
    assert [f"{score:.3f}" for score in found] == ["0.217", "0.217", "-0.765"]


def test_a_query_keeps_its_length_at_position_77():
    q, _ = rope.draw(1, 64)
    assert np.linalg.norm(rope.turn(q, 77)) == pytest.approx(np.linalg.norm(q), rel=1e-14)


@pytest.mark.parametrize("pairing", rope.PAIRINGS)
@pytest.mark.parametrize("base", BASES)
def test_only_the_distance_counts_and_the_length_is_kept(base, pairing):
    q, k = rope.draw(3, 10)
    here = rope.score(q, k, 9, 4, base, pairing)
    assert rope.score(q, k, 1009, 1004, base, pairing) == pytest.approx(here, abs=1e-9)
    lengths = np.linalg.norm(rope.turn(q, np.arange(50), base, pairing), axis=-1)
    np.testing.assert_allclose(lengths, np.linalg.norm(q), rtol=1e-12)


def test_turning_agrees_with_complex_numbers():
    q, _ = rope.draw(4, 64)
    for position in (0, 1, 77, 5000):
        np.testing.assert_allclose(rope.turn(q, position), turned_as_complex(q, position), atol=1e-11)


def test_turning_agrees_with_the_two_models():
    import torch

    from engine import model, store

    x = np.random.default_rng(5).standard_normal((40, 32)).astype(np.float32)
    ours = rope.turn(x.astype(np.float64), np.arange(40))
    np.testing.assert_allclose(store.rope(x), ours, atol=1e-5)
    cos, sin = model.rope_tables(40, 32, 10_000.0)
    np.testing.assert_allclose(model.rotate(torch.tensor(x), cos, sin).numpy(), ours, atol=1e-4)


@pytest.mark.parametrize("pairing", rope.PAIRINGS)
@pytest.mark.parametrize("scaled", [False, True])
def test_the_curve_is_what_turning_gives_at_every_distance(pairing, scaled):
    q, k = rope.draw(6, 16)
    distances = np.arange(-30, 31)
    turned = [rope.score(q, k, 100 + d, 100, 500.0, pairing, scaled) for d in distances]
    np.testing.assert_allclose(rope.score_at(q, k, distances, 500.0, pairing, scaled), turned, atol=1e-10)


def test_the_pairings_differ_and_neighbours_are_halves_in_another_order():
    q, k = rope.draw(7, 8)
    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])
    neighbours = rope.score(q, k, 6, 2, pairing="neighbours")
    assert neighbours == pytest.approx(rope.score(q[order], k[order], 6, 2))
    assert abs(neighbours - rope.score(q, k, 6, 2)) > 1e-3


def test_the_first_pair_turns_in_6_positions_and_the_last_of_32_in_47_thousand():
    found = rope.wavelengths(64)
    assert found[0] == pytest.approx(2 * math.pi)
    assert f"{found[0]:.1f}" == "6.3"
    assert round(found[-1], -3) == 47_000
    assert len(found) == 32
    assert (np.diff(found) > 0).all()


def test_the_query_is_drawn_first_and_both_as_standard_normals():
    generator = np.random.default_rng(11)
    q, k = generator.standard_normal(12), generator.standard_normal(12)
    drawn = rope.draw(11, 12)
    np.testing.assert_array_equal(drawn[0], q)
    np.testing.assert_array_equal(drawn[1], k)


def test_moving_both_changes_the_score_of_learned_positions():
    q, k = rope.draw(1, 64)
    tables = rope.learned_tables(1024, 64)
    moved = rope.score_learned(q, k, np.arange(10, 110), np.arange(100), tables)
    assert moved.std() > 1
    one = (q + tables[0][20]) @ (k + tables[1][10])
    assert rope.score_learned(q, k, 20, 10, tables) == pytest.approx(one)
    assert moved[10] == pytest.approx(one)


def test_an_odd_width_and_an_unknown_pairing_are_refused():
    with pytest.raises(ValueError, match="even width"):
        rope.speeds(7)
    with pytest.raises(ValueError, match="'thirds'"):
        rope.pairs(np.ones(6), "thirds")
