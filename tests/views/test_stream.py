"""The stream page's sentences, each with data that makes it true."""

from dataclasses import replace

import numpy as np
import pytest

from engine.stream import Growth
from views import stream as views

GROWTH = Growth(
    tokens=10,
    attention_added=np.array([1.0, 2.0]),
    feed_forward_added=np.array([3.0, 1.0]),
    length=np.array([2.0, 4.0, 5.0]),
    rms=np.array([0.2, 0.4, 0.5]),
    cosine=np.array([0.5, 0.8]),
    largest=np.array([0.9, 7.0, 6.0]),
    place=np.array([[0, 1, 3], [0, 4, 2], [0, 4, 2]]),
    held=np.array([[4, 3, 2, 1], [1, 2, 7, 0], [0, 0, 10, 0]]),
)


def test_the_largest_addition_and_the_growth_are_told():
    said = views.added_sentence(GROWTH)
    assert "enters with a length of 2.00 and leaves 2.5 times as long, 5.00" in said
    assert "the feed-forward layer's in block 1: 3.00, 1.5 times" in said
    assert "in 1 of 2 blocks" in said


@pytest.mark.parametrize(
    ("attention", "feed_forward", "words"),
    [
        (
            [5.0, 2],
            [3, 1],
            ["attention's in block 1", "Attention adds more than the feed-forward layer in every block"],
        ),
        ([1.0, 2], [3, 9], ["the feed-forward layer's in block 2: 9.00, 2.2", "in every block"]),
    ],
)
def test_the_part_that_adds_more_is_named(attention, feed_forward, words):
    growth = replace(GROWTH, attention_added=np.array(attention), feed_forward_added=np.array(feed_forward))
    assert all(word in views.added_sentence(growth) for word in words)


def test_a_stream_that_shrinks_is_not_said_to_grow():
    assert "leaves only 0.50 times as long" in views.added_sentence(
        replace(GROWTH, length=np.array([2.0, 4, 1]))
    )


def test_the_largest_number_is_told_with_its_place():
    said = views.numbers_sentence(GROWTH, "“x”")
    assert "7.00, stands after block 1, at the token “x”, in dimension 2" in said
    assert "up to 65,504, 9,358 times as much" in said
    assert "same dimension holds the largest number of 70 %" in said


def test_a_lone_outlier_is_told_apart_from_the_usual_dimension():
    held = np.array([[4, 3, 2, 1], [6, 2, 2, 0], [0, 0, 10, 0]])
    said = views.numbers_sentence(replace(GROWTH, held=held), "“x”")
    assert "one token's" in said
    assert "dimension 0 holds the largest number most often, for 60 %" in said


def test_a_number_beyond_float16_is_said_not_to_fit():
    said = views.numbers_sentence(replace(GROWTH, largest=np.array([0.9, 70_000.0, 6])), "“x”")
    assert "could not hold it" in said
    assert "in the embedding" in views.numbers_sentence(replace(GROWTH, largest=np.array([9.0, 7, 6])), "“x”")


@pytest.mark.parametrize(
    ("cosine", "words"),
    [
        (
            [0.5, 0.8],
            ["Block 1 turns the vectors most, by about 60°", "block 2 least (cosine 0.800)", "right angle"],
        ),
        ([0.95, 0.99], ["All cosines are above 0.9"]),
        ([0.5, -0.5], ["Block 2", "120°", "against the old direction"]),
        ([0.5], ["The only block turns the vectors by about 60°"]),
    ],
)
def test_the_turns_are_told_as_they_are(cosine, words):
    said = views.direction_sentence(replace(GROWTH, cosine=np.array(cosine)))
    assert all(word in said for word in words), said


def test_the_table_holds_everything_that_is_drawn():
    table = views.columns(GROWTH)
    assert {len(values) for values in table.values()} == {3}
    for draw in (views.added_plot, views.numbers_plot, views.direction_plot):
        for trace in draw(GROWTH).data:
            assert any(list(trace.y) == values[-len(trace.y) :] for values in table.values())


def test_the_limit_of_float16_is_drawn():
    assert views.numbers_plot(GROWTH).layout.shapes[0].y0 == 65_504
