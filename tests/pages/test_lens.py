"""The page of the logit lens without a browser: every model, every option, every odd address."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine import weights
from engine.lens import row_keys

ROOT = Path(__file__).parents[2]
ODD = 'tab\t <b>x</b> $y$ :red[z] 🦊 שלום \x00\x07 <|end|> "q" \u202e' + "a" * 300


def page(**chosen):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in chosen.items():
        at.query_params[name.rstrip("_")] = str(value)
    at.run()
    at.switch_page("pages/lens.py").run()
    assert not at.exception
    return at


def sent(at):
    """What the grid's component was given."""
    boxes = [json.loads(one.proto.json) for one in at.get("bidi_component")]
    return next(one for one in boxes if "grids" in one)


@pytest.mark.parametrize("name", weights.available())
def test_every_model_reads_an_odd_text_with_the_rows_within_its_blocks(name):
    own = {"product": "own", "own_product": ODD} if name == "store" else {"text": "own", "own": ODD}
    at = page(model=name, rows="within", **own)
    grid = sent(at)["grids"][0]
    assert grid["keys"] == list(row_keys((len(grid["keys"]) - 1) // 2, within=True))
    assert "What to notice" in " ".join(one.value for one in at.markdown)
    assert not at.error


def test_an_empty_text_is_the_marker_alone():
    assert len(sent(page(text="own", own=""))["grids"][0]["tokens"]) == 1


def test_class_mode_is_the_grid_with_what_can_be_changed_below_it():
    at = page(**{"class": 1, "shown": 2, "order": "bottom", "guesses": '{"3": "dog"}'})
    assert not at.title
    assert [one.label for one in at.selectbox][:2] == ["Model", "Text"]
    assert not at.text_area  # a ready-made text is not there to be read before it is guessed
    data = sent(at)
    assert data["teaching"]
    assert (data["start"]["shown"], data["start"]["order"]) == (2, "bottom")
    assert data["start"]["guesses"] == {"3": "dog"}
    assert data["start"]["covered"]
    assert not sent(page(**{"class": 1, "covered": 0}))["start"]["covered"]
    assert not sent(page())["start"]["covered"]


def test_what_the_model_wrote_belongs_to_its_text_alone():
    at = page(text="easy", more="00000000.5-6-7")
    assert sent(at)["grids"][0]["written"] == 0


@pytest.mark.parametrize("chosen", [
    {"cell": "x"}, {"measure": "x"}, {"follow": "99999999"}, {"follow": "x"}, {"more": "1.x"}, {"rows": "x"},
    {"guesses": "[]"}, {"guesses": '{"a": 1}'}, {"shown": "-1"}, {"model": "nobody"}, {"with": "store"},
])  # fmt: skip
def test_an_address_that_makes_no_sense_is_not_punished(chosen):
    at = page(**chosen)
    assert sent(at)["grids"]
    assert not at.error


def test_the_texts_stand_by_theme_after_those_to_begin_with():
    listed = next(one.options for one in page().selectbox if one.label == "Text")
    themes = [option.split(": ")[0] if ": " in option else "" for option in listed[:-1]]
    assert themes[:3] == ["", "", ""]
    assert listed[-1] == "Your own"
    starts = [theme for i, theme in enumerate(themes) if i == 0 or theme != themes[i - 1]]
    assert len(starts) == len(set(starts)) > 2  # each theme in one place
