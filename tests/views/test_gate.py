"""The gate page's sentences, each with data that makes it true."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import presets
from tests import tiny
from tests.said import close, numbers
from views import gate as gate_view


def test_the_table_shows_silu_at_the_three_points():
    table = gate_view.curve_table(1.5)
    assert table["silu"][:3] == ["−0.142", "0.000", "2.858"]
    assert table["relu"] == ["0.000", "0.000", "3.000", "1.500"]


GATES, VALUES = np.array([2.0, 0.01, -0.2, 1.0]), np.array([-3.0, 9.0, 1.0, 0.5])


def test_units_are_sorted_by_their_product():
    made, columns = gate_view.units_plot(GATES, VALUES)
    assert columns["unit"].tolist() == [3, 1, 2, 0]
    np.testing.assert_allclose(columns["product"], [0.5, 0.09, -0.2, -6])
    assert list(made.data[2].y) == columns["product"].tolist()


def test_a_snippet_marks_its_token_and_interprets_nothing():
    shown = gate_view.snippet(["<b>", "·the", "·dog", "&"], 2)
    assert shown == "&lt;b&gt; the<mark> dog</mark>&amp;"
    assert gate_view.snippet(["x"] * 50, 25).count("x") == 2 * gate_view.AROUND + 1
    assert "<script" not in gate_view.driving_html("<script>", [(0, 1.0, shown)])


def test_it_is_told_when_the_list_was_measured():
    assert gate_view.driving_origin("gpt-1", "40 stories", True).startswith("Measured beforehand")
    now = gate_view.driving_origin("gpt-1", "40 stories", False)
    assert "Measured now, over our 40 stories" in now
    assert "python -m training.units gpt-1" in now


def test_the_width_table_has_every_model():
    every = {**presets.FAMILY, "store": presets.STORE}
    table = gate_view.width_table({name: (one["d_model"], one["d_ff"]) for name, one in every.items()})
    assert len(table["model"]) == 4
    columns = gate_view.width_columns({name: (one["d_model"], one["d_ff"]) for name, one in every.items()})
    assert columns["gated: 3 · d · F"][2] == 1_179_648
    assert table["gated: 3 · d · F"][2] == table["plain, width 4d: 2 · d · 4d"][2] == "1,179,648"


def silu(a):
    return a / (1 + math.exp(-a))


@pytest.mark.parametrize("tenths", range(-60, 61))
def test_at_every_score_what_is_said_of_silu_is_so(tenths):
    a = tenths / 10
    said = gate_view.curve_sentence(a)
    s, relu = silu(a), max(a, 0.0)
    if a == 0:
        assert said == "At 0.0, silu is 0: nothing of the value is passed on."
        return
    shown = numbers("At #, silu is #:", said)
    assert shown[0] == a
    assert close(shown[1], s)
    assert ("its sign turned" in said) == (s < 0)
    size = numbers("passed on at # %", said)
    if abs(s) < 1 and size:
        assert size[0] == pytest.approx(100 * abs(s), abs=0.51)
    elif abs(s) >= 1:
        assert close(numbers("passed on at # times its size", said)[0], s)
    assert (numbers("ReLU would give # here", said) == [relu]) == (a > 0)
    assert ("ReLU is exactly 0" in said) == (relu == 0)
    assert ("nearly shut" in said) == (abs(s) < 0.05)
    if a < 0:
        lowest = min((silu(x / 1000), x / 1000) for x in range(-6000, 0))
        assert numbers("lowest is #, at #.", said) == pytest.approx(lowest, abs=0.006)
    if abs(s) < 0.05:
        assert ("near 0" in said.split("nearly shut")[1]) == (abs(a) < 0.2)
        assert ("far below" in said) == (a < -4)


def test_silus_lowest_point_is_on_the_curve():
    made, columns = gate_view.curve_plot(1.0)
    drawn = {trace.name: (trace.x[0], trace.y[0]) for trace in made.data}
    x, y = drawn["silu's lowest"]
    assert silu(x) == pytest.approx(y, abs=1e-5)
    assert min(columns["silu"]) >= y
    assert silu(x - 1e-3) > silu(x) < silu(x + 1e-3)


LAYERS = arrays(np.float64, st.just((2, 6)), elements=st.integers(-400, 400).map(lambda n: n / 100))


LAST = tiny.passes(("gate", "value")).map(lambda seen: np.stack((seen.gate[-1, -1], seen.value[-1, -1])))


@given(st.one_of(LAYERS, LAST.map(lambda layer: layer.astype(float))))
@example(np.zeros((2, 6)))
@example(np.array([[0.01, 1, 1, 1, 1, 1], [1.0, 1, 1, 1, 1, 1]]))
def test_the_units_of_a_token_are_told_as_they_are(layer):
    gates, values = layer
    said = gate_view.units_sentence(gates, values)
    shut, product = int((abs(gates) < 0.05).sum()), gates * values
    assert f"{shut} of {len(gates)} gates {'is' if shut == 1 else 'are'} nearly shut" in said
    if not product.any():
        assert "adds nothing here" in said
        return
    half = numbers("comes from # unit", said)[0]
    largest = sorted(abs(product), reverse=True)
    assert sum(largest[: int(half)]) >= 0.5 * sum(largest) - 1e-9
    assert sum(largest[: int(half) - 1]) < 0.5 * sum(largest)
    assert ("unit (" in said) == (half == 1)
    unit, gate, value, made = numbers("unit #: its gate is #, its value #, their product #.", said)
    assert abs(product[int(unit)]) == max(abs(product))
    true = gates[int(unit)], values[int(unit)], product[int(unit)]
    assert all(close(*pair) for pair in zip((gate, value, made), true, strict=True))
    assert gate_view.active_table(gates, values, 2)["unit"][0] == str(int(unit))


COUNTS = arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 7)), elements=st.integers(0, 30))


@given(COUNTS, st.data())
@example(np.array([[4, 4], [4, 4]]), None)
def test_shut_units_are_told_by_block(shut, data):
    block = data.draw(st.integers(0, len(shut) - 1)) if data else 1
    said = gate_view.shut_sentence(shut, block, 352)
    row, means = shut[block], shut.mean(-1)
    if row.min() == row.max():
        are = "is" if row[0] == 1 else "are"
        assert f"In block {block + 1}, {row[0]} of 352 units {are} nearly shut at every position" in said
    else:
        of, mean = numbers("In block #, # of 352 units are nearly shut at a position on average", said)
        assert (of, close(mean, row.mean())) == (block + 1, True)
        assert numbers("from # to #.", said) == [row.min(), row.max()]
    most = numbers("Most are in block #: # on average", said)
    assert ("In no block are there more" in said) == (len(shut) > 1 and means[block] == means.max())
    assert (most is not None) == (means[block] < means.max())
    if most:
        assert means[int(most[0]) - 1] == means.max()
        assert close(most[1], means.max())


def test_the_table_of_shut_units_has_every_block():
    shut = np.array([[10, 20], [30, 50]])
    table = gate_view.shut_table(shut, 100, np.array([28, 79]), np.array([2, 1]))
    assert (table["mean"], table["least"], table["most"]) == (["15.0", "40.0"], ["10", "30"], ["20", "50"])
    assert table["mean share of 100"] == ["15 %", "40 %"]
    assert (table["score near 0"], table["score far below"]) == (["28", "79"], ["2", "1"])


@given(arrays(np.int64, st.just((2, 3)), elements=st.integers(0, 5000)))
@example(np.zeros((2, 3), int))
@example(np.array([[1, 0, 0], [1, 0, 0]]))
def test_both_reasons_for_a_shut_gate_are_counted(counts):
    near, far = counts
    said = gate_view.why_shut_sentence(near, far)
    total = counts.sum()
    if total == 0:
        assert said == "In this text no gate is nearly shut."
        return
    assert numbers("Of all # gates", said) == [total]
    assert f"in this text, {near.sum():,} (" in said
    assert f", and {far.sum():,} (" in said
    assert (" has a score near 0" in said) == (near.sum() == 1)
    low, high, floor = [*numbers("between # and #, and", said), numbers("below #, where", said)[0]]
    for a in np.linspace(-9, 9, 3601):
        assert (abs(silu(a)) < 0.05) <= (low < a < high or a < floor + 0.01)


PRODUCTS = st.lists(st.tuples(st.integers(-900, 900), st.sampled_from("abc")), min_size=1, max_size=8)


@given(PRODUCTS)
@example([(0, "a"), (0, "b")])
@example([(5, "a"), (-3, "a")])
def test_what_drives_a_unit_is_told_as_it_is(driven):
    driven = sorted(driven, key=lambda one: -abs(one[0]))
    found = [(i, 0, product / 100) for i, (product, _) in enumerate(driven)]
    labels = [label for _, label in driven]
    said = gate_view.driving_sentence(found, labels)
    products = [product for *_, product in found]
    if not any(products):
        assert said == "In all of our texts this unit's product is 0."
        return
    both = min(products) < 0 < max(products)
    assert ("both signs" in said) == both
    assert ("same sign each time" in said) == (not both)
    strongest, last = numbers("The strongest is #, the last of the list # in absolute value", said)
    assert close(strongest, products[0])
    assert close(last, abs(products[-1]))
    often = numbers(f"In # of these {len(labels)} texts it is driven most by the same piece", said)
    counts = {label: labels.count(label) for label in labels}
    assert (often is not None) == (max(counts.values()) > max(1, len(labels) / 2))
    if often:
        piece = said.split("the same piece, ")[1][0]
        assert counts[piece] == often[0]


@given(d=st.integers(1, 2000), d_ff=st.integers(1, 9000))
@example(384, 1024)
@example(128, 352)
@example(128, 512)
@example(128, 128)
def test_both_counts_are_told(d, d_ff):
    said = gate_view.width_sentence("It", d, d_ff)
    plain, gated = 8 * d * d, 3 * d * d_ff
    assert f"plain 2 · {d} · {4 * d} = {plain:,}, gated 3 · {d} · {d_ff} = {gated:,}." in said
    assert ("exactly ⅔" in said) == (3 * d_ff == 8 * d)
    assert ("a plain layer would be larger" in said) == (gated < plain)
    if "rounded up to a multiple of 32" in said:
        assert d_ff % 32 == 0
        assert 0 < d_ff - 8 * d / 3 < 32
    times = numbers("holds # times what a plain one would", said)
    if times:
        assert close(times[0], gated / plain, digits=2)
        assert gated > plain


def test_every_nearly_shut_gate_lies_where_the_sentence_says():
    low, high, floor = gate_view.SHUT_SCORES
    for a in np.linspace(-8, 2, 100_001):
        if abs(silu(a)) < 0.05:
            assert low < a < high or a < floor
    assert [abs(silu(edge)) for edge in gate_view.SHUT_SCORES] == pytest.approx([0.05] * 3, abs=0.003)
