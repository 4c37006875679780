"""The first view's bars: those that were kept are what the model says, and what is said of them holds."""

import json

import pytest

import engine
from bench import first_view as first_view_bench
from engine import families, weights
from tests import tiny
from views import first_view
from views.numbers import probability


def test_the_kept_bars_are_what_is_measured():
    told, now = json.loads(first_view.FILE.read_text(encoding="utf-8")), first_view_bench.measured()
    assert told.pop("probabilities") == pytest.approx(now.pop("probabilities"), abs=1e-4)
    assert told == now
    assert (
        told["weights"] == weights.read_manifest(weights.FOLDER / told["model"])["files"]["model.safetensors"]
    )


def test_the_kept_text_stops_in_the_middle():
    kept = first_view.kept()
    assert kept.text[-1].isalpha()
    assert families.texts_of(kept.model) == "stories"


def test_the_bars_are_the_likeliest_and_in_order():
    model = engine.load("gpt-1")
    kept = [json.loads(first_view.FILE.read_text(encoding="utf-8"))[name] for name in ("pieces", "adds")]
    shares = first_view.bars(*kept, first_view.kept().probabilities)
    assert [one["p"] for one in shares] == sorted((one["p"] for one in shares), reverse=True)
    assert all(one["said"] == probability(one["p"]) for one in shares)
    assert all(model.tokenizer.encode(one["add"], start=False) for one in shares)


def test_what_a_tap_writes_is_read_as_this_piece():
    for kind in ("sprout", "store"):
        tokenizer = tiny.model(kind).tokenizer
        for i in range(len(tokenizer)):
            added = tokenizer.added(i)
            assert added is None or added.encode() == tokenizer.piece(i)
        assert tokenizer.added(tokenizer.marker_id) is None


@pytest.mark.parametrize("text", ["", "one", "one two", "one two three", "  "])
def test_half_a_text_begins_it(text):
    half = first_view.half(text)
    assert text.startswith(half)
    assert len(half) <= len(text)


@pytest.mark.parametrize(("tokens", "read"), [(1, 1), (2, 2), (600, 512), (513, 512)])
def test_what_was_left_out_is_said(tokens, read):
    said = first_view.measured("x", ([], [], []), "M", 1, tokens, read)["said"]
    assert ("left out" in said) == (tokens > read)
    assert f"{read:,} token" in said
    assert "1 tokens" not in said
    assert "1 parameters" not in said
