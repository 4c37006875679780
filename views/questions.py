"""The questions: read from one file, answers in an order of their own, and the score in words."""

import json
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LEVELS = {1: "To begin with", 2: "Further in", 3: "Hard"}
FILE = Path(__file__).parent.parent / "texts" / "questions.json"


@dataclass(frozen=True)
class Question:
    """One question.  answers: (text, why it is right or wrong) in the order they are shown."""

    id: str
    level: int  # of LEVELS
    title: str
    question: str
    answers: tuple
    right: int  # which answer
    page: str  # where it can be tried, and the choices to make there
    query: dict
    do: str


@cache
def all_questions():
    """The questions in the file's order."""
    return tuple(_question(one) for one in json.loads(FILE.read_text(encoding="utf-8")))


def _question(one):
    order = random.Random(one["id"]).sample(range(len(one["answers"])), len(one["answers"]))
    query = dict(pair.split("=", 1) for pair in one["query"].split("&") if pair)
    answers = tuple(tuple(one["answers"][i]) for i in order)
    right = order.index(one["right"])
    return Question(
        one["id"], one["level"], one["title"], one["question"], answers, right, one["page"], query, one["try"]
    )


def easiest_first():
    """The numbers of all questions, from 1 in the file's order, by level."""
    return sorted(range(1, len(all_questions()) + 1), key=lambda number: all_questions()[number - 1].level)


def about(page):
    """The questions that are tried on a page -> [(their number, from 1, Question)]."""
    return [(number, one) for number, one in enumerate(all_questions(), start=1) if one.page == page]


def score(answered):
    """How many were right at the first try.  answered: {id: which answer was given first}."""
    right = sum(answered.get(one.id) == one.right for one in all_questions())
    if not answered:
        return f"{len(all_questions())} questions; your score is kept while you are here."
    total = len(all_questions())
    return f"{right} of the {len(answered)} you answered were right at the first try; there are {total}."
