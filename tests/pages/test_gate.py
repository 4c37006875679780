"""The gate page, driven without a browser."""

from functools import partial

import pytest

import engine
from engine import gate, measures, units
from tests.pages import reader
from ui import kept

opened = partial(reader.sound, page="gate")


def said(at):
    return " ".join(one.value for one in [*at.markdown, *at.caption])


@pytest.mark.parametrize("idea", ["curve", "units", "shut", "unit", "width"])
@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_every_idea_says_what_to_notice(root, idea, model):
    at = opened(root, gate=idea, model=model, block="99", unit="9999", token="9999")
    assert "What to notice" in said(at)


def test_the_three_known_values_are_on_the_page(root):
    assert list(opened(root).table[0].value["silu"])[:3] == ["−0.142", "0.000", "2.858"]


def test_the_most_active_unit_leads_to_the_texts_that_drive_it(root):
    at = opened(root, model="gpt-1", gate="units")
    unit = at.table[0].value["unit"].iloc[0]
    next(one for one in at.button if one.label.startswith("See which texts")).click().run()
    assert at.number_input(key="control.unit").value == int(unit)
    assert "our 40 stories" in said(at)


def test_a_list_kept_beforehand_is_shown_without_running_the_model(root, monkeypatch):
    model = engine.load("gpt-1")
    live = [gate.peaks(engine.run(model, row, ("gate", "value"))) for row in measures.own_rows(model)[:9]]
    found = gate.driving(live, units.KEPT)
    monkeypatch.setattr(units, "load", lambda _: found)
    kept.clear()

    def refuse(*_):
        raise AssertionError("the model ran")

    monkeypatch.setattr(engine, "run", refuse)
    at = opened(root, model="gpt-1", gate="unit", unit="7")
    assert "Measured beforehand" in said(at)
    shown = "".join(one.value for one in at.get("html"))
    for text, _, product in found.of(0, 7):
        assert f"<b>{product:.2f}</b> <span>story {text + 1}</span>".replace("-", "−") in shown
    monkeypatch.undo()
    monkeypatch.setattr(units, "load", lambda _: None)
    kept.clear()
    at = opened(root, model="gpt-1", gate="unit", unit="7")
    assert "Measured now" in said(at)
    kept.clear()


def test_the_counts_of_shut_units_are_those_of_the_pass(root):
    at = opened(root, gate="shut", model="store", product="own", own_product="A bag\nfor you")
    counts = gate.nearly_shut(engine.run(engine.load("store"), "A bag\nfor you", keep=("gate",)).gate)
    table = at.table[0].value
    assert list(table["least"]) == [str(row.min()) for row in counts]
    assert list(table["most"]) == [str(row.max()) for row in counts]
    assert list(table["mean"]) == [f"{row.mean():.1f}" for row in counts]


@pytest.mark.parametrize("own", ["", "\u202eabc\u0000", "🙂" * 900, "$x$ <|end|> [a](b) <b>"])
@pytest.mark.parametrize("idea", ["units", "shut"])
def test_odd_texts_and_addresses_are_measured_too(root, own, idea):
    at = opened(root, model="gpt-1", text="own", own=own, gate=idea, token="-5", block="x", a="inf")
    assert "What to notice" in said(at)
