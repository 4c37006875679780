"""The RMSNorm page's sentences, each with data that makes it true."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import norms
from tests import tiny
from tests.said import close, every_number, numbers
from views import norm as norm_view
from views import norm_order

X = np.random.default_rng(8).normal(0.3, 2, (5, 48)).astype(np.float32)
FIRST, LAST = norms.by_hand(X / 10, 1e-6), norms.by_hand(X * 9, 1e-6)


def test_sizes_before_and_after_are_told():
    said = norm_view.size_sentence(FIRST, LAST)
    assert f"{FIRST.before.mean():.3f}" in said
    assert f"{LAST.before.mean():.1f}" in said
    assert "every one is at 1.00" in said
    assert "differ in no number by more than about" in said


def test_a_vector_that_stays_small_is_told():
    tiny = norms.by_hand(X / 1e4, 1e-6)
    said = norm_view.size_sentence(tiny, LAST)
    assert "every one" not in said
    assert "below 1 where" in said


def test_a_difference_from_the_library_is_not_called_equal():
    said = norm_view.size_sentence(replace(FIRST, difference=2e-3), LAST)
    assert "no number" not in said
    assert "2.0 × 10⁻³, more than rounding" in said


def test_the_mean_that_is_left_is_told():
    at = int(np.abs(FIRST.mean_after).argmax())
    said = norm_view.mean_sentence(FIRST, lambda i: f"token {i}")
    assert f"the numbers of token {at} still average {FIRST.mean_after[at]:.2f}".replace("-", "−") in said


def test_vectors_without_a_mean_are_not_said_to_keep_one():
    centred = norms.by_hand(X - X.mean(-1, keepdims=True), 1e-6)
    said = norm_view.mean_sentence(centred, str)
    assert "near 0 anyway" in said
    assert "still average" not in said


def test_the_curve_of_epsilon_is_the_norm_itself():
    _, columns = norm_view.epsilon_plot(1e-3, 1e-5)
    vector = np.random.default_rng(1).standard_normal(32)
    vector /= norms.rms(vector)
    for before, after in list(zip(*columns.values(), strict=True))[::20]:
        assert norms.rms(norms.rms_norm(vector * before, 1e-5)) == pytest.approx(after)


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
    assert norm_view.scientific(x) == shown


def test_a_token_that_looks_like_a_tag_is_drawn_as_text():
    for made in (norm_view.size_plot(FIRST, LAST, ["<b>"] * 5), norm_view.mean_plot(FIRST, ["<b>"] * 5)):
        assert list(made.data[0].text) == ["&lt;b&gt;"] * 5


SIZES = st.floats(-6, 2).map(lambda power: 10**power)


@given(size=SIZES, eps=st.sampled_from([1e-8, 1e-6, 1e-5, 1e-3]), smallest=SIZES)
def test_what_epsilon_does_follows_the_size(size, eps, smallest):
    said = norm_view.epsilon_sentence(size, eps, smallest)
    vector = np.full(32, size)
    after = float(norms.rms(norms.rms_norm(vector, eps)))
    now, text = said.split(" The smallest vector")
    if "×" not in now:
        assert any(close(shown, after) for shown in every_number(now)), now
    assert ("less than 1 %" in now) == (after > 0.99)
    assert ("ε outweighs it" in now) == (size**2 < eps)
    real = float(norms.rms(norms.rms_norm(np.full(32, smallest), eps)))
    assert ("takes less than 1 %" in text) == (real > 0.99)
    if "leaves it at" in text and "×" not in text:
        assert close(numbers("leaves it at #.", text)[0], real)


GAINS = arrays(np.float32, st.integers(2, 12), elements=st.integers(-200, 300).map(lambda n: n / 100))


@given(GAINS)
@example(np.array([0.05, 1.0], np.float32))
@example(np.array([0.5, -2.0], np.float32))
@example(np.ones(8, np.float32))
@example(np.zeros(8, np.float32))
def test_gains_are_told_with_what_they_do(gain):
    said = norm_view.gain_sentence(gain)
    even = np.where(np.arange(len(gain)) % 2, 1.0, -1.0)  # root mean square 1, all of one size
    assert close(numbers("then bring it to #.", said)[0], float(norms.rms(even * gain)), 3)
    if gain.max() == gain.min():
        assert close(numbers(f"All {len(gain)} gains are #.", said)[0], float(gain[0]))
        return
    low, at, high, top = numbers("between # (dimension #) and # (dimension #)", said)
    assert close(low, float(gain.min()))
    assert close(high, float(gain.max()))
    assert (gain[int(at)], gain[int(top)]) == (gain.min(), gain.max())
    closed, turned = int((abs(gain) < 0.1).sum()), int((gain < 0).sum())
    ends = "closes its dimension" if closed == 1 else "close their dimensions"
    assert (f" {closed} nearly {ends} " in said) == (closed > 0)
    assert (f" {turned} {'turns' if turned == 1 else 'turn'} the sign." in said) == (turned > 0)


@given(arrays(np.float64, st.integers(2, 9), elements=st.integers(1, 9000).map(lambda n: n / 100)))
def test_a_stream_that_shrinks_is_not_said_to_grow(rms):
    said = norm_view.order_sentence(rms)
    first, last = numbers("grows from # to #." if rms[-1] > rms[0] else "goes from # to #.", said)
    assert close(first, rms[0])
    assert close(last, rms[-1])


VECTORS = arrays(np.float32, st.just((3, 16)), elements=st.floats(-8, 8, width=16))


ENDS = tiny.passes().map(lambda seen: (seen.streams[0], seen.streams[-1]))


@given(st.one_of(st.tuples(VECTORS, VECTORS), ENDS))
@example((np.zeros((3, 16), np.float32), np.ones((3, 16), np.float32)))
def test_sizes_and_means_are_told_as_they_are(ends):
    start, end = ends
    first, last = norms.by_hand(start, 1e-6), norms.by_hand(end, 1e-6)
    said = norm_view.size_sentence(first, last)
    sizes = [np.sqrt((x.astype(float) ** 2).mean(-1)).mean() for x in (start, end)]
    if "×" not in said.split(" After,")[0]:
        shown = numbers("of # on average in the embedding and # after the last block.", said)
        assert all(close(*pair) for pair in zip(shown, sizes, strict=True))
    after = [norms.rms(norms.rms_norm(x.astype(float), 1e-6)) for x in (start, end)]
    near = all(abs(one - 1) < 0.005 for row in after for one in row)
    assert ("every one is at 1.00" in said) == near
    assert "more than rounding explains" not in said
    told = norm_view.mean_sentence(last, lambda at: f"token {at}")
    means = norms.rms_norm(end.astype(float), 1e-6).mean(-1)
    largest = int(np.abs(means).argmax())
    assert ("means near 0 anyway" in told) == (abs(means[largest]) < 0.01)
    if "still average" in told:
        at, mean = numbers("the numbers of token # still average #.", told)
        assert at == largest
        assert close(mean, means[largest], digits=2)


def test_an_epsilon_is_named_by_the_model_that_has_it():
    assert norm_view.epsilon_title(1e-5, "The store's model") == "10⁻⁵, as in the store's model"
    assert norm_view.epsilon_title(1e-8) == "10⁻⁸"
    assert norm_view.epsilon_title(2.5e-6, "Sprout") == "2.5 × 10⁻⁶, as in Sprout"


@pytest.mark.parametrize("biased", [True, False])
def test_biases_are_only_said_to_be_left_out_where_there_are_some(biased):
    said = norm_view.other_norm_sentence("A model", biased)
    assert said.startswith("A model has LayerNorm, not RMSNorm")
    assert ("biases" in said) == biased
