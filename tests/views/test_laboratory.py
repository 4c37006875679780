"""The sentences, bars and verdicts of the laboratory's pages, on made-up measurements."""

import math

import numpy as np
import pytest

from engine.heads import Scores
from views import bars, coloured, depth


def test_the_scale_of_the_bars_is_logarithmic_and_closed():
    assert [bars.place(v) for v in (1, 1_000, 1e6)] == pytest.approx([0, 50, 100])
    assert (bars.place(1e30), bars.place(0.5)) == (100, 0)
    assert [bars.perplexity(v) for v in (24.31, 17_896.9, 1e9, math.inf, None)] == [
        "24.3", "17,897", "> 1,000,000", "> 1,000,000", "–",
    ]  # fmt: skip


def test_a_bar_that_is_not_measured_yet_has_no_length():
    drawn = bars.html("x", [bars.Bar("a"), bars.Bar("b", 10.0, guess=100.0)], 4142, 10.0)
    assert drawn.count('class="fill"') == 1
    assert drawn.count('class="guess"') == 1
    assert "even guessing among 4,142 tokens" in drawn


def test_names_in_bars_and_texts_are_escaped():
    assert "<b>" not in bars.html("<b>", [bars.Bar("<b>", 1.0, note="<b>")], 10)
    assert "<b>" not in coloured.html(["<b>", "<b>"], [None, 0.5])
    assert "<script" not in coloured.html(['"><script>'], [0.5])


def test_a_coloured_token_never_shows_a_rounded_certainty():
    drawn = coloured.html(["a", "b", "c"], [None, 0.99999, 0.00001], told={2})
    assert "&gt; 99.9 %" not in drawn  # numbers are ours and need no escape
    assert "> 99.9 %" in drawn
    assert "< 0.1 %" in drawn
    assert drawn.count("told") == 1


def test_an_invented_name_has_two_words_and_is_the_same_for_the_same_seed():
    assert depth.invent(3) == depth.invent(3) != depth.invent(4)
    assert len(depth.invent(3).split()) == 2


def test_the_first_piece_of_a_run_is_not_counted_and_places_are_shifted_by_one():
    first, later = depth.mentions([2, 7], 3)
    assert (first, later) == ([3, 4], [8, 9])
    probabilities = np.linspace(0, 0.9, 10)  # of tokens 1 to 10
    assert depth.mean(probabilities, later) == pytest.approx((0.7 + 0.8) / 2)


@pytest.mark.parametrize(
    ("second", "words"), [(0.95, "copies it best"), (0.01, "None of them copies it well")]
)
def test_copying_is_claimed_only_when_it_was_measured(second, words):
    given = {"gpt-1": np.full(9, 0.01), "gpt-4": np.array([0.01] * 7 + [second] * 2)}
    said = " ".join(depth.sentences(given, [2, 7], 3, "Zor"))
    assert words in said
    assert "gpt-4" in said


def scores(previous, induction):
    return Scores(np.array(previous, float), np.array(induction, float))


def test_two_blocks_are_named_as_the_cause_only_where_it_is_so():
    found = scores([[0.9, 0.1], [0.1, 0.1]], [[0.0, 0.0], [0.1, 0.8]])
    said = " ".join(depth.cause(found))
    assert "head 1 of block 1: 90 %" in said
    assert "head 2 of block 2: 80 %" in said
    assert "It takes two blocks" in said
    assert depth.induction_heads(found) == [(1, 1)]
    assert "No head here" in " ".join(depth.cause(scores([[0.9, 0.1]], [[0.05, 0.1]])))


def test_the_other_head_is_no_specialist_and_never_the_chosen_one():
    found = scores([[0.9, 0.1], [0.1, 0.1]], [[0.0, 0.0], [0.1, 0.8]])
    assert depth.another_head(found, (1, 1)) in {(0, 1), (1, 0)}
    assert depth.another_head(found, (1, 1)) == depth.another_head(found, (1, 1))
    assert depth.another_head(scores([[0.1, 0.1]], [[0.0, 0.0]]), (0, 0)) == (0, 1)


def test_another_draw_can_give_another_head():
    found = scores(np.zeros((4, 6)), np.zeros((4, 6)))
    drawn = {depth.another_head(found, (1, 1), draw) for draw in range(20)}
    assert len(drawn) > 5
    assert (1, 1) not in drawn


def test_the_proof_has_dashes_until_a_model_without_heads_has_read():
    assert depth.lost(None, [1]) == ("–", "–", "–")
    assert depth.lost(np.array([0.5, 0.5]), [1, 2]) == ("50 %", "0.693", "2.00")
    found = scores([[0.9, 0.1], [0.1, 0.1]], [[0.0, 0.3], [0.1, 0.8]])
    rows = depth.switched_off(found, (1, 1))
    assert list(rows.values())[:2] == [[], [(1, 1)]]
    assert list(rows.values())[-1] == [(1, 1), (0, 1)]
    assert "not read yet" in depth.title("gpt-4", 4)
    assert depth.title("gpt-1", 1, np.array([0.5])) == (
        "**gpt-1**, 1 block: loss 0.69 nats a token, perplexity e^0.693 = 2.00"
    )


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ((0.9, 0.2, 0.88, 0.01), "this head's work"),
        ((0.9, 0.85, 0.9, 0.1), "others do the same work"),
        ((0.9, 0.85, 0.9), "not needed"),
        ((0.1, 0.1, 0.1), "little here to lose"),
        ((0.9, 0.3, 0.4), "drawn at random is missed too"),
        ((0.9, 0.3), "this head's work"),  # a model with one head more would have another to draw
    ],
)
def test_the_proof_says_what_was_measured(kept, words):
    titles = ["as trained", "without head 1 of block 1", "without head 2 of block 1, drawn", "without all 2"]
    tries = {title: (title,) for title in titles[: len(kept)]}
    given = {(title,): np.array([0.5, p]) for title, p in zip(titles, kept, strict=False)}
    said = depth.proven(given, tries, [2])
    assert words in said
    assert f"as trained, the pieces get {depth.percent(kept[0])}" in said.lower()
