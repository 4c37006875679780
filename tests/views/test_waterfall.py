"""The waterfall: every bar begins where the one before ended, and what is opened sums to its part."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import attribution, patching
from engine.attribution import Question
from tests import every_family
from views import waterfall
from views.waterfall import SUM, signed

ODD = (
    "",
    "\u202eabc\x00",
    "🙂" * 9,
    "$x$ <|end|> [a](b) <b>",
    "!!! !!! !!!",
    "One day Zorbin Plax met Zorbin",
)


def measured(kind, text="One day Zorbin met", row=3, token=-1):
    model = every_family.model(kind)
    trace = engine.run(model, every_family.ids_of(model, text), attribution.keep(model))
    asked = Question(range(len(trace.ids))[token], row, 8)
    direct = attribution.direct(model, trace, asked)
    return direct, {block: patching.left_out(model, trace, asked, block) for block in range(row)}


def opened(direct):
    """All that can be opened."""
    n = len(direct.attention)
    return ["", "embedding", *(f"{kind}{b + 1}" for b in range(n) for kind in "af")]


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(every_family.KINDS), st.sampled_from(ODD), st.integers(0, 3))
def test_every_bar_begins_where_the_one_before_ended(kind, text, row):
    direct, lost = measured(kind, text, row)
    for part in opened(direct):
        found = waterfall.rows(direct, part, lost)
        outer = [one for one in found if not one.inner and one.id != SUM]
        ends = np.cumsum([one.wrote for one in outer])
        np.testing.assert_allclose([one.before for one in outer], [0, *ends[:-1]], atol=1e-9)
        assert ends[-1] == pytest.approx(direct.total)
        assert found[-1].id == SUM


@pytest.mark.parametrize("kind", every_family.KINDS)
def test_what_is_opened_sums_to_its_part(kind):
    direct, lost = measured(kind)
    for part in opened(direct)[2:]:
        found = waterfall.rows(direct, part, lost)
        inner = [one for one in found if one.inner]
        whole = next(one for one in found if one.id == part)
        if not inner:
            assert (kind, part[0]) == ("parallel", "f")  # its units can't be told
            continue
        assert sum(one.wrote for one in inner) == pytest.approx(whole.wrote, abs=1e-6)
        assert inner[0].before == whole.before


def test_a_head_s_row_holds_its_own_loss():
    direct, lost = measured("sprout")
    found = {one.id: one for one in waterfall.rows(direct, "a2", lost)}
    assert found["a2.1"].lost == lost[1][1]
    assert found["a2"].lost == lost[1][0]
    assert found["f2"].lost == lost[1][-1]
    assert waterfall.rows(direct)[1].lost is None


def test_biases_have_rows_where_there_are_biases():
    assert {"norm-bias", "output-bias"} <= {one.id for one in waterfall.rows(measured("untied")[0])}
    assert any(one.name == "its bias" for one in waterfall.rows(measured("biased")[0], "a1"))
    for kind in ("sprout", "store"):
        found = [*waterfall.rows(measured(kind)[0], "a1"), *waterfall.rows(measured(kind)[0], "f1")]
        assert not any("bias" in one.name for one in found)


@settings(max_examples=30, deadline=None)
@given(st.text())
def test_the_picture_is_an_svg_with_every_row(text):
    direct, lost = measured("sprout")
    found = waterfall.rows(direct, "f1", lost)
    drawn = ET.fromstring(waterfall.picture(found, text))
    told = [one.text for one in drawn if one.tag.endswith("text")]
    assert [one for one in told if one in {row.name for row in found}] == [row.name for row in found]


def test_a_table_and_the_component_hold_the_same_numbers():
    direct, lost = measured("store")
    found = waterfall.rows(direct, "a1", lost)
    columns, sent = waterfall.columns(found), waterfall.data(found, "")
    assert [row["to"] for row in sent["rows"]] == columns["sum so far"]
    low, high = sent["ends"]
    assert all(low <= row[end] <= high for row in sent["rows"] for end in ("from", "to"))
    assert all(row["said"].startswith(row["name"]) for row in sent["rows"])


@pytest.mark.parametrize(
    ("x", "said"),
    [(6.1234, "+6.12"), (-0.239, "−0.24"), (0.0, "0"), (0.0049, "under ±0.01"), (-1e-9, "under ±0.01"),
     (1234.5, "+1,234.50"), (None, "")],
)  # fmt: skip
def test_a_share_is_written_with_its_sign(x, said):
    assert signed(x) == said
