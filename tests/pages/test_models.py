"""The page of the models, driven without a browser."""

import re
import shutil
from functools import partial
from html import unescape

import pytest

from engine import families, presets, records, weights
from tests.families import stranger
from tests.pages import reader
from views import numbers

opened = partial(reader.opened, page="models")


def table(at):
    """The comparison, {model: its row's cells}."""
    made = next(one.proto.body for one in at.get("html") if "side by side" in one.proto.body)
    rows = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", made)[1:]]
    return {unescape(row[0]): row[1:] for row in rows}


def test_the_table_holds_every_shipped_model(root):
    seen = [records.read(name).manifest["tokens_seen"] for name in weights.available()]
    assert [row[2] for row in table(opened(root)).values()] == [numbers.short(n) for n in seen]


def test_the_card_s_figure_is_measured_again_and_agrees(root):
    at = opened(root, model="gpt-1")
    reader.press(at, "Measure it here")
    stated = records.read("gpt-1").results["own_texts"]["nats"]
    said = " ".join(m.value for m in at.markdown)
    needed = float(re.search(r"gpt-1 needs ([0-9.]+) nats a token over the", said)[1])
    assert needed == pytest.approx(stated, abs=0.001)
    assert f"its card says {stated:.3f}" in said


def test_a_model_s_files_are_made_and_handed_out(root):
    at = opened(root, model="gpt-1")
    labels = [one.label for one in at.get("download_button")]
    reader.press(at, "Make its files")
    more = [one.label for one in at.get("download_button")][len(labels) :]
    assert more[0] == "Download the folder (ZIP)"
    assert not at.error


def test_a_model_that_is_neither_layout_is_told_so(root):
    with families.added(stranger()) as one:
        at = opened(root, model=one.name)
        reader.press(at, "Make its files")
        said = " ".join(one.value for one in (*at.info, *at.error, *at.warning))
        assert "neither a Qwen3 nor a Llama" in said


@pytest.mark.parametrize(
    ("name", "value"),
    [("model", "<b>"), ("model", "\ufffd\u202e$x$<|end|>" * 9)],
)
def test_odd_addresses_get_a_page(root, name, value):
    at = opened(root, **{name: value})
    assert at.title[0].value == "The models"
    assert not at.error


def test_a_model_whose_weights_are_not_here_is_said_and_replaced(root, monkeypatch):
    monkeypatch.setattr(weights, "shipped", lambda: ["gpt-1", "gpt-4"])
    at = opened(root, model="store")
    assert "weights of The store" in at.warning[0].value
    assert next(s for s in at.selectbox if s.label == "Model").value == "gpt-4"


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    """damaged(name, file, bytes): the page then reads copies of all records, one file like this."""
    folder = tmp_path / "weights"
    for name in weights.available():
        (folder / name).mkdir(parents=True)
        for path in (weights.FOLDER / name).iterdir():
            if path.stat().st_size < 10**6:
                shutil.copyfile(path, folder / name / path.name)
    read = records.read
    monkeypatch.setattr(records, "read", lambda name: read(name, folder))
    return lambda name, file, content: (folder / name / file).write_bytes(content)


@pytest.mark.parametrize("name", weights.available())
@pytest.mark.parametrize("file", ["manifest.json", "config.json", "results.json", "log.csv", "card.md"])
def test_one_damaged_record_is_named_in_its_place_and_the_rest_works(root, damaged, name, file):
    whole = table(opened(root))
    damaged(name, file, b"\x00{")
    at = opened(root, model=name)
    assert not at.error
    told = [warning.value.replace("\\", "") for warning in at.warning]
    assert len(told) == 1
    assert f"{name}/{file}" in told[0]
    shown = table(at)
    own = presets.TITLES[name]
    assert list(shown) == list(whole)
    assert {**shown, own: None} == {**whole, own: None}
    assert any(button.label == "Make its files" for button in at.button)
    assert any("needs the fewest" in one.value for one in at.markdown)
