"""The RoPE page's sentences and tables: each branch with data that makes it true."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import rope
from tests.said import numbers
from views import rope as rope_view


def test_the_first_checks_table_shows_equal_scores_at_equal_distances():
    q, k = rope.draw(1, 64)
    table = rope_view.places_table(q, k, rope_view.CHECKS["1"]["places"], False)
    assert table["distance"] == ["3", "3", "3", "1"]
    assert table["score q · k"] == ["2.239", "2.239", "2.239", "1.012"]


def test_the_second_checks_table_shows_the_three_known_scores():
    q, k = rope.draw(2026, 32)
    table = rope_view.places_table(q, k, rope_view.CHECKS["2026"]["places"], True)
    assert table["score q · k / √D"] == ["0.217", "0.217", "−0.765"]


@pytest.mark.parametrize("distance", [-1000, -20, 0, 3, 32, 33, 511, 1023])
def test_the_point_lies_on_the_curve_that_is_shown(distance):
    q, k = rope.draw(1, 64)
    made, columns = rope_view.curve(q, k, distance, 512, False)
    where = np.flatnonzero(columns["distance"] == distance)
    assert len(where) == 1
    assert made.data[1].y[0] == pytest.approx(columns["score"][where[0]], abs=1e-10)
    assert bool(made.layout.shapes) == (columns["distance"][-1] >= 512)


PLACES = st.integers(0, rope_view.LONGEST)


@given(m=PLACES, n=PLACES)
def test_where_query_and_key_stand_is_told_as_it_is(m, n):
    said = rope_view.where_sentence(m, n, -0.7654)
    assert "−0.765" in said
    if m == n:
        assert numbers("the same position #,", said) == [m]
        return
    unit = "position" if abs(m - n) == 1 else "positions"
    assert numbers(f"stands # {unit} {'before' if m > n else 'after'} the query", said) == [abs(m - n)]
    assert ("no token looks ahead" in said) == (n > m)


@given(m=PLACES, n=PLACES, context=st.sampled_from([160, 512]))
@example(m=600, n=597, context=512)
@example(m=512, n=0, context=512)
@example(m=511, n=0, context=512)
def test_only_what_training_did_not_hold_is_called_new(m, n, context):
    said = rope_view.beyond_sentence(m, n, context, "Sprout")
    met = set(range(context))  # from 0 to context - 1
    if m < context or n > m:
        assert said == ""
    elif m - n in met:
        assert numbers("no query of its stood at #;", said) == [m]
        assert numbers("but two tokens stood # position", said) == ([m - n] if m > n else None)
        assert ("met its own key" in said) == (m == n)
        assert "the score is the same here" in said
        q, k = rope.draw(1, 64)
        assert rope.score(q, k, m, n) == pytest.approx(rope.score(q, k, m - n, 0), abs=1e-9)
        assert numbers("only keys # positions back and more", said) == [min(set(range(m + 1)) - met)]
    else:
        assert numbers("no distance above #, and # is one", said) == [max(met), m - n]


@given(m=PLACES, n=PLACES, seed=st.integers(0, 99))
def test_both_lengths_are_kept_and_told(m, n, seed):
    q, k = rope.draw(seed, 32)
    said = rope_view.length_sentence(q, k, m, n)
    for name, vector, place in (("query", q, m), ("key", k, n)):
        shown = numbers(f"{name}'s length is #, and turned to position # it is #: the same", said)
        length = np.sqrt((vector**2).sum())
        assert shown == pytest.approx([length, place, length], abs=1e-6)


def test_a_length_that_changes_is_not_called_the_same(monkeypatch):
    monkeypatch.setattr(rope, "turn", lambda x, position: 2 * x if position == 7 else x)
    said = rope_view.length_sentence(*rope.draw(1, 64), 5, 7)
    assert said.count(": the same") == said.count(": another") == 1
    assert said.index("the same") < said.index("another")


def test_without_a_longest_text_nothing_is_tinted():
    query, key = rope.draw(1, 64)
    assert rope_view.curve(query, key, 700, 512, False)[0].layout.shapes
    assert not rope_view.curve(query, key, 700, None, False)[0].layout.shapes
