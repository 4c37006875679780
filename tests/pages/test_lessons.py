"""Lessons: every link of every plan is walked, and each state shows what its plan says."""

import json
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import guessing, heads
from engine.errors import ReaderError
from tests.pages.reader import Reader, page_names
from tests.said import close, every_number
from ui import choice
from ui import lessons as lessons_ui
from views import lessons
from views.numbers import probability, whole

READY = lessons.ready()
STEPS = [(one.id, at) for one in READY.values() for at in range(len(one.steps))]


def test_there_are_three_plans_of_20_and_twice_45_minutes():
    assert {one.id: one.minutes for one in READY.values()} == {"lens": 20, "token": 45, "depth": 45}


@pytest.mark.parametrize(("name", "at"), STEPS)
def test_every_state_of_a_plan_opens_and_holds_what_the_plan_chose(name, at):
    lesson = READY[name]
    step = lesson.steps[at]
    reader = Reader(step.page, **lessons_ui.link(lesson, at))
    assert not reader.trouble()
    for name, value in parse_qsl(step.query):
        assert reader.address[name] == value, name
    bar = [one.value for one in reader.at.markdown]
    assert any(re.sub(r"\\(.)", r"\1", one).startswith(f"**{step.ask}**") for one in bar)
    shows(reader, step)


def shows(reader, step):
    """The state shows what is expected of it: the sentence's figures are measured here once more."""
    said = lessons_ui.expected(step)
    data = [given for _, given in reader.components() if given]
    if step.page == "diagram":
        chosen = next(given for given in data if "walk" in given)["start"]
        assert chosen["part"] == step.chosen["part"]
    if step.expect == "cell":
        grid = next(given for given in data if "grids" in given)
        shows_cell(grid, step, said)
    if step.expect in ("copied", "places"):
        {"copied": shows_copied, "places": shows_places}[step.expect](step, said)
    if step.expect == "places":
        count = len(step.chosen["picked"].split("-"))
        assert f"Place 1 of {count}" in [one.value for one in reader.at.caption]
    if step.expect == "count":
        a = engine.load(step.chosen.get("a") or step.chosen["model"]).architecture
        assert whole(engine.count_parameters(a).total) in said


def read(step):
    """The text of a state -> (the models that it compares, the text's ids)."""
    name = step.chosen["model"]
    ids = engine.load(name).tokenizer.encode(choice.ready_text(choice.ready_texts()[step.chosen["text"]]))
    return [name, *([step.chosen["with"]] if "with" in step.chosen else [])], ids


def shows_cell(grid, step, said):
    """The chosen cell is in the output's row, and its likeliest token with its probability is foretold."""
    names, ids = read(step)
    column = int(step.chosen["cell"].split(".")[1])
    assert grid["start"]["cell"] == f"{engine.load(names[0]).architecture.n_layer}.{column}"
    assert grid["grids"][0]["tokens"] == list(ids)
    for name in names:
        model = engine.load(name)
        logits = engine.run(model, ids).logits[column]
        p = np.exp(logits - logits.max())
        top = model.tokenizer.label(int(logits.argmax()))
        assert f"“{top}” at {probability(float(p.max() / p.sum()))} on top" in said


def shows_copied(step, said):
    """The mean probability that each model gives the name's later pieces is foretold."""
    _, ids = read(step)
    label = engine.load("gpt-1").tokenizer.label
    starts, length = heads.longest_repeat(ids, lambda i: label(i).strip("·").isalpha())
    for name in ("gpt-1", "gpt-4", "sprout"):
        model = engine.load(name)
        given = np.exp(-model.surprises(ids))
        later = [given[start + k - 1] for start in starts[1:] for k in range(1, length)]
        assert f"then {probability(float(np.mean(later)))}" in said.split(model.title)[1].split(";")[0]


def shows_places(step, said):
    """The mean surprise of each model at the places is foretold; of five, the five are all there is."""
    _, ids = read(step)
    places = [int(one) for one in step.chosen["picked"].split("-")]
    traces = {name: engine.run(engine.load(name), ids) for name in ("gpt-4", "gpt-1", "sprout")}
    game = guessing.Game(engine.load("gpt-4").tokenizer, ids, traces, step.chosen["how"] == "five")
    for name in traces:
        p = []
        for place in places:
            among = game.choices(place) or range(game.size)
            logits = np.float64(traces[name].logits[place - 1][list(among)])
            exponents = np.exp(logits - logits.max())
            p.append(exponents[list(among).index(ids[place])] / exponents.sum())
        told = re.search(rf"{engine.load(name).title} ([\d.]+)", said)[1].rstrip(".")
        assert close(float(told), float(-np.log(p).mean()))


def test_the_expected_surprise_is_the_mean_of_the_models_own():
    step = READY["depth"].steps[0]
    model = engine.load("gpt-1")
    ids = model.tokenizer.encode(choice.ready_text(choice.ready_texts()["name"]))
    places = [int(one) for one in step.chosen["picked"].split("-")]
    by_hand = model.surprises(ids)[[one - 1 for one in places]].mean()
    said = lessons_ui.expected(step)
    assert close(float(re.search(r"gpt-1 ([\d.]+)", said)[1]), float(by_hand))


def test_next_and_previous_lead_through_a_whole_plan():
    lesson = READY["lens"]
    reader = Reader("lens", **lessons_ui.link(lesson, 1))
    labels = {one.label: one for one in reader.controls() if one.kind == "button"}
    assert {"Previous", "Next", "Leave the lesson"} <= {*labels}
    first = Reader(lesson.steps[0].page, **lessons_ui.link(lesson, 0))
    assert next(one for one in first.at.button if one.label == "Previous").disabled
    last = len(lesson.steps) - 1
    end = Reader(lesson.steps[last].page, **lessons_ui.link(lesson, last))
    assert next(one for one in end.at.button if one.label == "Next").disabled


def test_a_lesson_is_left_and_leaves_no_bar():
    reader = Reader("lens", **lessons_ui.link(READY["lens"], 1))
    control = next(one for one in reader.controls() if one.label == "Leave the lesson")
    reader.choose((control, True))
    assert "lesson" not in reader.address


steps = st.lists(
    st.builds(
        lessons.Step,
        st.sampled_from(sorted(page_names())),
        st.text(max_size=60),
        st.integers(0, 999),
        st.text(max_size=400),
        st.text(max_size=400),
        st.sampled_from(["cell", "none", "x"]),
    ),
    min_size=1,
    max_size=5,
)


@given(st.text(max_size=100), steps)
def test_a_plan_is_the_same_again_from_its_link_and_from_its_file(title, made):
    pages = set(page_names())
    told = [[one.page, one.query, one.minutes, one.show, one.ask, one.expect] for one in made]
    lesson = lessons.checked(title, told, pages)
    assert lessons.unpacked(lessons.packed(lesson), pages) == lesson
    assert lessons.from_file(lessons.as_file(lesson), pages) == lesson
    assert not {"steer", "room", "lesson", "plan"} & {name for one in lesson.steps for name in one.chosen}


BOMB = lessons.packed(lessons.Lesson("own", "x" * 3_000_000, READY["lens"].steps))
FORGED = ["", "x", "!!!", "A" * 3000, "🦖", BOMB, "eJyLjgUAARUAuQ"]


@pytest.mark.parametrize("raw", FORGED)
def test_a_forged_plan_is_dropped(raw):
    with pytest.raises(ValueError, match=r".+"):
        lessons.unpacked(raw, set(page_names()))
    reader = Reader("lessons", plan=raw)
    assert not [one for one in reader.trouble() if not one.startswith("warning")]


NO_PLANS = [
    "", "[]", "{}", '{"title": 1, "steps": []}', "[" * 5000, '{"title": "", "steps": [1]}',
    '{"title": "t", "steps": [{"page": "http://x", "query": ""}]}',
]  # fmt: skip


@pytest.mark.parametrize("text", NO_PLANS)
def test_a_file_that_is_no_plan_is_told_so(text):
    with pytest.raises(ReaderError, match="holds no lesson"):
        lessons.from_file(text, set(page_names()))


@pytest.mark.parametrize(("typed", "found"), [
    ("/lens?text=name", ("lens", "text=name")),
    ("https://a.example/lens?text=name&steer=x", ("lens", "text=name")),
    ("lens", ("lens", "")), ("http://h:1/base/depth", ("depth", "")),
])  # fmt: skip
def test_a_copied_address_is_a_state(typed, found):
    assert lessons.from_address(typed, set(page_names())) == found


@pytest.mark.parametrize(
    "typed", ["", "javascript:alert(1)", "https://a.example/", "http://[", "\ud800", "x" * 9000]
)
def test_what_is_no_address_of_ours_is_told_so(typed):
    with pytest.raises(ReaderError, match="no address of a page"):
        lessons.from_address(typed, set(page_names()))


def test_an_own_plan_with_markup_in_it_is_shown_as_text():
    made = [["lens", "text=name", 3, "<b>zq</b> $zq$", ":red[zq]", "cell"]]
    lesson = lessons.checked("<b>zq</b>", made, set(page_names()))
    for reader in (
        Reader("lessons", plan=lessons.packed(lesson)),
        Reader("lens", **lessons_ui.link(lesson, 0)),
    ):
        assert not reader.trouble()
        shown = [re.sub(r"\\.", "", one.value) for one in (*reader.at.markdown, *reader.at.caption)]
        assert not [one for one in shown if re.search(r"<b>zq|\$zq|:red\[", one)]
    assert json.loads(lessons.as_file(lesson))["steps"][0]["ask"] == ":red[zq]"


def test_an_edited_table_is_a_plan():
    def row(*values):
        return dict(zip(("address", "minutes", "show", "ask"), values, strict=True))

    pages, empty = set(page_names()), row("", "", "", "")
    edited = [row("/lens?text=name", 4.0, "s", "a"), empty, row("/depth", "", "", "")]
    made = lessons.of_table("", edited, READY["lens"], pages)
    assert [(one.page, one.minutes) for one in made.steps] == [("lens", 4), ("depth", 5)]
    same = [row(f"/{one.page}?{one.query}", one.minutes, one.show, one.ask) for one in READY["lens"].steps]
    assert [one.expect for one in lessons.of_table("t", same, READY["lens"], pages).steps] == [
        one.expect for one in READY["lens"].steps
    ]
    for wrong in ([], [row("x", 1, "", "")], [row("/lens", 1, "", "")] * 99):
        with pytest.raises(ReaderError):
            lessons.of_table("t", wrong, READY["lens"], pages)


def test_every_figure_that_is_expected_is_a_number():
    for lesson in READY.values():
        for step in lesson.steps:
            said = lessons_ui.expected(step)
            assert step.expect == "none" or every_number(said), said
