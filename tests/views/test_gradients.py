"""The gradient lengths of untrained stacks as bars."""

import re

import pytest

from engine import gradients
from views import gradients as views


def widths(html):
    return [float(w) for w in re.findall(r"width: ([\d.]+)%", html)]


@pytest.mark.parametrize("way", views.WAYS)
def test_every_depth_has_a_bar_and_its_number(way):
    kept = gradients.read()
    html = views.bars(kept, way)
    assert len(widths(html)) == len(kept["depths"])
    assert all(f"{depth} blocks" in html for depth in kept["depths"])


def test_bars_of_all_ways_share_one_logarithmic_scale():
    kept = {"depths": [2, 4], "lengths": {"plain": {"ours": [1.0, 10.0], "no_addition": [100.0, 0.0]}}}
    kept["lengths"]["plain"]["post_norm"] = [1.0, 1.0]
    (one, ten), (hundred, none) = (widths(views.bars(kept, w)) for w in ("ours", "no_addition"))
    assert ten - one == pytest.approx(hundred - ten, abs=0.2)
    assert hundred == 100
    assert none == 0
