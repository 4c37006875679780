"""The page "How it learned", driven without a browser."""

import json
from itertools import islice

import pytest
from streamlit.testing.v1 import AppTest

from engine import families, heads, stages, weights
from engine import tiny_training as tiny
from tests import made_stages
from ui import train_here
from views import how_it_learned
from views.numbers import percent

KEPT = {"stages.npz": "one", "stages-seed-1.npz": "two"}


@pytest.fixture
def kept(monkeypatch):
    """Two trainings of gpt-1 that never were -> {file: Stages}."""
    made = {file: made_stages.some(L=1, H=4, seed=n, about_name="gpt-1") for n, file in enumerate(KEPT)}
    monkeypatch.setattr(stages, "kept", lambda name, folder=None: KEPT if name == "gpt-1" else {})
    monkeypatch.setattr(stages, "load", lambda _name, file, folder=None: made[file])
    return made


def opened(root, **address):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=240)
    for name, value in address.items():
        at.query_params[name] = value
    at.switch_page("pages/how_it_learned.py").run()
    assert not at.exception
    return at


def said(at):
    return " ".join(one.value for one in at.markdown)


def grid(at):
    return next(json.loads(one.proto.json) for one in at.get("bidi_component") if '"grids"' in one.proto.json)


def test_the_text_is_shown_as_it_was_read_at_the_chosen_stage(root, kept):
    at = opened(root, training="gpt-1", stage="2", text="name")
    found = kept["stages.npz"]
    assert how_it_learned.here(found, 2) in said(at)
    assert grid(at)["grids"][0]["tokens"] == found.about["texts"][1]["ids"]
    tokenizer = weights.load("gpt-1").tokenizer
    shown = " ".join(one.proto.body for one in at.get("html"))
    assert tokenizer.decode(found.continuation(2, 1, False)).split("\n")[0][:8].strip() in shown
    for sentence in how_it_learned.sentences(found):
        assert sentence in said(at)


def test_another_training_is_compared(root, kept):
    at = opened(root, training="gpt-1-seed-1")
    assert how_it_learned.here(kept["stages-seed-1.npz"], 4) in said(at)
    assert how_it_learned.compared(kept["stages-seed-1.npz"], kept["stages.npz"]) in said(at)


@pytest.mark.parametrize("model", ["gpt-1", "gpt-4"])
def test_a_reader_who_comes_with_a_model_sees_its_own_training(root, model):
    at = opened(root, model=model)
    assert next(one for one in at.selectbox if one.label == "Training").value == model


@pytest.mark.parametrize("model", ["", "store", "nobody's <b>"])
def test_a_reader_who_comes_with_another_sees_the_training_that_copies_best(root, model):
    at = opened(root, model=model)
    assert next(one for one in at.selectbox if one.label == "Training").value == "gpt-4"


def test_without_stages_the_page_says_so_and_trains_all_the_same(root, monkeypatch):
    monkeypatch.setattr(stages, "kept", lambda _name, folder=None: {})
    at = opened(root)
    assert "kept the stages" in at.info[0].value
    assert any(button.label == "Start" for button in at.button)


@pytest.mark.parametrize(("name", "value"), [
    ("training", "<b>"), ("stage", "99999999"), ("stage", "-1"), ("text", "$x$"), ("writes", "1"),
    ("tiny_width", "7"), ("tiny_heads", "x"), ("tiny_blocks", "1"), ("tiny_rate", "nan"),
    ("tiny_steps", "9e9"), ("guess_one", "\u202e"), ("tiny_seed", "1.5"),
])  # fmt: skip
def test_odd_addresses_get_a_page(root, kept, name, value):
    at = opened(root, **{name: value})
    assert at.title[0].value == "How it learned"
    assert not at.error


def test_a_reader_guesses_trains_and_is_told_what_came(root, kept):
    at = opened(root, tiny_steps="100", tiny_width="32", tiny_longest="10", guess_one="never")
    at.button(key="tiny-start").click()
    at.run()
    assert not at.exception
    assert "After 100 steps the model with 2 blocks gives" in said(at)
    assert "After 100 steps the model with 1 block gives" in said(at)
    assert "With 1 block: it does not copy" in said(at)
    shown = " ".join(one.proto.body for one in at.get("html"))
    assert "The heads of 2 blocks" in shown
    at.button(key="tiny-open").click()
    at.run()
    assert not at.exception
    assert "in the lists of models as “The model trained here”" in said(at)
    assert families.load(tiny.NAME).settings.n_layer == 2
    families.remove(tiny.NAME)
    at.button(key="tiny-stop").click()
    at.run()
    assert "After 100 steps the model with 2 blocks gives" in said(at)


SHAPES = {  # from the least that a reader can choose to the most
    "one block": {"blocks": 1, "width": 32, "heads": 2},
    "one head a block": {"blocks": 2, "width": 32, "heads": 1, "longest": 10},
    "three blocks of eight heads": {"blocks": 3, "width": 96, "heads": 8, "longest": 32},
}


@pytest.fixture(scope="module", params=SHAPES)
def trained(request):
    """A tiny model after a few steps, opened in the other pages as the button does it."""
    choices = tiny.Choices(steps=100, **SHAPES[request.param])
    *_, (_, _, network) = islice(tiny.learn(choices), 30)
    with families.added(tiny.as_model(network, choices.longest)) as model:
        yield model


@pytest.mark.parametrize("page", [*train_here.OTHERS, "norm", "story", "diagram", "checks"])
def test_what_was_trained_opens_in_other_pages(root, trained, page):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=240)
    at.query_params["model"] = trained.name
    at.switch_page(f"pages/{page}.py").run()
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert next(s for s in at.selectbox if s.label == "Model").value == trained.name


def test_depth_scores_its_heads_on_halves_as_long_as_it_was_trained_on(root, trained):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=240)
    at.query_params["model"] = trained.name
    at.switch_page("pages/depth.py").run()
    half = (trained.window - 1) // 2
    assert heads.fitting(trained) == min(half, heads.LENGTH)
    scores = heads.score_heads(trained)
    block, head = scores.best("induction")
    told = f"followed the last time is given by head {head + 1} of block {block + 1}"
    assert f"{told}: {percent(float(scores.induction.max()))}." in said(at)
    cells = next(
        json.loads(one.proto.json) for one in at.get("bidi_component") if '"cells"' in one.proto.json
    )["cells"]
    assert [len(row) for row in cells] == [trained.settings.n_head] * trained.settings.n_layer
    before = next(a for a in at.text_area if a.label == "The text itself").value
    next(b for b in at.button if b.label == "Draw other letters").click()
    at.run()
    assert not at.exception
    text = next(a for a in at.text_area if a.label == "The text itself").value
    assert text != before
    assert text[: len(text) // 2] == text[len(text) // 2 :]
    assert f"The longest run of tokens that comes again is **{text[: len(text) // 2]}**" in said(at)


def test_what_was_trained_is_asked_with_texts_that_come_twice(root, trained):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=240)
    at.query_params["model"] = trained.name
    at.switch_page("pages/lens.py").run()
    text = next(a for a in at.text_area if a.label == "The text itself").value
    assert text[:12] == text[12:]
    assert grid(at)["grids"][0]["tokens"] == trained.tokenizer.encode(text)


def test_depth_compares_what_was_trained_with_none_of_ours(root, trained):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=240)
    at.switch_page("pages/depth.py").run()
    assert not at.exception
    assert not at.error
    told = " ".join(one.value for one in at.caption).replace("\\", "")
    assert "The model trained here (another tokenizer)" in told


def test_a_cell_of_a_stage_leads_to_no_page_about_the_trained_model(root):
    at = opened(root)
    assert not [link for link in at.get("page_link") if "who_wrote_it" in str(link)]
