"""The page that puts one text's stream into another's pass, without a browser."""

import json

import pytest

from engine import families, patching
from tests import every_family
from tests.pages.odd_texts import PLAIN
from tests.pages.reader import Reader
from ui import pairs

BALL = {"model": "gpt-1", "pair": "he-she"}


def grid(reader):
    return next(given for _, given in reader.components() if "columns" in (given or {}))


def press(reader, key):
    return reader.choose((reader.control(key), True))


def said(reader):
    return " ".join(one.value for one in reader.at.markdown).replace("\\", "")


def measured(**chosen):
    reader = Reader("what_if", **chosen)
    assert not reader.trouble(), reader.trouble()
    return press(reader, "measure")


def numbers(reader):
    """The measured grid, row by row."""
    data = grid(reader)
    flat = [float(cell[0].replace("−", "-")) for cell in data["cells"]]
    wide = len(data["columns"])
    return [flat[i : i + wide] for i in range(0, len(flat), wide)]


def test_nothing_is_shown_before_the_reader_measures():
    reader = Reader("what_if", **BALL)
    assert set(map(str, grid(reader)["cells"])) == {"None"}
    assert "Predict first" in said(reader)


def test_the_whole_grid_is_measured_and_keeps_its_invariants():
    reader = measured(**BALL)
    found, data = numbers(reader), grid(reader)
    changed = next(i for i, one in enumerate(data["columns"]) if one["differs"])
    assert found[0][changed] == 1
    assert found[-1][-1] == 1
    assert sum(found[0]) == sum(found[-1]) == 1
    assert "At the changed token at least half" in said(reader)
    assert reader.control("again") is not None


def test_a_guess_is_kept_and_told_after_measuring():
    reader = measured(**BALL, guess_in="1.6")
    assert "You marked" in said(reader)
    press(reader, "again")
    assert "guess_in" not in reader.address
    assert "look" not in reader.address


def test_a_chosen_cell_says_what_comes_next():
    reader = measured(**BALL)
    again = Reader("what_if", **reader.address, cell_in="0.6")
    assert "of the answer comes back. The model then says:" in said(again)
    lists = [one.proto.body for one in again.at.get("html") if "class=after" in one.proto.body]
    assert lists[0].count("<li>") == 5


@pytest.mark.parametrize("kind", ["attention", "feed-forward", "head"])
def test_additions_have_a_grid_of_their_own(kind):
    reader = measured(**BALL, put_in=kind)
    assert len(numbers(reader)) == {"head": 4}.get(kind, 1)


def test_texts_of_unlike_length_are_lined_up_and_refused_in_a_sentence():
    reader = Reader("what_if", model="gpt-1", pair="own", first="The cat sat.", second="The big cat sat.")
    errors = [one.value.replace("\\", "") for one in reader.at.error]
    assert len(errors) == 1
    assert "can be put in only where both have equally many" in errors[0]
    assert any('class="differs"' in one.proto.body for one in reader.at.get("html"))
    assert not reader.at.exception


def test_equal_texts_are_refused_in_a_sentence():
    reader = Reader("what_if", model="gpt-1", pair="own", first="", second="")
    assert "The two texts are the same" in reader.at.error[0].value


def test_of_two_equal_answers_the_usual_two_are_shown():
    reader = Reader("what_if", **BALL, answer="7", other_answer="7")
    assert not reader.trouble()
    assert "Both answers were the same token" in reader.at.warning[0].value
    assert "answer" not in reader.address


def test_one_s_own_texts_begin_with_a_pair_that_can_be_measured():
    assert grid(measured(model="gpt-1", pair="own"))["columns"]


@pytest.mark.parametrize("text", [*PLAIN[1:5], *PLAIN[-28:-22], *PLAIN[-20:-16], "word " * 700])
def test_any_text_is_answered(text):
    reader = Reader("what_if", model="gpt-1", pair="own", first=text, second="x" + text[1:])
    assert not reader.at.exception
    assert len(reader.at.error) <= 1
    if not reader.at.error:
        assert len(grid(reader)["columns"]) > 0


def test_a_text_of_one_token_is_measured():
    reader = measured(model="gpt-1", pair="own", first="a", second="b")
    assert numbers(reader)[0][-1] == 1


@pytest.mark.parametrize("kind", every_family.KINDS[2:])
def test_any_model_is_measured(kind):
    own = {"pair": "own", "first": "Zorbin met Lily.", "second": "Zorbin met Tim."}
    with families.added(every_family.model(kind)) as model:
        for put_in in ("stream", "head"):
            reader = Reader("what_if", model=model.name, put_in=put_in, **own)
            if not reader.at.error:
                press(reader, "measure")
            assert not reader.at.exception


@pytest.mark.parametrize("name", ["gpt-1", "gpt-4", "sprout", "store"])
def test_our_models_have_ready_made_pairs_whose_answers_are_single_tokens(name):
    model = families.load(name)
    found = pairs.of_model(model)
    assert len(found) >= 2
    for one in found.values():
        first, second = pairs.answers(model, one)
        assert first != second
        assert one["why"].endswith(".")


def test_every_pair_differs_in_one_word():
    for one in pairs.ready().values():
        first, second = (one[which].split() for which in ("first", "second"))
        assert sum(a != b for a, b in zip(first, second, strict=True)) == 1
        assert len(one["answers"]) == 2


def test_between_the_name_and_the_end_next_to_nothing_comes_back_as_the_question_says():
    model = families.load("sprout")
    one = pairs.ready()["made-up"]
    ids = [model.tokenizer.encode(one[which]) for which in ("first", "second")]
    both = patching.pair(model, *ids, pairs.answers(model, one))
    between = range(int(both.differ[-1]) + 1, len(ids[0]) - 1)
    for row in (3, 4, 5):
        assert patching.cells(model, both, "stream", row, between).back.max() < 0.05


def test_a_cell_that_is_no_cell_is_dropped():
    for raw in ("9.9.9", "x", "1", "999.1"):
        reader = Reader("what_if", **BALL, guess_in=raw)
        assert grid(reader)["marked"] == ""
        assert json.dumps(grid(reader)["chosen"]) == '""'
