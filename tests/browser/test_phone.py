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
        "logo": harness.box(page.get_by_test_id("stHeaderLogo")),
        "menu of pages": harness.box(page.get_by_test_id("stExpandSidebarButton")),
        "Share": harness.box(page.get_by_role("button", name="Share", exact=True)),
        "main menu": harness.box(page.get_by_test_id("stMainMenuButton")),
    }


@pytest.mark.parametrize(("width", "touch"), NARROW)
def test_share_and_both_menus_stand_side_by_side_above_the_title(narrow, width, touch):
    page = narrow("norm?model=gpt-1", width, touch)
    found = boxes(page)
    in_order = list(found.values())
    assert in_order[0]["x"] >= 0
    assert all(a["x"] + a["width"] <= b["x"] for a, b in pairwise(in_order)), found
    assert in_order[-1]["x"] + in_order[-1]["width"] <= width
    title = harness.box(page.get_by_role("heading", level=1))
    assert all(one["y"] + one["height"] <= title["y"] for one in in_order), found
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("dialog[open] img")).to_be_visible()
    harness.no_traceback(page)


def test_the_running_lines_are_folded_and_open_at_the_lines_that_are_meant(narrow):
    page = narrow("norm?model=gpt-1")
    listing = page.locator(".listing").last
    expect(listing).to_be_hidden()
    fold = page.locator("summary", has_text="engine/model.py")
    expect(fold).to_contain_text("RMSNorm", use_inner_text=True)
    fold.tap()
    row = listing.locator(".row.on").first
    expect(row).to_be_visible()
    around, first = harness.box(listing), harness.box(row)
    assert around["y"] <= first["y"] <= around["y"] + around["height"] - 20
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".listing").first).to_be_visible()
    expect(fold).to_be_hidden()


FOLDED = [
    ("depth?model=gpt-4", "Every head's score", ".pattern"),
    ("parameters", "in the order of the forward pass", "table >> nth=1"),
    ("how_it_learned", "Settings, your two marks", "[data-testid=stRadio] >> nth=0"),
]


@pytest.mark.parametrize(("path", "says", "inside"), FOLDED)
def test_what_is_for_the_second_visit_is_folded_and_a_tap_opens_it(narrow, path, says, inside):
    page = narrow(path)
    held, fold = page.locator(inside), page.locator("summary", has_text=says)
    expect(fold).to_be_visible()
    expect(held).to_be_attached()
    expect(held).to_be_hidden()
    assert harness.box(fold)["height"] >= 44
    fold.tap()
    expect(held).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(fold).to_be_hidden()
    fold.evaluate("one => one.parentNode.removeAttribute('open')")
    expect(held).to_be_visible()
    harness.no_traceback(page)


@pytest.mark.parametrize(("width", "touch"), [(390, True), (1280, False)])
def test_a_heads_arc_is_seen_from_end_to_end_and_its_matrix_has_labels(narrow, width, touch):
    page = narrow("depth?model=gpt-4", width, touch)  # the head that copies most, at the name's second piece
    room = page.locator(".pattern .words")
    room.wait_for(state="attached")
    if touch:
        page.locator("summary", has_text="Every head's score").tap()
    room.scroll_into_view_if_needed()

    def seen():
        around, arc = harness.box(room), harness.box(page.locator(".pattern svg path").first)
        return around["x"] <= arc["x"] and arc["x"] + arc["width"] <= around["x"] + around["width"]

    harness.until(page, seen, True)
    words = page.locator(".pattern .word")
    more = page.locator(".pattern .more")
    gathered = int(more.inner_text().split()[-1])
    expect(words.filter(visible=True)).to_have_count(words.count() - gathered)
    for label in page.locator(".pattern .axis").all():
        expect(label).to_be_visible()
        assert len(label.inner_text().split()) == 6  # its ends, and four words between
    more.click()
    expect(more).to_have_count(0)
    expect(words.filter(visible=True)).to_have_count(words.count())
    harness.no_traceback(page)
