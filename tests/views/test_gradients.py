"""The gradient lengths of untrained stacks as bars."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from engine import gradients
from tests.said import close, numbers
from views import gradients as gradients_view


def widths(html):
    return [float(w) for w in re.findall(r"width: ([\d.]+)%", html)]


@pytest.mark.parametrize("way", gradients_view.WAYS)
def test_every_depth_has_a_bar_and_its_number(way):
    kept = gradients.read()
    html = gradients_view.bars(kept, way)
    assert len(widths(html)) == len(kept["depths"])
    assert all(f"{depth} blocks" in html for depth in kept["depths"])


def test_bars_of_all_ways_share_one_logarithmic_scale():
    lengths = {"ours": [[1.0], [10.0]], "no_addition": [[100.0], [0.0]], "post_norm": [[1.0], [1.0]]}
    kept = {"depths": [2, 4], "lengths": {"plain": lengths}}
    (one, ten), (hundred, none) = (widths(gradients_view.bars(kept, w)) for w in ("ours", "no_addition"))
    assert ten - one == pytest.approx(hundred - ten, abs=0.2)
    assert hundred == 100
    assert none == 0


def test_adding_keeps_the_gradient_even_and_the_other_ways_do_not():
    plain = gradients.read()["lengths"]["plain"]
    ours, none, post = (
        np.quantile(gradients_view.growth(plain[kind]), (0.25, 0.75))
        for kind in ("ours", "no_addition", "post_norm")
    )
    assert ours[1] < post[0] < post[1] < none[0]


LENGTHS = arrays(np.float64, (2, 3, 2, 5), elements=st.sampled_from([0.0, 0.5, 0.55, 3.0, 2_212.0]))


@given(LENGTHS)
def test_the_sentences_hold_the_quartiles_of_the_starts(drawn):
    drawn[0, :, 0] = np.maximum(drawn[0, :, 0], 0.5)  # at the first depth something arrives
    kinds = tuple(gradients_view.WAYS)
    lengths = {
        start: {kind: drawn[i, j].tolist() for j, kind in enumerate(kinds)}
        for i, start in enumerate(gradients.STARTS)
    }
    kept = {"depths": [2, 32], "lengths": lengths, "setup": {"seeds": 5, "d_model": 64}}
    said = " ".join(gradients_view.sentences(kept))
    for kind, words in zip(kinds, ("becomes #", "with our way, #", "nothing is added, and #"), strict=True):
        first, last = np.array(lengths["plain"][kind])
        middle = float(np.median(last / first))
        assert close(numbers(f"{words} times (# to #)", said)[0], middle, 2), kind
    lost = numbers("arrives at # blocks in # of 5 starts", said)
    counts = [(drawn[1, kinds.index("no_addition"), place] == 0).sum() for place in (0, 1)]
    assert (lost is not None) == (max(counts) > 2.5)
    if lost:
        assert counts[{2: 0, 32: 1}[lost[0]]] == lost[1]
    medians = np.median(drawn[1, kinds.index("post_norm")], axis=-1)
    assert ("about as long at every depth" in said) == (0 < medians.max() < 2 * medians.min())


@pytest.mark.parametrize(("x", "shown"), [(221_200, "220,000"), (0.0219, "0.022"), (0, "0"), (3.284, "3.3")])
def test_lengths_have_two_digits(x, shown):
    assert gradients_view.rough(x) == shown
