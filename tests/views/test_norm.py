"""The RMSNorm page's sentences, each with data that makes it true."""

from dataclasses import replace

import numpy as np
import pytest

from engine import norms
from views import norm as views
from views import norm_order

X = np.random.default_rng(8).normal(0.3, 2, (5, 48)).astype(np.float32)
FIRST, LAST = norms.by_hand(X / 10, 1e-6), norms.by_hand(X * 9, 1e-6)


def test_sizes_before_and_after_are_told():
    said = views.size_sentence(FIRST, LAST)
    assert f"{FIRST.before.mean():.3f}" in said
    assert f"{LAST.before.mean():.1f}" in said
    assert "every one is at 1.00" in said
    assert "agree in every number" in said


def test_a_vector_that_stays_small_is_told():
    tiny = norms.by_hand(X / 1e4, 1e-6)
    said = views.size_sentence(tiny, LAST)
    assert "every one" not in said
    assert "below 1 where" in said


def test_a_difference_from_the_library_is_not_called_equal():
    said = views.size_sentence(replace(FIRST, difference=2e-3), LAST)
    assert "agree" not in said
    assert "2.0 × 10⁻³, more than rounding" in said


def test_the_mean_that_is_left_is_told():
    at = int(np.abs(FIRST.mean_after).argmax())
    said = views.mean_sentence(FIRST, lambda i: f"token {i}")
    assert f"the numbers of token {at} still average {FIRST.mean_after[at]:.2f}".replace("-", "−") in said


def test_vectors_without_a_mean_are_not_said_to_keep_one():
    centred = norms.by_hand(X - X.mean(-1, keepdims=True), 1e-6)
    said = views.mean_sentence(centred, str)
    assert "near 0 anyway" in said
    assert "still average" not in said


@pytest.mark.parametrize(
    ("size", "smallest", "words"),
    [
        (1.0, 0.5, ["changes nothing", "1.0000", "does not matter"]),
        (1e-4, 0.5, ["smaller than √ε", "0.0995"]),
        (3e-3, 0.5, ["takes something away", "0.949"]),
        (1.0, 1e-3, ["ε leaves it at 0.707"]),
    ],
)
def test_what_epsilon_does_follows_the_size(size, smallest, words):
    said = views.epsilon_sentence(size, 1e-6, smallest)
    assert all(word in said for word in words), said


def test_the_curve_of_epsilon_is_the_norm_itself():
    _, columns = views.epsilon_plot(1e-3, 1e-5)
    vector = np.random.default_rng(1).standard_normal(32)
    vector /= norms.rms(vector)
    for before, after in list(zip(*columns.values(), strict=True))[::20]:
        assert norms.rms(norms.rms_norm(vector * before, 1e-5)) == pytest.approx(after)


def test_gains_are_told_with_the_closed_and_the_turned():
    said = views.gain_sentence(np.array([0.5, 2.0, 0.05, -0.5], np.float32))
    assert "between −0.500 (dimension 3) and 2.00 (dimension 1)" in said
    assert "1 nearly close" in said
    assert "1 turn the sign" in said
    calm = views.gain_sentence(np.array([0.5, 2.0], np.float32))
    assert "close" not in calm
    assert "sign" not in calm
    assert views.gain_sentence(np.ones(8, np.float32)) == "All 8 gains are 1.00."


def test_a_stream_that_shrinks_is_not_said_to_grow():
    assert "grows from 0.200 to 5.00" in views.order_sentence(np.array([0.2, 5]))
    assert "shrinks from 5.00 to 0.200" in views.order_sentence(np.array([5, 0.2]))


def test_the_two_orders_differ_in_where_the_norm_stands():
    x, part = np.random.default_rng(2).standard_normal(16), np.tanh
    names = {"attention": part, "feed_forward": part, "norm": lambda v: norms.rms_norm(v, 1e-6)}
    results = {}
    for name, code in (("pre", norm_order.PRE), ("post", norm_order.POST)):
        scope = {**names, "x": x}
        exec(code, scope)
        results[name] = norms.rms(scope["x"])
    assert results["post"] == pytest.approx(1, abs=1e-5)
    assert results["pre"] > 1.1
    assert norm_order.html().count("<svg") == 2


@pytest.mark.parametrize(
    ("x", "shown"), [(0, "0"), (1.23e-7, "1.2 × 10⁻⁷"), (2e-12, "2.0 × 10⁻¹²"), (0.5, "5.0 × 10⁻¹")]
)
def test_powers_of_ten_are_written_out(x, shown):
    assert views.scientific(x) == shown


def test_a_token_that_looks_like_a_tag_is_drawn_as_text():
    for made in (views.size_plot(FIRST, LAST, ["<b>"] * 5), views.mean_plot(FIRST, ["<b>"] * 5)):
        assert list(made.data[0].text) == ["&lt;b&gt;"] * 5
