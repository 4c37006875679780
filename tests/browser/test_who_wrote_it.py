"""From a cell of the lens to the heads behind it, by taps alone; and one text put into another."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from engine import records
from tests.browser import harness

HEADS = records.read("gpt-4").results["heads"]  # the strongest of each kind
PAGES = ["who_wrote_it?model=gpt-4&text=name&token=67&writer=a3.6", "what_if?model=gpt-1&pair=he-she"]


def opened(server, open_page, path, screen="desktop", scheme="light"):
    page = open_page(f"{server.url}/{path}", screen, scheme)
    page.get_by_role("heading", level=1).wait_for()
    return harness.settled(page)


def address(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def row(page, name):
    """A part's button in the waterfall."""
    return page.locator(".fall").get_by_role("button", name=f"{name}: wrote", exact=False)


def in_view(page, locator):
    """Wait until something is on the screen."""
    within = "const { top, bottom } = one.getBoundingClientRect(); return top < innerHeight && bottom > 0"
    page.wait_for_function(f"one => {{ {within} }}", arg=locator.element_handle())


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_taps_lead_from_a_cell_of_the_lens_to_the_head_that_its_answer_depends_on(server, open_page, screen):
    page = opened(server, open_page, "lens?model=gpt-4&text=name", screen)

    def tap(locator):
        locator.tap() if screen == "phone" else locator.click()
        harness.settled(page)

    before, after = (HEADS[kind] for kind in ("previous", "induction"))
    # The third time the name comes, its last piece: the last row, after “·Pl”.
    tap(page.locator(".lens tbody tr").last.locator("td").nth(69))
    tap(page.get_by_role("link", name="Who wrote this score? Position 69, after block 4"))
    page.get_by_role("heading", name="Who wrote it").wait_for()
    harness.settled(page)
    # The longest bar is an attention; in it, a head of induction.
    tap(row(page, f"block {after['block']}, attention"))
    tap(row(page, f"head {after['head']}"))
    assert address(page)["writer"] == f"a{after['block']}.{after['head']}"
    title = page.get_by_role("heading", name=f"Head {after['head']} of block {after['block']}")
    in_view(page, title)
    said = page.locator(".pattern .said")
    assert re.search(r"at (14|54)\b", said.inner_text())  # what followed the name's piece before
    # What it depends on writes nothing itself.
    carrier = page.get_by_role("button", name="Open head ")
    carrier.wait_for(timeout=60_000)
    tap(carrier)
    assert address(page)["writer"] == f"a{before['block']}.{before['head']}"
    page.get_by_role("heading", name=f"of block {before['block']}").wait_for()
    harness.no_traceback(page)


def test_the_keys_lead_along_the_bars(server, open_page):
    page = opened(server, open_page, PAGES[0])
    row(page, "block 1, attention").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    harness.settled(page)
    assert address(page)["writer"] == "f1"
    assert page.evaluate("document.querySelector('.fall')?.getRootNode().activeElement.dataset.part") != ""
    page.keyboard.press("Enter")  # and shut again
    harness.settled(page)
    assert "writer" not in address(page)


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_a_cell_is_marked_measured_and_looked_at(server, open_page, screen):
    page = opened(server, open_page, PAGES[1], screen)

    def cell(place):
        return page.locator(f'.patch td[data-cell="{place}"]')

    tapped = "tap" if screen == "phone" else "click"
    getattr(cell("1.7"), tapped)()
    harness.settled(page)
    assert address(page)["guess_in"] == "1.7"
    page.get_by_role("button", name="Measure", exact=True).click()
    page.get_by_role("button", name="Predict again").wait_for(timeout=60_000)
    harness.settled(page)
    changed = page.locator(".patch thead th").all_inner_texts().index(page.locator("th.differs").inner_text())
    assert cell(f"0.{changed - 1}").inner_text() == "1.00"  # the first head is the rows'
    getattr(cell("0.7"), tapped)()
    harness.settled(page)
    page.get_by_text("The model then says:").wait_for()
    assert page.locator("ol.after li").count() == 5
    in_view(page, page.locator("ol.after"))
    assert "You marked" in page.locator(harness.MAIN).inner_text()
    harness.no_traceback(page)
    again = opened(server, open_page, f"what_if?{urlsplit(page.url).query}", screen)
    assert again.locator("ol.after li").count() == 5


def test_measuring_can_be_stopped_and_keeps_what_it_has(server, open_page):
    page = opened(server, open_page, "what_if?model=sprout&pair=made-up&put_in=attention")
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator(".patch td:not(.open)").first.wait_for(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("of the grid measured and kept").wait_for(timeout=60_000)
    harness.settled(page)
    kept = page.locator(".patch td:not(.open)").count()
    assert kept > 0
    page.get_by_role("button", name="Measure the rest").click()
    page.get_by_role("button", name="Predict again").wait_for(timeout=240_000)
    assert page.locator(".patch td.open").count() == 0


@pytest.mark.parametrize("path", PAGES)
def test_both_pages_fit_a_phone_and_can_be_used_by_all(server, open_page, path):
    page = opened(server, open_page, path, "phone", "dark")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    harness.no_traceback(page)
    assert not harness.axe(opened(server, open_page, path))
