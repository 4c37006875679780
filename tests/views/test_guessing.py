"""The guessing game's sentences and pictures: every number is the measured one, every text stays text."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine import guessing
from tests.said import close, numbers
from views import guessing as guessing_view

SIZE = 40
ODD = ("<b>x</b>", "$x$", "&amp;", '"><script>', "\u202e", "", "·a")
ballots = st.dictionaries(st.integers(0, SIZE - 1), st.integers(1, 200), max_size=9)


def label(token):
    return f"<{token}>"


@given(ballots, st.integers(0, SIZE - 1))
def test_the_worth_of_votes_is_said_with_its_numbers(votes, right):
    said = guessing_view.worth(votes, right, SIZE)
    got, n = numbers("# of # vote", said)
    assert (got, n) == (votes.get(right, 0), sum(votes.values()))
    surprise = numbers("a surprise of # nats", said)[0]
    assert close(surprise, -math.log(guessing.share(votes, right, SIZE)))
    assert n == 1 or f"{int(n):,} votes" in said


@given(ballots, st.integers(0, SIZE - 1), st.sampled_from([(), (1, 2, 3, 4, 5)]))
def test_a_room_s_column_lists_the_right_token_once_and_the_most_voted_first(votes, right, choices):
    column = guessing_view.of_votes("The room", votes, right, SIZE, label, choices)
    assert [one[3] for one in column.listed].count(True) == 1
    assert sum(one[1] for one in column.listed) <= 1 + 1e-9
    counts = [int(one[2]) for one in column.listed]
    assert counts == sorted(counts, reverse=True)
    assert column.hit == (bool(votes) and votes.get(right, 0) == max(votes.values()))


@given(st.integers(0, SIZE - 1), st.integers(0, 3))
def test_a_model_s_column_holds_the_right_token_and_its_surprise(right, seed):
    expected = np.random.default_rng(seed).dirichlet(np.ones(SIZE))
    column = guessing_view.of_model("m", expected, right, label)
    assert [one[0] for one in column.listed if one[3]] == [label(right)]
    assert math.isclose(column.nats, -math.log(expected[right]))
    assert column.hit == (expected.argmax() == right)


@given(st.sampled_from(ODD), st.sampled_from(ODD))
def test_no_text_or_piece_becomes_markup(text, piece):
    made = guessing_view.so_far(text, piece)
    listed = ((piece, 0.5, "1", True),)
    made += guessing_view.beside([guessing_view.Guesser(text, listed, 0.1, True, room=True)])
    assert "<b>" not in made
    assert "<script" not in made


def test_next_to_no_surprise_is_said_so():
    rows = guessing_view.score_rows([guessing_view.Score("m", (0.0002, 0.0), 2)])
    assert rows[0][1:3] == ("0 nats", "< 0.01 nats")


def test_only_the_end_of_a_long_text_is_shown_where_there_is_little_room():
    made = guessing_view.so_far("x" * 500 + "END", most=100)
    assert "END" in made
    assert made.count("x") <= 100


scores = st.builds(
    lambda name, nats, hits: guessing_view.Score(name, tuple(nats), hits),
    st.sampled_from(["gpt-1", "gpt-4", "Sprout"]),
    st.lists(st.floats(0, 700), min_size=3, max_size=3),
    st.integers(0, 3),
)


@given(st.lists(scores, max_size=3), st.lists(st.floats(0, 20), min_size=3, max_size=3))
def test_the_standing_says_who_was_less_surprised_and_is_true(models, nats):
    mine = guessing_view.Score("The room", tuple(nats), 1, room=True)
    said = guessing_view.standing(mine, models, few=False)
    assert said.startswith("After 3 places, the room reads like a model of perplexity ")
    ahead = said.partition("more surprised than ")[2]
    behind = said.partition("less surprised than ")[2].partition("more surprised")[0]
    for one in models:
        if sum(one.nats) < sum(mine.nats):
            assert one.name in ahead
        if sum(one.nats) > sum(mine.nats):
            assert one.name in behind
    rows = guessing_view.score_rows([mine, *models])
    totals = [sum(one.nats) for one in sorted([mine, *models], key=lambda one: sum(one.nats))]
    assert len(rows) == len(models) + 1
    assert totals == sorted(totals)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
def test_where_a_piece_was_on_top_is_where_it_was(ranks):
    rows = [f"row {r}" for r in range(len(ranks))]
    said = guessing_view.first_on_top(rows, np.array(ranks), "the guess", "gpt-4")
    if ranks[-1] == 1:
        first = next(r for r in range(len(ranks)) if all(one == 1 for one in ranks[r:]))
        assert said == f"In gpt-4, the guess is on top from the row “row {first}” on."
    else:
        assert "not in the output" in said if 1 in ranks else f"at rank {min(ranks)}" in said
