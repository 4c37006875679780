"""Several models' streams side by side: each sentence with data that makes it true."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import families, presets
from engine.stream import Growth
from tests.said import close, numbers
from views import stream, stream_models

SMALL = Growth(
    tokens=10,
    attention_added=np.array([1.0]),
    feed_forward_added=np.array([3.0]),
    length=np.array([2.0, 4.0]),
    rms=np.array([0.2, 0.4]),
    cosine=np.array([0.5]),
    largest=np.array([0.9, 7.0]),
    place=np.array([[0, 1, 3], [0, 4, 2]]),
    held=np.array([[4, 3, 2, 1], [1, 2, 7, 0]]),
)
LARGE = Growth(
    tokens=1200,
    attention_added=np.array([1.0, 9.0]),
    feed_forward_added=np.array([3.0, 1.0]),
    length=np.array([2.0, 4.0, 10.0]),
    rms=np.array([0.2, 0.4, 1.0]),
    cosine=np.array([0.9, 0.25]),
    largest=np.array([0.9, 7.0, 60.0]),
    place=np.array([[0, 1, 3], [0, 4, 2], [0, 4, 1]]),
    held=np.array([[4, 3, 2, 1], [1, 2, 7, 0], [0, 0, 10, 0]]),
)
BOTH = {"gpt-1": SMALL, "sprout": LARGE}


@pytest.mark.parametrize("measure", stream_models.MEASURES)
@pytest.mark.parametrize("dark", [False, True])
def test_every_model_is_a_line_that_ends_where_the_model_does(measure, dark):
    made = stream_models.plot(BOTH, measure, dark)
    for trace, growth in zip(made.data, BOTH.values(), strict=True):
        values = stream.columns(growth)[stream_models.MEASURES[measure]]
        assert list(trace.y) == [value for value in values if value is not None]
        assert trace.x[-1] == len(growth.cosine)
        assert trace.x[0] == (values[0] is None)
    assert made.data[0].line.dash != made.data[1].line.dash
    assert bool(made.layout.shapes) == (measure == "largest")


def test_a_measure_that_reaches_zero_is_not_drawn_on_a_logarithmic_axis():
    silent = replace(SMALL, attention_added=np.zeros(1))
    assert stream_models.plot({"gpt-1": silent}, "attention").layout.yaxis.type != "log"
    assert stream_models.plot(BOTH, "attention").layout.yaxis.type == "log"


def test_the_columns_hold_every_row_of_every_model():
    table = stream_models.columns(BOTH)
    assert table["model"] == ["gpt-1"] * 2 + ["Sprout"] * 3
    assert table["length of the stream"] == [2.0, 4.0, 2.0, 4.0, 10.0]
    assert table["attention adds"] == [None, 1.0, None, 1.0, 9.0]
    assert {len(values) for values in table.values()} == {5}


def test_the_table_holds_the_ends_of_each_stream():
    table = stream_models.table(BOTH)
    assert table["length"] == ["2.00 → 4.00", "2.00 → 10.0"]
    assert table["root mean square"] == ["0.200 → 0.400", "0.200 → 1.00"]
    assert table["largest number"] == ["7.00", "60.0"]
    assert table["least cosine"] == ["0.500, block 1", "0.250, block 2"]


@st.composite
def growths(draw):
    """One to four models, each with lengths, additions and largest numbers of its own."""
    names = draw(st.lists(st.sampled_from(list(presets.NAMES)), min_size=1, max_size=4, unique=True))
    found = {}
    for name in names:
        a, f, first, last, top = (draw(st.integers(1, 400)) / 10 for _ in range(5))
        huge = draw(st.sampled_from([1, 5000]))
        found[name] = replace(
            SMALL,
            attention_added=np.array([a]),
            feed_forward_added=np.array([f]),
            length=np.array([first, last]),
            largest=np.array([0.1, top * huge]),
            tokens=draw(st.integers(1, 900)),
        )
    return found


@given(growths())
@example({"gpt-1": SMALL, "gpt-4": SMALL})
def test_what_differs_between_models_is_told_as_it_is(models):
    said = stream_models.sentence(models)
    times = {name: one.length[-1] / one.length[0] for name, one in models.items()}
    title = {name: families.title(name).replace("The ", "the ") for name in models}
    if len(models) == 1:
        assert close(numbers("its stream ends # times as long", said)[0], *times.values(), 2)
    else:
        most, least = numbers("multiplied by # in", said)[0], numbers("and by # in", said)[0]
        assert close(most, max(times.values()), 2)
        assert close(least, min(times.values()), 2)
        assert any(
            f"in {title[name]}, the most" in said for name in times if times[name] == max(times.values())
        )
        assert any(
            f"in {title[name]}, the least" in said for name in times if times[name] == min(times.values())
        )
    more = [name for name, one in models.items() if one.attention_added.sum() > one.feed_forward_added.sum()]
    assert ("attention adds no more than" in said) == (not more)
    assert ("attention adds more than" in said) == (len(more) == len(models))
    if 0 < len(more) < len(models):
        named = said.split("all blocks together, in ")[1].split(" only")[0]
        assert {name for name in models if title[name] in named} == set(more)
    beyond = {name for name, one in models.items() if one.largest.max() > 65_504}
    assert ("could not hold" in said) == bool(beyond)
    if beyond:
        named = said.split("largest numbers of ")[1]
        assert {name for name in models if title[name] in named} == beyond
    else:
        top = max(models, key=lambda name: models[name].largest.max())
        assert close(numbers("The largest number, #, stands", said)[0], models[top].largest.max())
    tokens = sorted({one.tokens for one in models.values()})
    read = stream_models.what_was_read(models)
    assert all(f"{n:,} {'token' if n == 1 else 'tokens'}" in read for n in tokens)


def test_each_model_is_said_to_read_texts_of_its_own_kind():
    said = stream_models.whose_texts(["gpt-1", "gpt-4", "store"], averaged=True)
    assert said == "gpt-1 and gpt-4 are measured on our stories, the store's model on our products."
    said = stream_models.whose_texts(["store", "gpt-1"], averaged=False)
    assert said.startswith("The store's model reads the chosen product, gpt-1 reads the chosen story")
