"""The questions: complete, and not to be answered from their wording."""

import json
from collections import Counter

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
    assert all(f'"pages/{one.page}.py"' in source for one in ALL)
    assert shell.NAME


def test_only_first_answers_count():
    assert "29" in questions.score({}) or str(len(ALL)) in questions.score({})
    one, two = ALL[:2]
    said = questions.score({one.id: one.right, two.id: (two.right + 1) % 4})
    assert said.startswith("1 of the 2 ")
