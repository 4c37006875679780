"""The probability ramp and the frame on it: legible everywhere, deeper for more, to every reader's eyes."""

import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from views import marks

# How a light looks to readers without one kind of cone: Machado, Oliveira and Fernandes 2009, severity 1.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
THEME = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text("utf-8"))["theme"]
PAGES = {scheme: THEME[scheme]["backgroundColor"] for scheme in ("light", "dark")}


def luminance(colour, vision="usual"):
    """Relative luminance of "#rrggbb", as WCAG 2 defines it, as it looks to such eyes."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(np.clip(VISIONS[vision] @ linear, 0, 1) @ [0.2126, 0.7152, 0.0722])


def contrast(one, other, vision):
    """WCAG's contrast of two colours, from 1 to 21."""
    dark, light = sorted(luminance(colour, vision) + 0.05 for colour in (one, other))
    return light / dark


def lightness(colour, vision):
    """CIE L*, from 0 to 100: equal steps look about equal."""
    y = luminance(colour, vision)
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


@pytest.mark.parametrize("p", np.linspace(0, 1, 101))
def test_text_on_the_ramp_reaches_four_and_a_half_to_one(p):
    light = luminance(marks.ramp(p)) + 0.05
    assert (1.05 / light if p >= marks.INK_FLIPS else light / 0.05) >= 4.5


def test_more_is_deeper():
    light = [luminance(marks.ramp(p)) for p in np.linspace(0, 1, 101)]
    assert all(a > b for a, b in pairwise(light))


@pytest.mark.parametrize("vision", VISIONS)
def test_a_tenth_more_is_visibly_deeper_to_all_eyes(vision):
    light = [lightness(marks.ramp(p), vision) for p in np.linspace(0, 1, 11)]
    assert all(a - b > 4 for a, b in pairwise(light))


def stands_out(rings, page, cell, vision):
    """Whether some ring is set off by 3:1 from what lies on either side of it."""
    colours = [page, *rings, cell]
    return any(
        contrast(colours[i], colours[i - 1], vision) >= 3
        and contrast(colours[i], colours[i + 1], vision) >= 3
        for i in range(1, len(colours) - 1)
    )


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_frame_shows_on_every_cell_and_page_to_all_eyes(page, vision):
    rings = [colour for colour, _ in marks.FRAME]
    assert all(stands_out(rings, page, marks.ramp(p), vision) for p in np.linspace(0, 1, 101))


def test_a_frame_that_melts_into_page_and_cell_is_found_out():
    assert not stands_out(["#000000", "#ffffff"], PAGES["dark"], marks.ramp(0), "usual")
    assert not stands_out(["#000000"], PAGES["light"], marks.ramp(1), "usual")


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("scheme", PAGES)
def test_the_chosen_cells_outline_is_set_off_from_the_page(scheme, vision):
    accent = marks.ACCENT[0 if scheme == "light" else 1]
    assert contrast(accent, PAGES[scheme], vision) >= 3
