"""A narrow screen: what stands in its head, and what is folded there."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.browser import harness

NARROW = [(390, True), (390, False), (320, True)]


@pytest.fixture
def narrow(browser, server):
    """narrow(path, width, touch=True, …): a page of a narrow screen, settled."""
    opened = []

    def open_page(path, width=390, touch=True, height=844, scheme="light", **more):
        size = {"width": width, "height": height}
        opened.append(
            browser.new_context(viewport=size, has_touch=touch, is_mobile=touch, color_scheme=scheme, **more)
        )
        page = harness.new_page(opened[-1])
        page.goto(f"{server.url}/{path}")
        return harness.settled(page)

    yield open_page
    for context in opened:
        context.close()


def boxes(page):
    """{what: its box} of all that stands in the head's row."""
    return {
        "logo": page.get_by_test_id("stHeaderLogo").bounding_box(),
        "menu of pages": page.get_by_test_id("stExpandSidebarButton").bounding_box(),
        "Share": page.get_by_role("button", name="Share", exact=True).bounding_box(),
        "main menu": page.get_by_test_id("stMainMenuButton").bounding_box(),
    }


@pytest.mark.parametrize(("width", "touch"), NARROW)
def test_share_and_both_menus_stand_side_by_side_above_the_title(narrow, width, touch):
    page = narrow("norm?model=gpt-1", width, touch)
    found = boxes(page)
    in_order = list(found.values())
    assert in_order[0]["x"] >= 0
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(in_order)), found
    assert in_order[-1]["x"] + in_order[-1]["width"] <= width
    title = page.get_by_role("heading", level=1).bounding_box()
    assert all(one["y"] + one["height"] <= title["y"] for one in in_order), found
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("dialog[open] img")).to_be_visible()
    harness.no_traceback(page)


def test_the_running_lines_are_folded_and_open_at_the_lines_that_are_meant(narrow):
    page = narrow("norm?model=gpt-1")
    listing = page.locator(".listing").last
    assert not listing.is_visible()
    fold = page.locator("summary", has_text="engine/model.py")
    assert "RMSNorm" in fold.inner_text()
    fold.tap()
    row = listing.locator(".row.on").first
    expect(row).to_be_visible()
    around, first = listing.bounding_box(), row.bounding_box()
    assert around["y"] <= first["y"] <= around["y"] + around["height"] - 20
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".listing").first).to_be_visible()
    assert not fold.is_visible()
