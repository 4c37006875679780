"""The RoPE page, driven without a browser."""

from functools import partial

import pytest

import engine
from engine import weights
from tests.pages import reader
from views import rope_pairs

opened = partial(reader.opened, page="rope")


def said(at):
    return " ".join(one.value for one in at.markdown)


def test_the_table_shows_the_known_scores(root):
    at = opened(root)
    assert list(at.table[0].value["score q · k"])[:4] == ["2.239", "2.239", "2.239", "1.012"]
    at.selectbox(key="control.vectors").set_value("2026").run()
    assert list(at.table[0].value["score q · k / √D"])[:3] == ["0.217", "0.217", "−0.765"]


@pytest.mark.parametrize("tab", ["wavelengths", "switches"])
def test_a_base_as_large_as_there_are_is_taken(root, tab):
    at = opened(root, rope=tab, base="own", own_base="100000000")
    assert at.number_input(key="control.own_base").value == 1e8
    assert not at.error
    assert not any("makes no sense" in one.value for one in at.warning)


def test_moving_both_keeps_the_distance_and_the_score(root):
    at = opened(root, m="100", n="90", together="1")
    before = at.table[0].value.iloc[-1]
    at.slider(key="control.m").set_value(20).run()
    after = at.table[0].value.iloc[-1]
    assert (before["query at"], before["key at"], after["query at"], after["key at"]) == (
        "100",
        "90",
        "20",
        "10",
    )
    assert before["score q · k"] == after["score q · k"]
    assert "10 positions before" in said(at)


@pytest.mark.parametrize("m", ["-1", "1024", "5.5", "<b>", "٣٣٣٣", "1e3", ""])
def test_a_forged_position_is_not_taken(root, m):
    at = opened(root, m=m, vectors="$x$", together="2")
    assert at.slider(key="control.m").value == 5


@pytest.mark.parametrize("idea", ["hands", "wavelengths", "switches", "head", "learned", "numpy"])
@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_every_idea_opens(root, idea, model):
    at = opened(root, rope=idea, model=model, base="own", m="0", n="1023")
    assert not at.error
    assert "What to notice" in said(at)


def test_tokens_that_a_text_does_not_have_are_brought_inside(root):
    at = opened(root, rope="head", model="gpt-1", text="own", own="<b>", block="99", head="99", query="99999")
    assert not at.error
    assert at.selectbox(key="control.query").value == len(at.selectbox(key="control.query").options) - 1


@pytest.mark.parametrize("own", ["", " ", "\u202eabc\u0000", "🙂" * 900, "$x$ <|end|> [a](b)"])
@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_odd_texts_have_a_head_too(root, own, model):
    name = {"store": "product", "gpt-1": "text"}[model]
    at = opened(root, rope="head", model=model, **{name: "own", "own_product": own, "own": own})
    assert not at.error


@pytest.mark.parametrize("name", weights.available())
def test_what_is_called_ours_on_the_page_is_every_model_s_of_ours(name):
    model = engine.load(name)
    assert model.rope_base == 10_000
    assert rope_pairs.BASES["10000"] == "10,000, as in our models"
    assert not model.changes  # and so pairs halves, as test_transformers.py holds it to
