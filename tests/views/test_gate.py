"""The gate page's sentences, each with data that makes it true."""

import numpy as np
import pytest

from engine import presets
from views import gate as views


def test_the_table_shows_silu_at_the_three_points():
    table = views.curve_table(1.5)
    assert table["silu"][:3] == ["−0.14", "0.00", "2.86"]
    assert table["relu"] == ["0.00", "0.00", "3.00", "1.50"]


@pytest.mark.parametrize(
    ("a", "words"),
    [
        (0.0, ["At 0.0, silu is 0.000: nearly shut"]),
        (-6.0, ["nearly shut"]),
        (3.0, ["At 3.0, silu is 2.86, 95 %", "open"]),
        (-1.0, ["At −1.0, silu is −0.27: a little below 0"]),
    ],
)
def test_silu_is_told_as_it_is(a, words):
    assert all(word in views.curve_sentence(a) for word in words)


GATES, VALUES = np.array([2.0, 0.01, -0.2, 1.0]), np.array([-3.0, 9.0, 1.0, 0.5])


def test_units_are_sorted_by_their_product():
    made, columns = views.units_plot(GATES, VALUES)
    assert columns["unit"].tolist() == [3, 1, 2, 0]
    np.testing.assert_allclose(columns["product"], [0.5, 0.09, -0.2, -6])
    assert list(made.data[2].y) == columns["product"].tolist()


def test_the_most_active_unit_is_told_with_its_gate_and_value():
    said = views.units_sentence(GATES, VALUES)
    assert "1 of 4 gates are nearly shut" in said
    assert "comes from 1 unit (25 %)" in said
    assert "unit 0: its gate is 2.00, its value −3.00, their product −6.00" in said
    assert views.active_table(GATES, VALUES, 2)["unit"] == ["0", "3"]


def test_a_layer_that_lets_nothing_through_is_told():
    assert "adds nothing here" in views.units_sentence(np.zeros(4), VALUES)


def test_shut_units_are_told_by_block():
    shut = np.array([[10, 20], [30, 50]])
    said = views.shut_sentence(shut, 0, 352)
    assert "In block 1, 15.0 of 352 units" in said
    assert "from 10 to 20" in said
    assert "Most are in block 2: 40.0" in said
    assert "In no block are there more" in views.shut_sentence(shut, 1, 352)
    assert "block" not in views.shut_sentence(shut[:1], 0, 352).removeprefix("In block 1")
    table = views.shut_table(shut, 100)
    assert (table["mean"], table["least"], table["most"]) == (["15.0", "40.0"], ["10", "30"], ["20", "50"])
    assert table["mean share of 100"] == ["15 %", "40 %"]


def test_a_snippet_marks_its_token_and_interprets_nothing():
    shown = views.snippet(["<b>", "·the", "·dog", "&"], 2)
    assert shown == "&lt;b&gt; the<mark> dog</mark>&amp;"
    assert views.snippet(["x"] * 50, 25).count("x") == 2 * views.AROUND + 1
    assert "<script" not in views.driving_html("<script>", [(0, 1.0, shown)])


@pytest.mark.parametrize(
    ("products", "labels", "words"),
    [
        (
            [5.0, 4, 3],
            ["a", "a", "b"],
            ["In 2 of these 3 texts", "same piece, a", "the same sign each time"],
        ),
        ([5.0, -4, 3], ["a", "b", "c"], ["No single piece", "both signs"]),
        (
            [-5.0, -4, -3],
            ["a", "b", "c"],
            ["the same sign each time", "−5.00", "3.00 in absolute value"],
        ),
        ([0.0, 0, 0], ["a", "b", "c"], ["Nothing in our texts opens"]),
    ],
)
def test_what_drives_a_unit_is_told_as_it_is(products, labels, words):
    found = [(i, 0, product) for i, product in enumerate(products)]
    said = views.driving_sentence(found, labels)
    assert all(word in said for word in words), said


def test_it_is_told_when_the_list_was_measured():
    assert views.driving_origin("gpt-1", "40 stories", True).startswith("Measured beforehand")
    now = views.driving_origin("gpt-1", "40 stories", False)
    assert "Measured now, over our 40 stories" in now
    assert "python -m training.units gpt-1" in now


@pytest.mark.parametrize(
    ("d", "d_ff", "words"),
    [
        (384, 1024, ["3 · 384 · 1024 = 1,179,648", "exactly ⅔ of 4d"]),
        (128, 352, ["⅔ of 4d is 341.3", "rounded up to a multiple of 32"]),
        (128, 512, ["196,608", "1.5 times"]),
        (128, 128, ["below ⅔ of 4d"]),
    ],
)
def test_both_counts_are_told(d, d_ff, words):
    said = views.width_sentence("It", d, d_ff)
    assert all(word in said for word in words), said


def test_the_width_table_has_every_model():
    every = {**presets.FAMILY, "store": presets.STORE}
    table = views.width_table({name: (one["d_model"], one["d_ff"]) for name, one in every.items()})
    assert len(table["model"]) == 4
    assert table["gated: 3 · d · F"][2] == table["plain, width 4d: 2 · d · 4d"][2] == "1,179,648"
