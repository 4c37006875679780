"""Class mode of the diagram, depth and leave out: title, controls and figure, and nothing else."""

import pytest

from tests.pages.reader import SHORT, Reader

PAGES = ("diagram", "depth", "leave_out")


@pytest.mark.parametrize("page", PAGES)
def test_class_mode_leaves_the_figure_and_its_controls(page):
    usual, projected = (Reader(page, **SHORT, **more) for more in ({}, {"class": "1"}))
    assert not projected.trouble()
    assert projected.at.title[0].value == usual.at.title[0].value
    assert "Try" in [one.value for one in usual.at.header]
    assert "Try" not in [one.value for one in projected.at.header]
    labels = {one.label for one in projected.controls()}
    assert {"Model", "Class mode"} <= labels
    sources = [data for _, data in projected.components() if data and "rows" in data and "where" in data]
    assert not sources


@pytest.mark.parametrize("page", PAGES)
def test_class_mode_is_left_and_the_page_is_whole_again(page):
    reader = Reader(page, **SHORT, **{"class": "1"})
    control = next(one for one in reader.controls() if one.label == "Class mode")
    reader.choose((control, False))
    assert "Try" in [one.value for one in reader.at.header]
    assert not reader.trouble()
