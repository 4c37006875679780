"""The questions: complete, and not to be answered from their wording."""

import json
import math
from collections import Counter

from streamlit.testing.v1 import AppTest

import engine
from engine import presets, weights
from ui import shell
from views import questions

ALL = questions.all_questions()
RAW = json.loads(questions.FILE.read_text(encoding="utf-8"))


def test_there_are_more_than_twenty_and_each_is_there_once():
    assert len(ALL) > 20
    for field in ("id", "title", "question"):
        assert len({getattr(one, field) for one in ALL}) == len(ALL)


def test_every_answer_has_a_reason_of_its_own():
    for one in ALL:
        assert len(one.answers) == 4
        assert len({text for text, _ in one.answers}) == 4
        assert all(len(why) > 20 for _, why in one.answers)
        assert [why.startswith("Right") for _, why in one.answers] == [i == one.right for i in range(4)]


def test_the_shown_order_keeps_every_answer_with_its_reason():
    for one, raw in zip(ALL, RAW, strict=True):
        assert sorted(map(list, one.answers)) == sorted(raw["answers"])
        assert list(one.answers[one.right]) == raw["answers"][raw["right"]]


def test_neither_place_nor_length_gives_the_right_answer_away():
    places = Counter(one.right for one in ALL)
    assert max(places.values()) <= len(ALL) / 2
    longest = sum(len(one.answers[one.right][0]) == max(len(text) for text, _ in one.answers) for one in ALL)
    assert longest <= len(ALL) / 3


def test_every_question_can_be_tried_on_a_page_of_ours(root):
    for one in ALL:
        assert (root / "pages" / f"{one.page}.py").exists(), one.id
        assert one.do.endswith((".", "?"))
    source = (root / "ui" / "shell.py").read_text(encoding="utf-8")
    assert all(f'("{one.page}", ' in source for one in ALL)
    assert shell.NAME


def test_only_first_answers_count():
    assert "29" in questions.score({}) or str(len(ALL)) in questions.score({})
    one, two = ALL[:2]
    said = questions.score({one.id: one.right, two.id: (two.right + 1) % 4})
    assert said.startswith("1 of the 2 ")


def asked(name):
    """What one question and its right answer say."""
    one = next(one for one in ALL if one.id == name)
    return one, " ".join((one.question, *one.answers[one.right]))


def test_figures_in_questions_are_those_of_the_engine():
    gpt_1 = engine.count_parameters("gpt-1")
    share = 8192 * 128 / gpt_1.total
    assert f"{100 * share:.0f} % of gpt-1" in asked("untie")[1]
    silu = -3 / (1 + math.exp(3))
    assert f"−{-2 * silu:.2f}" in asked("gate-minus-three")[1]
    sprout = presets.FAMILY["sprout"]
    assert f"{0.02 / math.sqrt(2 * sprout['n_layer']):.3f}" in asked("start-small")[1]
    width, inner = sprout["d_model"], sprout["d_ff"]
    assert 3 * width * inner == 2 * width * 4 * width == 1_179_648
    assert "1,179,648" in asked("gate-width")[1]
    assert f"{presets.STORE['vocab_size']:,}" in asked("worse-than-guessing")[1]


def test_the_name_in_the_question_is_cut_as_it_says():
    tokenizer = weights.load("gpt-1").tokenizer
    ids = tokenizer.encode(" Zorbin Plax", start=False)
    pieces = ", ".join(tokenizer.label(i).removeprefix("·") for i in ids)
    assert f"as the pieces {pieces}." in asked("second-zor")[1]


def complaints(at):
    """What the app told the reader about choices that make no sense."""
    assert not at.exception
    waiting = "notices" in at.session_state and at.session_state["notices"]
    told = [*(waiting or []), *(one.value for one in at.warning)]
    return [one for one in told if "did not come with" not in one.replace("\\", "")]


def follow(root, page, query):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for name, value in query:
        at.query_params[name] = value
    at.run()
    return complaints(at) + complaints(at.switch_page(f"pages/{page}.py").run())


def test_every_link_makes_sense_where_it_leads(root):
    for page, query in sorted({(one.page, tuple(one.query.items())) for one in ALL}):
        assert not follow(root, page, query), (page, query)
    assert follow(root, "rope", [("m", "x")])
    assert follow(root, "diagram", [("part", "nothing")])


def test_a_question_that_compares_models_says_with_which_to_begin():
    for _, one in questions.about("depth"):
        assert one.query["model"] == "gpt-4"  # else the model chosen last stays, and may cut text otherwise


def test_the_easiest_come_first_and_none_is_left_out():
    order = questions.easiest_first()
    assert sorted(order) == list(range(1, len(ALL) + 1))
    levels = [ALL[number - 1].level for number in order]
    assert levels == sorted(levels)
    assert {*levels} == {*questions.LEVELS}
    first = [ALL[number - 1].page for number in order[:5]]
    assert len({*first}) == 5, "the first ones are about one page"
