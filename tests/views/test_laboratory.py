"""The bars and coloured texts of the laboratory's pages, on made-up measurements."""

import math

import pytest

from views import bars, coloured


def test_the_scale_of_the_bars_is_logarithmic_and_closed():
    assert [bars.place(v) for v in (1, 1_000, 1e6)] == pytest.approx([0, 50, 100])
    assert (bars.place(1e30), bars.place(0.5)) == (100, 0)
    assert [bars.perplexity(v) for v in (24.31, 17_896.9, 1e9, math.inf, None)] == [
        "24.3",
        "17,897",
        "> 1,000,000",
        "> 1,000,000",
        "–",
    ]


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
