"""The grid of what comes back, and its sentences, held against the numbers."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from views import patch_grid as grid

NAMES = grid.row_names("stream", 3, 2)
PIECES = ["<|end|>", "a", "b", "c", "d"]
BACK = np.array([[0, 1, 0, 0, 0], [0, 0.9, 0.3, 0, 0.1], [0, 0.4, 0.2, 0, 0.6], [0, 0, 0, 0, 1.0]])


def label(place):
    return f"<{place}>"


def test_rows_are_named_by_what_is_put_in():
    assert NAMES == ["embedding", "after block 1", "after block 2", "after block 3"]
    assert grid.row_names("attention", 2, 2) == ["block 1, attention", "block 2, attention"]
    assert grid.row_names("feed-forward", 1, 2) == ["block 1, feed-forward"]
    assert grid.row_names("head", 9, 2, 3) == ["block 4, head 1", "block 4, head 2"]


@given(arrays(float, (2, 3), elements=st.floats(-40, 40)))
def test_a_cell_is_coloured_by_what_it_says(back):
    cells = grid.data(["x", "y"], *[["a", "b", "c"]] * 2, back, "")["cells"]
    for (said, place, beyond), value in zip(cells, back.ravel(), strict=True):
        number = float(said.replace("−", "-"))
        assert number == pytest.approx(value, abs=0.00501)
        assert 0 <= place <= 1
        assert beyond == (number < 0 or number > 1)


def test_what_is_not_measured_is_empty():
    data = grid.data(["x"], ["a", "b"], ["a", "c"], np.array([[np.nan, 0.0]]), "")
    assert data["cells"][0] is None
    assert data["cells"][1][0] == "0"
    assert [one["differs"] for one in data["columns"]] == [False, True]


def test_the_way_of_the_answer_is_told_row_by_row():
    assert grid.ways(NAMES, BACK, [1], label) == [
        "At the changed token at least half of the answer comes back down to the row “after block 1”.",
        "At the last token at least half comes back from the row “after block 2” on.",
        "Of the other tokens <2> (token 2) brings back most: 0.30, in the row “after block 1”.",
    ]


def test_a_row_alone_is_called_so_and_no_row_is_left_out():
    back = BACK.copy()
    back[1:3] = 0
    assert grid.ways(NAMES, back, [1], label) == [
        "At the changed token at least half of the answer comes back in the row “embedding”.",
        "At the last token at least half comes back in the row “after block 3” alone.",
    ]
    assert grid.ways(NAMES, back * 0, [1], label) == []
    assert "one of the changed tokens" in grid.ways(NAMES, BACK, [1, 2], label)[0]


def test_a_changed_last_token_is_told_as_one():
    back = np.zeros((4, 5))
    back[:, 4] = 1
    assert grid.ways(NAMES, back, [4], label) == [
        "The last token is the changed one, so all comes back there in every row."
    ]
    assert grid.ways(NAMES, np.ones((4, 1)), [0], label)[0].startswith("The last token is the changed one")


def test_where_half_comes_back_in_every_row_the_ends_are_named():
    said = grid.ways(NAMES, np.ones((4, 5)), [1], label)
    assert "down to the row “after block 3”" in said[0]
    assert "from the row “embedding” on" in said[1]


def test_a_gap_ends_a_run_of_rows():
    back = BACK.copy()
    back[:, 1] = [1, 0.4, 0.9, 0]
    assert "in the row “embedding”" in grid.ways(NAMES, back, [1], label)[0]


def test_the_strongest_addition_is_named_or_none_is():
    back = np.array([[0, 0.2], [0.7, 0.1]])
    names = grid.row_names("head", 2, 2, 0)
    assert grid.strongest(names, back, label) == "Most comes back by block 1, head 2 at <0> (token 0): 0.70."
    assert "No single addition" in grid.strongest(names, back * 0, label)


def test_values_outside_are_told_only_where_there_are_some():
    assert grid.beyond(BACK) == ""
    assert grid.beyond(np.array([-0.2, 1.0])).startswith("The lowest value is −0.20")
    assert "The highest is 1.30" in grid.beyond(np.array([0, 1.3]))


def test_a_guess_is_set_beside_the_most_of_its_row():
    assert grid.guessed(NAMES, BACK, (2, 1), label) == (
        "You marked <1> in the row “after block 2”: **0.40** comes back there; "
        "in that row most comes back at <4> (token 4): 0.60."
    )
    assert grid.guessed(NAMES, BACK, (2, 4), label).endswith(
        "**0.60** comes back there, the most of that row."
    )


def test_both_gaps_are_told_with_their_signs():
    said = grid.gaps(("**x**", "**y**"), (1.5, -2.0))
    assert "**+1.50** after the first text, **−2.00** after the second" in said


@given(st.lists(st.integers(0, 3), max_size=8), st.lists(st.integers(0, 3), max_size=8))
def test_texts_are_lined_up_at_their_common_ends(first, second):
    left, right = grid.differing(first, second)
    kept = [
        [x for i, x in enumerate(one) if i not in set(gone)] for one, gone in ((first, left), (second, right))
    ]
    if len(first) == len(second):
        assert left == right == [i for i in range(len(first)) if first[i] != second[i]]
    else:
        assert kept[0] == kept[1]
        assert not left or left == list(range(left[0], left[-1] + 1))


def test_odd_tokens_are_shown_as_they_are():
    odd = ["<b>", "$x$", "&lt;", "\u202e"]
    html = grid.lined_up(odd, odd, ([0], []))
    assert "&lt;b&gt;" in html
    assert "<b>&lt;" not in html
    assert re.findall('class="differs"', html) == ['class="differs"']
    assert "&lt;b&gt;" in grid.candidates(odd, [0.5, 0.2, 0.1, 0.0], "'")


def test_the_table_holds_the_grid():
    found = grid.columns(NAMES, PIECES, BACK)
    assert found["row"] == NAMES
    assert len(found) == 6
    assert found["4: d"].tolist() == BACK[:, 4].tolist()
