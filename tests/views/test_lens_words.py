"""Each sentence about the lens, in each of its branches, with the numbers it was given."""

import numpy as np
import pytest

import engine
from engine.lens import Lens, row_names
from engine.sampling import before_draw
from engine.weights import available
from views import lens_words as words

NAMES = row_names(3)


def lens(top, following):
    ids = np.array(top)[..., None]
    empty = np.zeros(ids.shape[:2])
    return Lens(ids, np.zeros(ids.shape), np.array(following), empty, empty, empty, empty, empty)


@pytest.mark.parametrize(
    ("top", "says", "never"),
    [
        ([0.9, 0.3, 0.77, 0.59], "steps back to 59 %", "does not step back"),
        ([0.9, 0.8, 0.3, 0.59], "reaches 80 % in the row “after block 1”", "level"),
        ([0.9, 0.1, 0.3, 0.59], "does not step back at the end: it goes from 30 %", "level"),
        ([0.9, 0.1, 0.585, 0.59], "is level at the end: 59 %", "steps"),
    ],
)
def test_what_confidence_does_is_said_as_it_is_measured(top, says, never):
    sentence = words.steps(np.array([top, [0, 0, 0, 0.5]]), NAMES, "12 texts")
    assert says in sentence
    assert never not in sentence
    assert "50 %" in sentence
    assert "12 texts" in sentence


def test_a_model_of_one_block_has_no_middle():
    sentence = words.steps(np.array([[0.99, 0.2], [0.0, 0.125]]), row_names(1), "12 texts")
    assert "99 % at the embedding and 20 % in the output, where it is right in 13 %" in sentence


def test_whether_the_embedding_repeats_its_token():
    ids = np.array([1, 2, 3])
    assert "in 2 of 3 columns: the output matrix is" in words.repeats(lens([[1, 2, 9]], [2, 3, -1]), ids)
    assert "in only 1 of 3 columns, although" in words.repeats(lens([[1, 9, 9]], [2, 3, -1]), ids)
    assert "in 1 of 3 columns: the tuned lens's map" in words.repeats(
        lens([[1, 9, 9]], [2, 3, -1]), ids, True
    )


def test_where_the_answers_appear():
    found = words.answers(lens([[0, 3, 0], [2, 3, 0], [2, 3, 0], [2, 3, 0]], [2, 3, -1]), NAMES)
    assert "In 2 of 2 columns" in found
    assert "in 1 of these" in found
    none = words.answers(lens([[2, 0], [0, 0], [0, 0], [0, 0]], [2, -1]), NAMES)
    assert "In none of the 1 columns" in none
    assert "No token follows" in words.answers(lens([[0]] * 4, [-1]), NAMES)


def test_a_cut_says_where():
    model = engine.load(available()[0])
    ids = model.tokenizer.encode("The dog sat on the green sofa")
    said = words.cut(model, ids, 88)
    assert "on the green sofa" in said
    assert f"{len(ids) + 88} tokens" in said
    assert "the last 88 are not shown" in said


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"temperature": 0, "top_k": 3, "top_p": 0.5}, ["Temperature 0", "other 99"]),
        ({"temperature": 1, "top_k": None, "top_p": 1.0}, ["Nothing is dropped", "100 tokens"]),
        ({"temperature": 1, "top_k": 10, "top_p": 1.0}, ["Top-k keeps 10 of 100", "drops 90"]),
        ({"temperature": 1, "top_k": None, "top_p": 0.255}, ["keeps the 26 likeliest of 100", "drops 74"]),
        (
            {"temperature": 1, "top_k": 50, "top_p": 0.49},
            ["Top-k keeps 50", "keeps the 25 likeliest of these"],
        ),
    ],
)
def test_what_each_cut_kept_and_dropped(settings, says):
    sentence = words.kept(before_draw(np.zeros(100), **settings), **settings)
    assert all(one in sentence for one in says), sentence
