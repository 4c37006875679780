"""The pages of parts with a model that no list names: GPT-2's kind, without gate, RoPE or RMSNorm."""

import pytest

from engine import families
from tests.families import stranger
from tests.pages.reader import SHORT, Reader

TABS = {
    "rope": ("rope", ("distance", "hands", "wavelengths", "switches", "head", "learned", "numpy")),
    "norm": ("rms", ("size", "mean", "epsilon", "gains", "order")),
    "gate": ("gate", ("curve", "units", "shut", "unit", "width")),
    "stream": ("stream", ("added", "numbers", "direction", "bits", "models")),
}
LACKING = {
    "has no RoPE": {("rope", "distance"), ("rope", "wavelengths"), ("rope", "head")},
    "has LayerNorm, not RMSNorm": {("norm", tab) for tab in TABS["norm"][1]},
    "has no gate": {("gate", tab) for tab in ("units", "shut", "unit", "width")},
}
INSTEAD = {("rope", "wavelengths"), ("rope", "head"), ("gate", "units"), ("gate", "shut"), ("gate", "unit")}


@pytest.fixture(autouse=True)
def added():
    with families.added(stranger()):
        yield


def said(reader):
    return " ".join(one.value for one in [*reader.at.markdown, *reader.at.caption, *reader.at.info])


@pytest.mark.parametrize("page", TABS)
def test_every_tab_shows_it_or_says_what_it_lacks(page):
    choice, tabs = TABS[page]
    for tab in tabs:
        reader = Reader(page, **SHORT, model="stranger", **{choice: tab})
        assert not reader.trouble(), tab
        words = said(reader)
        assert all((lack in words) == ((page, tab) in where) for lack, where in LACKING.items()), tab
        figures = reader.at.get("plotly_chart")
        assert bool(figures) == (
            (page, tab)
            not in INSTEAD | {("rope", "hands"), ("rope", "numpy"), ("norm", "order"), ("stream", "bits")}
        ), tab


def test_it_is_a_line_among_all_models():
    reader = Reader("stream", **SHORT, model="stranger", stream="models")
    assert list(reader.at.table[0].value["model"]) == [families.title(one) for one in families.available()]
    assert "A stranger" in said(reader)


def test_its_epsilon_is_offered_as_its_own():
    reader = Reader("norm", **SHORT, model="stranger", rms="epsilon")
    assert reader.control("control.epsilon").now == "10⁻⁵, as in A stranger"
