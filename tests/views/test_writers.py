"""The sentences on who wrote a score, held against what was measured."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.attribution import Question
from tests.views.test_waterfall import measured
from views import writers


def made(attention, heads, feed_forward, score=None, **rest):
    """A Direct with these numbers: two heads a block."""
    direct, _ = measured("sprout", row=0)
    attention, feed_forward = np.array(attention, float), np.array(feed_forward, float)
    total = attention.sum() + feed_forward.sum()
    return replace(
        direct, question=Question(0, len(attention), 8), attention=attention, feed_forward=feed_forward,
        heads=np.array(heads, float), units=np.zeros((len(attention), 4)), embedding=0.0,
        score=total if score is None else score, **rest,
    )  # fmt: skip


LOST = {0: np.array([8.0, 7.9, 0.1, 0.3]), 1: np.array([9.0, 5.0, 4.0, 0.5])}
DIRECT = made([0.1, 8.0], [[0.05, 0.05], [4.5, 3.5]], [0.5, 1.0])


def test_the_part_that_wrote_most_is_named_with_its_head():
    assert writers.largest(DIRECT) == "The attention of block 2 wrote most: +8.00, head 1 alone +4.50."


def test_of_parts_written_alike_none_is_called_the_largest():
    assert writers.largest(made([2, 2], [[1, 1], [1, 1]], [0, 0])) == ""
    assert (
        writers.largest(made([2, 1], [[1, 1], [1, 0]], [0, 0]))
        == "The attention of block 1 wrote most: +2.00."
    )


def test_where_nothing_is_written_nothing_is_said():
    assert writers.largest(made([-2, -1], [[-1, -1], [-1, 0]], [-3, 0])) == ""
    assert writers.largest(made([], np.zeros((0, 2)), [])) == ""


@pytest.mark.parametrize("kind", ["sprout", "store", "untied", "parallel"])
def test_both_sums_are_told_with_their_difference(kind):
    direct, _ = measured(kind)
    total, score, off = (
        float(x.replace("−", "-").replace(",", ""))
        for x in re.findall(r"[−\d.,]*\d\.\d+", writers.sums(direct))[:3]
    )
    assert total == pytest.approx(direct.total, abs=1e-6)
    assert score == pytest.approx(direct.score, abs=1e-6)
    assert off >= 0


def test_equal_sums_are_called_equal():
    assert "they are equal" in writers.sums(DIRECT)


def test_the_silent_head_that_carries_the_score_is_named():
    assert writers.carrier(DIRECT, LOST) == "a1.1"
    said = writers.carries(DIRECT, LOST, "a1.1")
    assert said.startswith(
        "**Head 1 of block 1 writes next to nothing of it (+0.05), yet without it 7.90 of 9.60 is lost"
    )


def test_none_is_named_without_a_margin():
    near = {**LOST, 0: np.array([8.0, 7.9, 7.0, 0.3])}
    assert writers.carrier(DIRECT, near) is None  # two of them
    assert writers.carrier(DIRECT, {0: LOST[0]}) is None  # not all is measured yet
    assert (
        writers.carrier(DIRECT, {0: np.array([8.0, 1.0, 0.1, 0.3]), 1: LOST[1]}) is None
    )  # too little is lost
    writes = replace(DIRECT, heads=np.array([[3.0, 0.05], [4.5, 3.5]]))
    assert writers.carrier(writes, LOST) is None  # it writes itself
    assert writers.carrier(replace(DIRECT, score=-1.0), LOST) is None  # nothing to carry
    assert writers.carrier(made([], np.zeros((0, 2)), []), {}) is None


def test_how_many_heads_lie_near_the_line_is_counted():
    assert writers.agree(DIRECT, LOST) == (
        "For 3 of 4 heads the two figures lie within a tenth of the score of one another; "
        "the other one is off the line."
    )
    same = {b: np.array([0, *DIRECT.heads[b], 0]) for b in (0, 1)}
    assert writers.agree(DIRECT, same).startswith("For all 4 heads")
    assert writers.agree(DIRECT, {}) == ""


def test_a_difference_is_a_ratio_of_probabilities():
    assert writers.means(DIRECT, None, True) == ""
    assert writers.means(replace(DIRECT, score=np.log(20)), "**b**", True) == (
        "e to the power of 3.00 is 20.0: so many times as likely is one as the other."
    )
    assert writers.means(replace(DIRECT, score=-np.log(20)), "**b**", True).endswith(
        "as the other: **b** is ahead."
    )
    assert "as this row is read" in writers.means(DIRECT, "**b**", False)
    assert "about equally likely" in writers.means(replace(DIRECT, score=0.0), "**b**", True)
    assert "10³⁰⁰" in writers.means(replace(DIRECT, score=900.0), "**b**", True)


def test_the_question_names_what_is_asked():
    asked = writers.asked("a", "b", None, "after block 4", 8192)
    assert asked == "The score of a after b, above the mean over all 8,192 tokens, read after block 4"
    assert "above that of c" in writers.asked("a", "b", "c", "embedding", 8192)


@pytest.mark.parametrize(
    ("part", "name"),
    [("a3", "the attention of block 3"), ("f1", "the feed-forward layer of block 1"),
     ("a3.2", "head 2 of block 3"), ("f12.117", "unit 117 of block 12")],
)  # fmt: skip
def test_a_part_is_called_by_its_block(part, name):
    assert writers.called(part) == name


def test_every_point_is_a_part_with_both_figures():
    direct, lost = measured("store")
    columns = writers.point_columns(direct, lost)
    drawn = [trace for trace in writers.points(direct, lost).data if trace.mode == "markers"]
    assert sorted(x for trace in drawn for x in trace.x) == pytest.approx(sorted(columns["wrote"]))
    assert sorted(y for trace in drawn for y in trace.y) == pytest.approx(sorted(columns["lost without it"]))
    a = 3 * (2 + 2)  # three blocks: two heads and two layers each
    assert len(columns["part"]) == len(set(columns["part"])) == a


def test_the_tokens_pushed_most_are_in_order():
    rows = writers.pushed(np.array([0.5, -2.0, 3.0, 1.0, -1.0, 0.0]), str)
    assert [row[0] for row in rows] == ["2", "3", "0", "5", "4"]
    assert [row[2] for row in rows] == ["1", "4", "5", "0", "3"]
    assert rows[0][1] == "+3.00"
    assert rows[0][3] == "−2.00"
