"""The probability ramp: legible at every place, and deeper for more."""

from itertools import pairwise

import numpy as np
import pytest

from views import marks


def luminance(colour):
    """Relative luminance of "#rrggbb", as WCAG 2 defines it."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("p", np.linspace(0, 1, 101))
def test_text_on_the_ramp_reaches_four_and_a_half_to_one(p):
    light = luminance(marks.ramp(p)) + 0.05
    assert (1.05 / light if p >= marks.INK_FLIPS else light / 0.05) >= 4.5


def test_more_is_deeper():
    light = [luminance(marks.ramp(p)) for p in np.linspace(0, 1, 101)]
    assert all(a > b for a, b in pairwise(light))
