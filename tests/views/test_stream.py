"""The stream page's sentences, each with data that makes it true."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import stream
from engine.stream import Growth
from tests import tiny
from tests.said import close, numbers
from views import stream as stream_view

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


def test_the_table_holds_everything_that_is_drawn():
    table = stream_view.columns(GROWTH)
    assert {len(values) for values in table.values()} == {3}
    for draw in (stream_view.added_plot, stream_view.numbers_plot, stream_view.direction_plot):
        for trace in draw(GROWTH).data:
            assert any(list(trace.y) == values[-len(trace.y) :] for values in table.values())


def test_the_limit_of_float16_is_drawn():
    assert stream_view.numbers_plot(GROWTH).layout.shapes[0].y0 == 65_504


@st.composite
def streams(draw):
    """A pass of three blocks at most, with streams of 4 dimensions, by chance also silent or huge."""
    L, T = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    scale = draw(st.sampled_from([0.01, 1.0, 30_000.0]))
    elements = st.integers(-9, 9).map(lambda n: n * scale)
    added = draw(arrays(np.float64, (2, L, T, 4), elements=elements))
    start = draw(arrays(np.float64, (1, T, 4), elements=st.integers(1, 9).map(lambda n: n * scale)))
    rows = np.concatenate((start, start + added.sum(0).cumsum(0)))
    return SimpleNamespace(streams=rows, attention_added=added[0], feed_forward_added=added[1])


def mean_length(vectors):
    return np.sqrt((vectors.astype(float) ** 2).sum(-1)).mean(-1)


@given(st.one_of(streams(), tiny.passes()))
def test_the_growth_and_the_largest_addition_are_told(trace):
    said = stream_view.added_sentence(stream.measure(trace))
    lengths, attention = mean_length(trace.streams), mean_length(trace.attention_added)
    feed_forward = mean_length(trace.feed_forward_added)
    entering, times, leaving = numbers("a length of # and leaves # times as long, #.", without_only(said))
    assert close(entering, lengths[0])
    assert close(times, lengths[-1] / lengths[0], 2)
    assert close(leaving, lengths[-1])
    assert ("leaves only" in said) == (lengths[-1] < lengths[0])
    block, size = numbers("in block #: #,", said)
    by = attention if "addition is attention's" in said else feed_forward
    assert close(size, by[int(block) - 1])
    assert close(size, max(attention.max(), feed_forward.max()))
    more, L = int((feed_forward > attention).sum()), len(attention)
    if L == 1:
        assert ("adds more than attention" in said) == (more == 1)
    elif more in (0, L):
        assert f"In every block the feed-forward layer adds {'more' if more else 'no more'} than" in said
    else:
        assert numbers("more than attention in # of # blocks", said) == [more, L]


def without_only(said):
    return said.replace("leaves only", "leaves")


@given(st.one_of(streams(), tiny.passes()))
def test_the_largest_number_is_told_with_its_place(trace):
    said = stream_view.numbers_sentence(stream.measure(trace), "“x”")
    size = np.abs(trace.streams.astype(float))
    top, T = size.max(), size.shape[1]
    assert close(numbers("The largest number, #, stands", said)[0], top)
    row = numbers("after block #,", said)
    row = int(row[0]) if row else 0
    dimension = int(numbers("in dimension #;", said)[0])
    assert size[row, :, dimension].max() == top
    with np.errstate(over="ignore"):
        assert ("could not hold it" in said) == (top > 65_504) == bool(np.isinf(np.float16(top)))
    room = numbers("up to 65,504, # times as much", said)
    assert room is None or close(room[0], 65_504 / top, 2)
    winners = np.bincount(size[row].argmax(-1), minlength=4)
    if T == 1:
        assert "In that row" not in said
    elif winners[dimension] == winners.max():
        assert numbers("the largest number of # of # tokens", said) == [winners[dimension], T]
    else:
        here, all_, other, there = numbers(
            f"dimension {dimension} holds the largest number of # of # tokens, dimension # that of #.", said
        )
        assert (here, all_) == (winners[dimension], T)
        assert there == winners[int(other)] == winners.max()
        assert here < T / 2  # "for most of the others"


@given(st.one_of(streams(), tiny.passes()))
def test_the_turns_are_told_as_they_are(trace):
    growth = stream.measure(trace)
    said, cosine = stream_view.direction_sentence(growth), growth.cosine
    shown = numbers("a mean cosine of # (#°)", said)
    assert close(shown[0], cosine.min())
    assert shown[1] == pytest.approx(np.degrees(np.arccos(np.clip(cosine.min(), -1, 1))), abs=0.51)
    if len(cosine) > 1:
        assert cosine[int(numbers("Block # turns the vectors most", said)[0]) - 1] == cosine.min()
        least, size, _ = numbers("Block # turns them least: # (#°)", said)
        assert cosine[int(least) - 1] == cosine.max()
        assert close(size, cosine.max())
    assert ("against the old direction" in said) == (cosine.min() < 0)


@given(st.integers(1, 3000))
def test_what_was_read_is_counted(tokens):
    said = stream_view.what_was_read(tokens, None)
    assert f"Means over {tokens:,} {'token' if tokens == 1 else 'tokens'} of this text" in said
    assert "of our 40 stories" in stream_view.what_was_read(tokens, "40 stories")
