"""The models side by side."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.counting import count_parameters
from engine.records import Record
from views import models, numbers


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


def test_the_table_to_take_away_holds_the_same_figures_as_numbers():
    told = [record("gpt-1", 2.5, copying=0.948), record("store")]
    columns = models.columns(told)
    assert columns["held out, nats a token"] == [2.5, None]
    assert columns["copies a new name, share"] == [0.948, None]
    assert columns["parameters"] == [count_parameters(one.architecture).total for one in told]
    assert columns["tokens seen"] == [12_345, 12_345]
    assert all(numbers.whole(n) in models.html(told) for n in columns["parameters"])


def test_the_store_is_scored_on_products_and_never_compared():
    assert models.main_score(record("store", 1.5))["nats"] == 1.5
    assert "One story model has been measured" in models.comparison(
        [record("store", 1.5), record("gpt-1", 2.5)]
    )


LOSSES = st.floats(0.01, 15)


@given(small=LOSSES, large=LOSSES, seen=st.tuples(*[st.integers(1, 10**12)] * 2))
def test_the_comparison_names_the_best_the_worst_and_what_goes_with_it(small, large, seen):
    pair = [record("gpt-1", small), record("large", large)]
    for one, tokens in zip(pair, seen, strict=True):
        one.manifest["tokens_seen"] = tokens
    said = models.comparison(pair)
    if small == large:
        assert said == f"All story models need {small:.2f} nats a token."
        return
    best, worst = ("gpt-1", "gpt-4") if small < large else ("gpt-4", "gpt-1")
    assert said.startswith(f"Of the story models {best} needs the fewest nats a token, and {worst} the most.")
    powers = re.findall(r"exp\(([0-9.]+)\) = ([0-9,]*[0-9](?:\.[0-9]+)?)", said)
    assert [float(power) for power, _ in powers] == pytest.approx(sorted((small, large)), abs=0.005)
    assert all(numbers.figure(math.exp(float(power))) == shown for power, shown in powers)
    assert ("The larger model is the better one" in said) == (best == "gpt-4")
    density = [tokens / count_parameters(one.settings).total for one, tokens in zip(pair, seen, strict=True)]
    assert ("it saw" in said) == (best == "gpt-1" and density[0] > density[1])


def test_nothing_is_said_of_sizes_that_are_not_known():
    pair = [record("gpt-1", 2.0), replace(record("large", 2.5), settings=None)]
    assert "larger" not in models.comparison(pair)
    assert "it saw" not in models.comparison(pair)
    assert models.table(pair)[1]["parameters"] == "–"


def test_a_model_of_which_nothing_can_be_read_is_a_row_of_dashes():
    empty = Record("gpt-1", None, {}, None, (), "", ("It is damaged.",))
    (row,) = models.table([empty])
    assert set(row.values()) == {"gpt-1", "–"}
    assert "No story model has been measured" in models.comparison([empty])
    assert models.on_the_way([empty]) == []
    assert models.others([empty]) == ""
    assert [len(line.x) for line in models.curves([empty]).data] == [0]
    assert models.curve_columns([empty])["model"] == []


def test_a_perplexity_is_rounded_once():
    assert models.table([record("gpt-1", 2.46364)])[0]["perplexity"] == "11.7"  # 11.747


def logged(*rows):
    names = ("tokens", "blocks", "rate", "held_out_nats")
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_growing_and_larger_steps_again_are_told_where_they_happened():
    steady = record("gpt-1", log=logged((1e6, 1, 1.0, 3.0), (2e6, 1, 0.5, 2.9), (3e6, 1, 0.0, 2.8)))
    assert models.on_the_way([steady]) == []
    grown = record("sprout", log=logged((1e6, 2, 1.0, 3.0), (2e6, 4, 1.0, 2.9), (7e6, 8, 1.0, 2.8)))
    assert models.on_the_way([steady, grown]) == [
        "Sprout began with 2 blocks and had 4 by 2.00 M tokens, then 8 by 7.00 M tokens."
    ]


ROWS = st.lists(st.tuples(st.integers(1, 4), st.floats(0, 1), st.floats(0.5, 9)), min_size=1, max_size=12)


@given(ROWS)
def test_what_is_said_of_a_training_is_in_its_log(rows):
    log = logged(*((1e6 * (i + 1), *row) for i, row in enumerate(rows)))
    said = " ".join(models.on_the_way([record("gpt-1", log=log)]))
    pairs = list(pairwise(log))
    again = [(a, b) for a, b in pairs if b["rate"] - a["rate"] > 0.1]
    for a, b in again:
        losses = f"(loss {a['held_out_nats']:.3f}, at the next measurement {b['held_out_nats']:.3f})"
        assert f"{numbers.short(a['tokens'])} {losses}" in said
    assert said.count("at the next measurement") == len(again)
    assert (f"in the end the loss was {log[-1]['held_out_nats']:.3f}." in said) == bool(again)
    grown = [b["blocks"] for a, b in pairs if b["blocks"] > a["blocks"]]
    assert re.findall(r"(\d+) by ", said) == [str(blocks) for blocks in grown]


@given(LOSSES, st.none() | LOSSES, st.integers(1, 10**6))
def test_the_score_measured_again_stands_beside_the_card_s(nats, stated, tokens):
    said = models.measured_again(record("gpt-1", stated), nats, tokens)
    assert said.startswith(f"gpt-1 needs {nats:.3f} nats a token over the {tokens:,} token")
    assert (stated is not None) == ("its card says" in said)
    if stated is not None:
        assert said.endswith(f"its card says {stated:.3f}.")


@pytest.mark.parametrize(
    ("names", "curves", "rival"),
    [(["gpt-1"], True, False), (["store"], False, False), (["gpt-1", "store"], True, True)],
)
def test_what_keeps_rows_apart_is_said_only_where_they_are(names, curves, rival):
    log = logged((1e6, 1, 1.0, 3.0))
    said = models.others([record(name, 2.0, log=log) for name in names])
    assert ("curves of the story models" in said) == curves
    assert ("no rival" in said) == rival


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
