"""Several models' streams side by side: each sentence with data that makes it true."""

from dataclasses import replace

import numpy as np
import pytest

from engine.stream import Growth
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


def told(**growths):
    return stream_models.sentence({name.replace("_", "-"): growth for name, growth in growths.items()})


def test_what_differs_is_told():
    said = told(gpt_1=SMALL, sprout=LARGE)
    assert "grows most in Sprout, 5.0 times, and least in gpt-1, 2.0 times" in said
    assert "Attention adds more than the feed-forward layers, all blocks together, in Sprout only" in said
    assert "The largest number, 60.0, is Sprout's; float16 holds them all" in said


def test_other_figures_make_other_sentences():
    said = told(store=replace(SMALL, largest=np.array([1.0, 70_000.0])), gpt_1=SMALL)
    assert "In all of them the feed-forward layers add more than attention" in said
    assert "float16 could not hold the largest numbers of the store's model" in said
    assert "holds them all" not in said
    swapped = replace(SMALL, attention_added=SMALL.feed_forward_added, feed_forward_added=np.array([1.0]))
    assert "In all of them attention adds more" in told(gpt_1=swapped, sprout=LARGE)
    shrinking = replace(SMALL, length=np.array([4.0, 1.0]))
    assert "ends shorter than it began" in told(gpt_1=shrinking, store=shrinking)
    assert "grows" not in told(gpt_1=shrinking, store=shrinking)


def test_a_model_alone_is_not_compared():
    said = told(gpt_1=SMALL)
    assert "Only gpt-1 is here: its stream ends 2.0 times as long" in said
    assert "least" not in said
    assert "of them the" not in said
