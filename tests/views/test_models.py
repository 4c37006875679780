"""The models side by side."""

import math

import pytest

from engine.records import Record
from views import models


def record(name, nats=None, log=(), copying=None):
    settings = {
        "model_type": "store",
        "vocab_size": 100,
        "context": 16,
        "n_layer": 1,
        "n_head": 2,
        "d_model": 8,
        "d_ff": 24,
    }
    if name == "large":
        name, settings["n_layer"], settings["model_type"] = "gpt-4", 3, "sprout"
    results = None
    if nats is not None:
        score = {"nats": nats, "perplexity": math.exp(nats), "tokens": 10}
        results = {"held_out": {"tinystories": score, "products": score}, "own_texts": score}
        if copying is not None:
            results["copying"] = {"first": 0.01, "second": copying, "pieces": 5}
    return Record(name, settings, {"tokens_seen": 12_345}, results, tuple(log), "")


def test_a_model_that_was_never_measured_shows_dashes():
    (row,) = models.table([record("gpt-1")])
    assert row["held out, nats a token"] == row["perplexity"] == row["copies a new name"] == "–"


def test_a_row_holds_the_recorded_figures():
    (row,) = models.table([record("gpt-1", 2.5, copying=0.948)])
    assert row["held out, nats a token"] == "2.500"
    assert row["perplexity"] == f"{math.exp(2.5):.1f}"
    assert row["copies a new name"] == "95 %"
    assert row["tokens seen"] == "12.35 k"


def test_the_store_is_scored_on_products_and_never_compared():
    assert models.main_score(record("store", 1.5))["nats"] == 1.5
    assert "One story model" in models.comparison([record("store", 1.5), record("gpt-1", 2.5)])


def test_the_sentence_names_the_better_one_and_both_perplexities():
    sentence = models.comparison([record("gpt-1", 2.5), record("large", 2.0)])
    assert sentence.startswith("gpt-4 needs 2.00 nats a token and gpt-1 2.50.")
    assert "7.4 against 12.2" in sentence
    assert "The larger model is the better one here." in sentence


def test_the_sentence_does_not_praise_size_when_the_small_one_wins():
    sentence = models.comparison([record("gpt-1", 2.0), record("large", 2.5)])
    assert sentence.startswith("gpt-1 needs 2.00")
    assert "not the larger one" in sentence


def test_a_perplexity_is_rounded_once():
    assert models.table([record("gpt-1", 2.46364)])[0]["perplexity"] == "11.7"  # 11.747


def logged(*rows):
    names = ("tokens", "blocks", "rate", "held_out_nats")
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_growing_and_larger_steps_again_are_told_where_they_happened():
    steady = record("gpt-1", log=logged((1e6, 1, 1.0, 3.0), (2e6, 1, 0.5, 2.9), (3e6, 1, 0.0, 2.8)))
    assert models.on_the_way([steady]) == ""
    grown = record("sprout", log=logged((1e6, 2, 1.0, 3.0), (2e6, 4, 1.0, 2.9), (7e6, 8, 1.0, 2.8)))
    assert models.on_the_way([steady, grown]) == (
        "Sprout began with 2 blocks and had 4 by 2.00 M tokens, then 8 by 7.00 M tokens."
    )
    again = record("large", log=logged((1e6, 4, 0.0, 2.0), (2e6, 4, 0.6, 2.1)))
    assert models.on_the_way([steady, again]).startswith("The training of gpt-4 was taken up again")


def test_the_quoted_perplexities_are_e_to_the_quoted_losses():
    assert "gpt-1 at 2.87 (perplexity 18), gpt-4 at 2.26 (perplexity 9.6)" in models.originals()


@pytest.mark.parametrize("dark", [False, True])
def test_the_curves_hold_every_row_of_every_log(dark):
    log = [
        {"tokens": t, "blocks": 1.0, "train_nats": 3.0, "held_out_nats": n}
        for t, n in ((10.0, 4.0), (20.0, 3.5))
    ]
    found = [record("gpt-1", log=log), record("gpt-4", log=log[:1])]
    figure = models.curves(found, dark)
    assert [list(line.y) for line in figure.data] == [[4.0, 3.5], [4.0]]
    columns = models.curve_columns(found)
    assert columns["model"] == ["gpt-1", "gpt-1", "gpt-4"]
    assert columns["tokens"] == [10, 20, 10]
