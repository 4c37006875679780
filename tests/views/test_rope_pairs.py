"""Dials and wavelengths: the angles are those that turn the vectors, and the sentences follow the numbers."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import rope
from tests.said import close, numbers
from views import rope_pairs
from views.mismatch import nearest_base


def test_a_dial_points_where_the_pair_of_a_vector_is_turned_to():
    x = np.concatenate((np.ones(32), np.zeros(32)))  # every pair points at 0 before it is turned
    dials = rope_pairs.hands(64, 10_000.0, 77, 12)
    for position, which in ((77, "query"), (12, "key")):
        first, second = np.split(rope.turn(x, position), 2)
        angles = np.array([dial[which] for dial in dials])
        np.testing.assert_allclose(np.cos(angles), first, atol=1e-12)
        np.testing.assert_allclose(np.sin(angles), second, atol=1e-12)


def test_the_first_dial_says_6_3_positions_and_the_last_about_47_thousand():
    dials = rope_pairs.hands(64, 10_000.0, 0, 0)
    assert (dials[0]["turn"], dials[-1]["turn"], len(dials)) == ("6.3", "47,117", 32)


def test_moving_both_keeps_every_angle_between_two_hands():
    def apart(m, n):
        return [
            (dial["query"] - dial["key"]) % (2 * math.pi) for dial in rope_pairs.hands(64, 10_000.0, m, n)
        ]

    np.testing.assert_allclose(np.cos(apart(400, 397)), np.cos(apart(5, 2)), atol=1e-12)


def test_the_plot_draws_every_pair_once_and_the_context():
    made, columns = rope_pairs.wavelength_plot(64, 10_000.0, 512)
    drawn = np.sort(np.concatenate([trace.x for trace in made.data]))
    np.testing.assert_array_equal(drawn, np.arange(32))
    assert made.layout.shapes[0].y0 == 512
    np.testing.assert_allclose(columns["turns in 512 positions"] * columns["positions for a full turn"], 512)


def test_the_trained_settings_are_called_that():
    q, k = rope.draw(1, 64)
    assert "were trained with" in rope_pairs.switched_sentence(q, k, 10_000.0, "halves")
    assert len(rope_pairs.switched(q, k, 10_000.0, "halves")[0].data) == 1


@pytest.mark.parametrize(
    ("base", "offered"), [(90_000, 100_000), (3, 100), (2_500, 5_000), (10**9, 1_000_000)]
)
def test_the_link_to_the_mismatch_takes_the_nearest_base(base, offered):
    assert nearest_base(base) == offered


WIDTHS, BASE = st.sampled_from([2, 8, 32, 64]), st.floats(2, 1e7)
PLACES = st.integers(0, 1023)


def turns(width, base, distance):
    """How many full turns each pair makes over a distance, by the vectors that are really turned."""
    angle = [distance * base ** (-2 * i / width) for i in range(width // 2)]
    return np.array(angle) / (2 * math.pi)


@given(width=WIDTHS, base=BASE, m=PLACES, n=PLACES)
@example(width=64, base=10_000.0, m=5, n=2)
def test_the_dials_sentence_counts_the_pairs(width, base, m, n):
    said = rope_pairs.hands_sentence(width, base, m, n)
    if m == n:
        assert "in every dial the two hands point the same way" in said
        return
    made = turns(width, base, abs(m - n))
    go = numbers(f", # of the {width // 2} pairs go", said)[0]
    turn = numbers("at least once, and # turn", said)[0]
    assert go == pytest.approx((made >= 1).sum(), abs=int(np.isclose(made, 1).any()))
    assert turn == pytest.approx((made <= 10 / 360).sum(), abs=int(np.isclose(made, 10 / 360).any()))
    assert ("pairs goes" in said) == (go == 1)
    assert ("and 1 turns by" in said) == (turn == 1)


@given(width=WIDTHS, base=BASE, context=st.sampled_from([160, 512]))
@example(width=64, base=10_000.0, context=512)
@example(width=32, base=10_000.0, context=160)
@example(width=8, base=2.0, context=512)
@example(width=2, base=2.0, context=160)
def test_pairs_are_counted_by_how_far_they_turn_in_a_text(width, base, context):
    said = rope_pairs.wavelength_sentence(width, base, context, "Sprout")
    made, total = turns(width, base, context), width // 2
    fast, slow = int((made >= 1).sum()), int((made < 0.25).sum())
    if fast == total:
        assert f"All {total} pairs go round" in said
        return
    assert f"{fast} of {total} {'goes' if fast == 1 else 'go'} round at least once" in said
    between = total - fast - slow
    word = "turns" if between == 1 else "turn"
    assert (f"{between} {word} by a quarter or more, but less than once" in said) == (between > 0)
    assert (f"{slow} {'turns' if slow == 1 else 'turn'} by less than a quarter" in said) == (slow > 0)


def test_the_first_pair_turns_every_6_3_positions_and_the_last_of_32_every_47_thousand():
    said = rope_pairs.wavelength_sentence(64, 10_000.0, 512, "Sprout")
    assert numbers("once every # positions, the last once every #.", said) == [6.3, 47117]


@given(base=BASE, pairing=st.sampled_from(rope.PAIRINGS), seed=st.integers(0, 20))
@example(base=10_000.0, pairing="neighbours", seed=1)
@example(base=10_000.001, pairing="halves", seed=1)
@example(base=100_000.0, pairing="halves", seed=1)
def test_a_switch_keeps_the_property_and_changes_the_scores(base, pairing, seed):
    q, k = rope.draw(seed, 64)
    said = rope_pairs.switched_sentence(q, k, base, pairing)
    assert said[0].isupper()
    _, columns = rope_pairs.switched(q, k, base, pairing)
    gap = np.abs(columns["as trained"] - columns["with your switches"])
    if base == 10_000 and pairing == "halves":
        assert "were trained with" in said
        return
    assert "Still equal scores at equal distances" in said
    scores = [rope.score(q, k, m, n, base, pairing) for m, n in ((5, 2), (105, 102), (400, 397))]
    assert max(scores) - min(scores) < 1e-9
    shown = numbers("by up to # (at distance #)", said)
    if shown is None:
        assert "no score of this figure differs by as much as 0.001" in said
        assert gap.max() < 0.001
        return
    assert close(shown[0], gap.max())
    assert gap[int(shown[1])] == gap.max()


def test_the_switched_table_shows_both():
    table = rope_pairs.switched_table(*rope.draw(1, 64), 100_000.0, "halves")
    assert len(set(table["with your switches"][:3])) == 1
    assert table["as trained"] == ["2.239", "2.239", "2.239", "1.012"]
    assert table["with your switches"] != table["as trained"]
