"""Numbers as they are written: short, with their units, and never rounded into a lie."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views import numbers

SHARES = st.floats(0, 1, exclude_min=True, exclude_max=True)


@pytest.mark.parametrize(
    ("p", "written"),
    [
        (0, "0 %"), (1e-9, "< 0.1 %"), (0.000999, "< 0.1 %"), (0.001, "0.1 %"), (0.015625, "1.6 %"),
        (0.0994, "9.9 %"), (0.0996, "10 %"), (0.125, "13 %"), (0.97, "97 %"), (0.99, "99 %"),
        (0.996, "99.6 %"), (0.999, "99.9 %"), (0.9991, "> 99.9 %"), (1 - 1e-12, "> 99.9 %"), (1, "100 %"),
        (float("nan"), "–"), (None, "–"), (np.float32(0.999999), "> 99.9 %"), (1 + 1e-7, "100 %"),
    ],
)  # fmt: skip
def test_a_share_is_written_as_the_reader_reads_it(p, written):
    assert numbers.percent(p) == written


@given(SHARES)
def test_no_share_is_rounded_to_all_or_nothing(p):
    for text in (numbers.percent(p), numbers.percent(p, tenths=True), numbers.probability(p)):
        assert text not in {"0 %", "0.0 %", "100 %", "100.0 %"}


@given(SHARES)
def test_a_written_share_is_within_half_of_its_last_digit(p):
    text = numbers.percent(p)
    if text[0] in "<>":
        assert p < 0.001 or p > 0.999
        return
    digits = text.removesuffix(" %")
    assert float(digits) == pytest.approx(100 * p, abs=0.0501 if "." in digits else 0.501)


def test_what_is_no_share_is_refused():
    for p in (-0.3, 1.2, math.inf):
        with pytest.raises(ValueError, match="is no share"):
            numbers.percent(p)


def test_a_softmax_gives_no_token_all_or_nothing():
    assert [numbers.probability(p) for p in (0.0, np.float32(1), 0.5)] == ["< 0.1 %", "> 99.9 %", "50 %"]
    assert numbers.exact(0.0) == "less than 10⁻³⁷"
    assert numbers.exact(1.0) == "more than 1 − 6 × 10⁻⁸"
    assert numbers.exact(0.99999) == "1 − 1.00 × 10⁻⁵"
    assert numbers.exact(0.000012345) == "1.234 × 10⁻⁵"
    assert numbers.exact(0.1) == "0.1"


@given(SHARES)
def test_hovering_gives_at_least_three_digits(p):
    text = numbers.exact(p).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(" × 10", "e")
    one = text.removeprefix("1 − ")
    assert float(one) == pytest.approx(1 - p if text != one else p, rel=0.00501)


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (0, "0 %"), (0.003, "+0.3 %"), (-0.001, "−0.1 %"), (0.0002, "+0.02 %"), (-0.0004, "−0.04 %"),
        (-1e-9, "under ±0.001 %"), (0.12, "+12.0 %"),
    ],
)  # fmt: skip
def test_a_change_keeps_its_sign_and_is_never_minus_nothing(x, written):
    assert numbers.change(x) == written


@given(st.floats(0.001, 690))
def test_the_printed_power_holds(nats):
    power, value = numbers.perplexity_of(nats).removeprefix("exp(").split(") = ")
    assert numbers.figure(math.exp(float(power))) == value


def test_the_printed_power_has_two_decimals_where_they_do():
    assert numbers.perplexity_of(3.1655) == "exp(3.166) = 23.7"
    assert numbers.perplexity_of(0.69) == "exp(0.69) = 1.99"


def test_one_and_many_are_told_apart():
    assert [numbers.counted(n, "token") for n in (0, 1, 2, 1234)] == [
        "0 tokens",
        "1 token",
        "2 tokens",
        "1,234 tokens",
    ]
    assert numbers.counted(np.int64(1), "branch", "branches") == "1 branch"
    assert numbers.counted(3, "branch", "branches") == "3 branches"
    assert [numbers.form(n, "is", "are") for n in (1, 2)] == ["is", "are"]


def test_large_and_small_figures_have_a_power_of_ten():
    assert numbers.figure(9.9996e7) == "1.00 × 10⁸"
    assert numbers.figure(-1.5e-5, 2) == "−1.5 × 10⁻⁵"


@pytest.mark.parametrize(
    ("title", "shown"),
    [("The store's model", "the store's model"), ("Theta", "Theta"), ("In The Sky", "In The Sky")],
)
def test_only_an_article_at_its_start_is_changed_in_a_title(title, shown):
    assert numbers.within(title) == shown
