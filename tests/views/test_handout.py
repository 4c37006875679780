"""Handouts: all columns in strips with empty cells, the answers apart, the code back to the state."""

import html
import re

import pytest

import engine
from engine import lens as lens_readings
from tests import tiny
from views import handout, lessons

TEXT = "The dog <b>ran</b> $x$ to the park and the dog ran back to the park again."


@pytest.fixture(scope="module", params=["sprout", "store"])
def read(request):
    model = tiny.model(request.param)
    ids = model.tokenizer.encode(TEXT)[: model.context]
    return ("A <model>", model, ids, lens_readings.logit_lens(model, engine.run(model, ids)), False)


@pytest.mark.parametrize("paper", handout.PAPERS)
def test_every_column_stands_in_a_strip_twice_once_empty(read, paper):
    _, model, ids, lens, _ = read
    made = handout.of_lens([read], "a text", "http://localhost:8501/lens?text=name", paper)
    asked, told = made.split("class='answers'")
    rows = model.architecture.n_layer + 1
    assert asked.count("<td></td>") == rows * len(ids)
    assert told.count("<small>") == rows * len(ids)
    for half in (asked, told):
        assert [int(n) for n in re.findall(r'<span class="n">(\d+)</span>', half)] == [*range(len(ids))]
    assert told.count('class="right"') == int((lens.ids[:, :, 0] == lens.next_ids).sum())
    assert 'class="right"' not in asked
    assert f"size: {handout.PAPERS[paper]} landscape" in made
    assert "data:image/svg+xml" in asked
    assert "<b>ran" not in made
    assert "A <model>" not in made


def test_a_lesson_on_paper_has_its_codes_first_and_what_to_expect_last():
    lesson = lessons.ready()["lens"]
    titles = {one.page: one.page.title() for one in lesson.steps}
    links = [f"http://localhost:8501/{one.page}?{one.query}" for one in lesson.steps]
    expected = [f"expected <{n}>" for n in range(len(lesson.steps))]
    made = handout.of_lesson(lesson, links, expected, titles, "a4")
    first, last = made.split("class='answers'")
    assert first.count("data:image/svg+xml") == len(lesson.steps)
    assert "expected" not in first
    assert all(f"expected &lt;{n}&gt;" in last for n in range(len(lesson.steps)))
    assert all(html.escape(one.ask) in first for one in lesson.steps)
