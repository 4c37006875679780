"""Dials and wavelengths: the angles are those that turn the vectors, and the sentences follow the numbers."""

import math

import numpy as np
import pytest

from engine import rope
from views import rope_pairs as views
from views.mismatch import nearest_base


def test_a_dial_points_where_the_pair_of_a_vector_is_turned_to():
    x = np.concatenate((np.ones(32), np.zeros(32)))  # every pair points at 0 before it is turned
    dials = views.hands(64, 10_000.0, 77, 12)
    for position, which in ((77, "query"), (12, "key")):
        first, second = np.split(rope.turn(x, position), 2)
        angles = np.array([dial[which] for dial in dials])
        np.testing.assert_allclose(np.cos(angles), first, atol=1e-12)
        np.testing.assert_allclose(np.sin(angles), second, atol=1e-12)


def test_the_first_dial_says_6_3_positions_and_the_last_about_47_thousand():
    dials = views.hands(64, 10_000.0, 0, 0)
    assert (dials[0]["turn"], dials[-1]["turn"], len(dials)) == ("6.3", "47,117", 32)


def test_moving_both_keeps_every_angle_between_two_hands():
    def apart(m, n):
        return [(dial["query"] - dial["key"]) % (2 * math.pi) for dial in views.hands(64, 10_000.0, m, n)]

    np.testing.assert_allclose(np.cos(apart(400, 397)), np.cos(apart(5, 2)), atol=1e-12)


@pytest.mark.parametrize(
    ("m", "n", "words"),
    [
        (9, 9, "point the same way"),
        (5, 2, "none of the 32 pairs has gone round once"),
        (500, 100, "pairs have gone round at least once"),
        (500, 100, "have not moved apart by more than 10 degrees"),
    ],
)
def test_the_dials_sentence_follows_the_positions(m, n, words):
    assert words in views.hands_sentence(64, 10_000.0, m, n)


def test_with_a_small_base_all_pairs_move_apart():
    assert "all have moved apart" in views.hands_sentence(4, 2.0, 100, 0)


def test_the_pairs_that_go_round_are_counted():
    said = views.wavelength_sentence(64, 10_000.0, 512)
    lengths = [2 * math.pi * 10_000 ** (2 * i / 64) for i in range(32)]
    assert f"{sum(length <= 512 for length in lengths)} of 32 go round" in said
    assert f"{sum(length > 2048 for length in lengths)} turn by less than a quarter" in said
    assert "every 6.3 positions" in said
    assert "every 47,117" in said


def test_when_all_or_most_pairs_go_round_it_is_said():
    assert "All 4 pairs go round" in views.wavelength_sentence(8, 2.0, 512)
    assert "Every other pair still turns" in views.wavelength_sentence(4, 10_000.0, 512)


def test_the_plot_draws_every_pair_once_and_the_context():
    made, columns = views.wavelength_plot(64, 10_000.0, 512)
    drawn = np.sort(np.concatenate([trace.x for trace in made.data]))
    np.testing.assert_array_equal(drawn, np.arange(32))
    assert made.layout.shapes[0].y0 == 512
    np.testing.assert_allclose(columns["turns in 512 positions"] * columns["positions for a full turn"], 512)


@pytest.mark.parametrize(
    ("base", "pairing"), [(100_000.0, "halves"), (10_000.0, "neighbours"), (7.5, "neighbours")]
)
def test_a_switch_keeps_the_property_and_changes_the_scores(base, pairing):
    q, k = rope.draw(1, 64)
    said = views.switched_sentence(q, k, base, pairing)
    assert "Still equal scores at equal distances" in said
    table = views.switched_table(q, k, base, pairing)
    assert len(set(table["with your switches"][:3])) == 1
    assert table["as trained"] == ["2.239", "2.239", "2.239", "1.012"]
    assert table["with your switches"] != table["as trained"]
    made, columns = views.switched(q, k, base, pairing)
    assert len(made.data) == 2
    gap = np.abs(columns["as trained"] - columns["with your switches"])
    assert f"(at distance {gap.argmax()})" in said


def test_the_trained_settings_are_called_that():
    q, k = rope.draw(1, 64)
    assert "were trained with" in views.switched_sentence(q, k, 10_000.0, "halves")
    assert len(views.switched(q, k, 10_000.0, "halves")[0].data) == 1


@pytest.mark.parametrize(
    ("base", "offered"), [(90_000, 100_000), (3, 100), (2_500, 5_000), (10**9, 1_000_000)]
)
def test_the_link_to_the_mismatch_takes_the_nearest_base(base, offered):
    assert nearest_base(base) == offered
