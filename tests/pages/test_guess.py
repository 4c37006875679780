"""The guessing game for one reader: nothing is shown before its time, and the score is what it says."""

import html
import math
import re

import pytest

import engine
from engine import families, guessing
from tests.families import stranger
from tests.pages.reader import Reader
from tests.said import close, number
from ui import guessing as guessing_ui

NAME = {"text": "name"}


def words(reader):
    """All that the page says, tags left out."""
    bodies = [one.proto.body for one in reader.nodes() if one.type == "html"]
    said = [one.value for one in reader.nodes() if one.type in ("markdown", "caption", "warning", "error")]
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", " ".join(bodies))), " ".join(said)


def control(reader, key):
    return next(one for one in reader.controls() if one.key == key)


def candidates(reader):
    return [one for one in reader.controls() if one.key and re.fullmatch(r"guess-\d+", one.key)]


def typed(reader, text, joined=False):
    moves = (
        (control(reader, "typed"), text),
        (control(reader, "joined"), joined),
        (button(reader, "Guess"), True),
    )
    return reader.choose(*moves)


def button(reader, label):
    return next(one for one in reader.controls() if one.kind == "button" and one.label == label)


def test_nothing_of_what_comes_is_on_the_page_before_the_guess():
    reader = Reader("guess", text="own", own="The dog saw a quagmire there.", where="all")
    for _ in range(3):
        shown = " ".join(words(reader))
        sent = " ".join(one.proto.json for one in reader.at.get("bidi_component"))
        assert "quag" not in shown + sent
        reader.choose((button(reader, "Pass"), True))
        reader.choose((control(reader, "on"), True))
    assert not reader.trouble()


def test_the_guess_is_in_the_address_and_opens_again_from_it():
    reader = typed(Reader("guess", **NAME), "upon")
    assert "You" in words(reader)[0]
    again = Reader("guess", **reader.address)
    assert score(again) == score(reader)
    other = Reader("guess", **{**reader.address, "text": "easy"})
    assert "?" in words(other)[0]  # guesses of another text are nobody's


def score(reader):
    """{who: what the score's row says} as the page shows it."""
    bodies = [one.proto.body for one in reader.nodes() if one.type == "html"]
    body = next(one for one in bodies if "The score so far" in one)
    rows = (re.findall(r"<t[hd][^>]*>([^<]*)", one) for one in body.split("<tr>"))
    return {row[0]: row[1:] for row in rows if row}


def test_the_score_is_what_one_computes_by_hand():
    reader = typed(Reader("guess", **NAME, where="picked", picked="2-3"), "upon")
    reader.choose((control(reader, "on"), True))
    typed(reader, "dinosaurs")
    model = engine.load("gpt-1")
    ids = model.tokenizer.encode("Once upon a time there")
    mean = model.surprises(ids)[1:3].mean()
    rows = score(reader)
    assert close(number(rows["gpt-1"][1].split()[0]), float(mean))
    right, wrong = guessing.share({1: 1}, 1, 8192), guessing.share({1: 1}, 2, 8192)
    by_hand = -(math.log(right) + math.log(wrong)) / 2
    assert close(number(rows["You"][1].split()[0]), by_hand)
    assert rows["You"][3] == "1 of 2"


def test_one_of_five_holds_the_right_one_and_the_models_are_scaled_to_it():
    reader = Reader("guess", **NAME, how="five")
    assert len(candidates(reader)) == 5
    assert "·upon" in [one.label for one in candidates(reader)]
    reader.choose((candidates(reader)[0], True))
    assert "among five candidates" in words(reader)[1]


ODD = ("<b>zq</b>", "$zq$", "\u202ezq", "z" * 5000, "🦖", "<|end|>", "`zq`", ":red[zq]")


@pytest.mark.parametrize("word", ODD)
def test_an_odd_guess_is_a_guess_like_any_other(word):
    reader = typed(Reader("guess", **NAME), word)
    assert not reader.trouble()
    assert "said" in reader.address
    assert not [one for one in reader.nodes() if one.type == "html" and re.search(r"<b>zq", one.proto.body)]


def test_an_empty_guess_is_no_guess():
    reader = typed(Reader("guess", **NAME), "   ")
    assert "said" not in reader.address
    assert "Nothing was typed" in " ".join([*reader.at.session_state["notices"], words(reader)[1]])


@pytest.mark.parametrize("own", ["", "a", "\u202e\x00", "<b>x</b> $y$"])
@pytest.mark.parametrize("where", ["words", "all", "differ", "picked"])
def test_every_text_can_be_guessed_or_says_why_not(own, where):
    reader = Reader("guess", text="own", own=own, where=where)
    wrong = [one for one in reader.trouble() if own or "nothing to guess" not in one]
    assert not wrong


def test_the_whole_text_can_be_played_to_its_end():
    reader = Reader("guess", text="own", own="A dog ran.", where="all")
    last = len(engine.load("gpt-4").tokenizer.encode("A dog ran.")) - 1
    for n in range(last):
        reader.choose((button(reader, "Pass"), True))
        if n + 1 < last:
            reader.choose((control(reader, "on"), True))
    assert not reader.trouble()
    assert "Pass" not in [one.label for one in reader.controls()]
    assert reader.address["said"].count("x") == last


def test_a_model_that_no_list_names_is_played_against():
    with families.added(stranger()):
        reader = Reader("guess", model="stranger", text="own", own="The dog ran home.")
        assert not reader.trouble()
        typed(reader, "ran")
        assert "A stranger" in words(reader)[0]
        assert not reader.trouble()


def test_what_a_button_keeps_of_a_game_holds_no_pass(monkeypatch):
    """A reader who stays would otherwise keep every model's scores of all the text's places alive."""
    asked = []
    monkeypatch.setattr(guessing_ui.cache, "trace", lambda model, ids: asked.append((model, ids)))
    traces = guessing_ui.Traces({"a": "model a", "b": "model b"}, (1, 2))
    assert list(traces) == ["a", "b"]
    assert len(traces) == 2
    assert vars(traces) == {"models": {"a": "model a", "b": "model b"}, "ids": (1, 2)}
    traces["b"]
    assert asked == [("model b", (1, 2))]
