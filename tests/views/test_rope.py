"""The RoPE page's sentences and tables: each branch with data that makes it true."""

import numpy as np
import pytest

from engine import rope
from views import rope as views


def test_the_first_checks_table_shows_equal_scores_at_equal_distances():
    q, k = rope.draw(1, 64)
    table = views.places_table(q, k, views.CHECKS["1"]["places"], False)
    assert table["distance"] == ["3", "3", "3", "1"]
    assert table["score q · k"] == ["2.239", "2.239", "2.239", "1.012"]


def test_the_second_checks_table_shows_the_three_known_scores():
    q, k = rope.draw(2026, 32)
    table = views.places_table(q, k, views.CHECKS["2026"]["places"], True)
    assert table["score q · k / √D"] == ["0.217", "0.217", "−0.765"]


@pytest.mark.parametrize("moved", ["m", "n"])
@pytest.mark.parametrize("to", [0, 3, 500, 1023])
def test_moving_both_keeps_the_distance_and_the_range(moved, to):
    m, n = views.move(400, 397, moved, to, together=True)
    assert m - n == 3
    assert 0 <= n < m <= views.LONGEST
    if 3 <= to <= 1020:
        assert (m if moved == "m" else n) == to


def test_a_slider_alone_moves_alone():
    assert views.move(5, 2, "m", 9, together=False) == (9, 2)
    assert views.move(5, 2, "n", 9, together=False) == (5, 9)


def test_moving_both_leaves_the_score_at_every_place():
    q, k = rope.draw(1, 64)
    places, difference = views.spread(q, k, 5, 2, False)
    assert places == 1021
    assert difference < 1e-11
    assert "the same" in views.spread_sentence(places, difference)


def test_a_score_that_did_change_is_not_called_the_same():
    said = views.spread_sentence(1000, 0.25)
    assert "0.25" in said
    assert "same" not in said


def test_a_distance_that_fits_once_is_not_said_to_move():
    q, k = rope.draw(1, 64)
    assert views.spread(q, k, views.LONGEST, 0, False)[0] == 1
    assert "one place only" in views.spread_sentence(1, 0.0)


@pytest.mark.parametrize(
    ("m", "n", "words"),
    [(5, 5, "same position 5"), (5, 4, "1 position before"), (5, 2, "3 positions before"), (2, 5, "3 after")],
)
def test_the_place_is_told_as_it_is(m, n, words):
    said = views.where_sentence(m, n, -0.7654)
    assert words in said
    assert "−0.765" in said


def test_beyond_training_is_said_only_there():
    assert views.beyond_sentence(511, 2, 512) == ""
    assert "that training held, but position 512 is not" in views.beyond_sentence(512, 500, 512)
    assert "Neither position 900 nor the distance 890" in views.beyond_sentence(10, 900, 512)


@pytest.mark.parametrize("distance", [-1000, -20, 0, 3, 32, 33, 511, 1023])
def test_the_point_lies_on_the_curve_that_is_shown(distance):
    q, k = rope.draw(1, 64)
    made, columns = views.curve(q, k, distance, 512, False)
    where = np.flatnonzero(columns["distance"] == distance)
    assert len(where) == 1
    assert made.data[1].y[0] == pytest.approx(columns["score"][where[0]], abs=1e-10)
    assert bool(made.layout.shapes) == (columns["distance"][-1] >= 512)


def test_the_length_is_called_the_same_only_when_it_is(monkeypatch):
    q, _ = rope.draw(1, 64)
    assert views.length_sentence(q, 77) == (
        "The query's length is 6.865009, and turned to position 77 it is 6.865009: the same."
    )
    monkeypatch.setattr(rope, "turn", lambda x, position: 2 * x)
    assert "13.730018: another" in views.length_sentence(q, 77)
