"""The sentences, bars and verdicts of the laboratory's pages, on made-up measurements."""

import math

import numpy as np
import pytest

from engine.experiments import Change
from engine.heads import Scores
from engine.sweeps import Result
from views import bars, coloured, depth, leave_out

BLOCKS = [(), (Change("block", 0),), (Change("block", 1),), (Change("block", 2),)]


def result(perplexity, top=0.3):
    return Result(math.log(perplexity), top, 1000)


def measured(*perplexities):
    return dict(zip(BLOCKS, map(result, perplexities), strict=True))


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


@pytest.mark.parametrize(
    ("perplexities", "expected"),
    [
        (
            (24.3, 17_896.9, 77.8, 64.3),
            ["without block 1: 17,897, 736 times as much", "worse than the 4,142"],
        ),
        ((24.3, 30.0, 24.4, 24.31), ["without block 1", "hardly anything changes"]),
        ((24.3, 30.0, 28.0, 20.0), ["without block 3: it even predicts these texts a little better"]),
        ((24.3, 30.0, 28.0, 26.0), ["without block 3: perplexity grows by 7.0 %"]),
    ],
)
def test_what_is_said_follows_from_what_was_measured(perplexities, expected):
    said = " ".join(leave_out.sentences(BLOCKS, measured(*perplexities), 4142))
    for words in expected:
        assert words in said.replace("736.5", "736").replace("740", "736")


def test_partial_results_are_spoken_of_as_far_as_they_go():
    assert leave_out.sentences(BLOCKS, {}, 4142) == ["Nothing is measured yet."]
    assert len(leave_out.sentences(BLOCKS, {(): result(24.3)}, 4142)) == 1
    assert leave_out.guess_sentence(BLOCKS, {(): result(24.3)}, [1, 2, 3]) == ""


def test_a_guess_is_judged_by_its_order():
    found = measured(10, 1000, 50, 30)
    assert "3 in the right order" in leave_out.guess_sentence(BLOCKS, found, [90, 50, 20])
    assert "you named the worst" in leave_out.guess_sentence(BLOCKS, found, [90, 20, 50])
    wrong = leave_out.guess_sentence(BLOCKS, found, [10, 20, 30])
    assert "0 in the right order" in wrong
    assert "without block 3" in wrong


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


HEADS = [(), *((Change("head", b, h),) for b in range(2) for h in range(3))]


def test_the_map_of_heads_has_a_cell_for_each_and_fills_as_results_come():
    empty = leave_out.head_map("<b>", HEADS, {}, "2.1")
    assert "<b>" not in empty
    assert empty.count("–<small>") == 6
    assert empty.count("class=guessed") == 1
    found = dict(zip(HEADS[:4], map(result, (10.0, 12.0, 9.5, 200.0)), strict=True))
    part = leave_out.head_map("x", HEADS, found)
    assert part.count("–<small>") == 3
    assert all(words in part for words in ("+20.0 %", "−5.0 %", "× 20", "width: 100.0%"))
    assert len(leave_out.untouched(HEADS)) == 2
    assert leave_out.untouched(HEADS)[1][2]["label"] == "Head 3 of block 2"


def test_a_named_head_is_judged_once_all_are_measured():
    found = dict(zip(HEADS, map(result, (10.0, 12.0, 9.5, 20.0, 11.0, 10.0, 10.1)), strict=True))
    assert leave_out.head_guess_sentence(HEADS, found, "1.3") == "You named it."
    assert "head 1 of block 2: 2 of the 5 others" in leave_out.head_guess_sentence(HEADS, found, "2.1")
    assert leave_out.head_guess_sentence(HEADS, found, None) == ""
    found.pop(HEADS[-1])
    assert leave_out.head_guess_sentence(HEADS, found, "1.3") == ""


def test_a_typed_order_becomes_bars_in_that_order():
    assert leave_out.order_to_guesses("1, 3 2", BLOCKS) == [90, 10, 50]
    heads = [(), *((Change("head", 4, h),) for h in range(3))]
    assert leave_out.order_to_guesses("3 1 2", heads) == [50, 10, 90]
    for raw in ("1 2", "1 2 2", "1 2 3 4", "a", "1.5 2 3", "³ 1 2", "-1 2 3"):
        with pytest.raises(ValueError, match="each of 1 to 3 once"):
            leave_out.order_to_guesses(raw, BLOCKS)


def test_the_largest_fall_is_of_one_token():
    found = {
        BLOCKS[0]: np.array([0.5, 0.9]),
        BLOCKS[1]: np.array([0.4, 0.9]),
        BLOCKS[2]: np.array([0.5, 0.1]),
    }
    fall = leave_out.largest_fall(found)
    assert (fall.one, fall.place, fall.before, fall.after) == (BLOCKS[2], 1, 0.9, 0.1)
    assert leave_out.summary(np.array([0.5, 0.5])).perplexity == pytest.approx(2)


def test_an_endless_perplexity_is_spoken_of_too():
    found = measured(10, 11, 12, 13) | {BLOCKS[1]: Result(1_000.0, 0.5, 10)}
    said = " ".join(leave_out.sentences(BLOCKS, found, 4142))
    assert "∞ times as much" in said
    found[BLOCKS[1]] = Result(math.log(10) + 100 * math.log(10), 0.5, 10)
    assert "1.0 × 10¹⁰⁰ times as much" in " ".join(leave_out.sentences(BLOCKS, found, 4142))


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
