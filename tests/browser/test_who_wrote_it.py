"""From a cell of the lens to the heads behind it, by taps alone; and one text put into another."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from engine import records
from tests.browser import harness

HEADS = records.read("gpt-4").results["heads"]  # the strongest of each kind
PAGES = ["who_wrote_it?model=gpt-4&text=name&token=67&writer=a3.6", "what_if?model=gpt-1&pair=he-she"]


def opened(server, open_page, path, screen="desktop", scheme="light"):
    page = open_page(f"{server.url}/{path}", screen, scheme)
    page.get_by_role("heading", level=1).wait_for()
    return harness.settled(page)


def row(page, name):
    """A part's button in the waterfall."""
    return page.locator(".fall").get_by_role("button", name=f"{name}: wrote", exact=False)


def in_view(page, locator):
    """Wait until something is on the screen."""
    seen = "one => [one.getBoundingClientRect().top < innerHeight, one.getBoundingClientRect().bottom > 0]"
    harness.until(page, lambda: locator.evaluate(seen), [True, True])


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
    harness.until_chosen(page, writer=f"a{after['block']}.{after['head']}")
    title = page.get_by_role("heading", name=f"Head {after['head']} of block {after['block']}")
    in_view(page, title)
    # What followed the name's piece before.
    expect(page.locator(".pattern .said")).to_have_text(re.compile(r"at (14|54)\b"))
    # What it depends on writes nothing itself.
    carrier = page.get_by_role("button", name="Open head ")
    carrier.wait_for()
    tap(carrier)
    harness.until_chosen(page, writer=f"a{before['block']}.{before['head']}")
    page.get_by_role("heading", name=f"of block {before['block']}").wait_for()
    harness.no_traceback(page)


def test_the_keys_lead_along_the_bars(server, open_page):
    page = opened(server, open_page, PAGES[0])
    row(page, "block 1, attention").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    harness.until_chosen(page, writer="f1")
    harness.settled(page)
    expect(page.locator('.fall [data-part="f1"]')).to_be_focused()
    page.keyboard.press("Enter")  # and shut again
    harness.until_chosen(page, writer=None)


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_a_cell_is_marked_measured_and_looked_at(server, open_page, screen):
    page = opened(server, open_page, PAGES[1], screen)

    def cell(place):
        return page.locator(f'.patch td[data-cell="{place}"]')

    tapped = "tap" if screen == "phone" else "click"
    getattr(cell("1.7"), tapped)()
    harness.until_chosen(page, guess_in="1.7")
    harness.settled(page)
    page.get_by_role("button", name="Measure", exact=True).click()
    page.get_by_role("button", name="Predict again").wait_for()
    harness.settled(page)
    changed = page.locator(".patch thead th").all_inner_texts().index(page.locator("th.differs").inner_text())
    expect(cell(f"0.{changed - 1}")).to_have_text("1.00")  # the first head is the rows'
    getattr(cell("0.7"), tapped)()
    harness.settled(page)
    page.get_by_text("The model then says:").wait_for()
    expect(page.locator("ol.after li")).to_have_count(5)
    in_view(page, page.locator("ol.after"))
    expect(page.locator(harness.MAIN)).to_contain_text("You marked", use_inner_text=True)
    harness.no_traceback(page)
    again = opened(server, open_page, f"what_if?{urlsplit(page.url).query}", screen)
    expect(again.locator("ol.after li")).to_have_count(5)


def test_measuring_can_be_stopped_and_keeps_what_it_has(server, open_page):
    page = opened(server, open_page, "what_if?model=sprout&pair=made-up&put_in=attention")
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator(".patch td:not(.open)").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("of the grid measured and kept").wait_for()
    harness.settled(page)
    expect(page.locator(".patch td:not(.open)")).not_to_have_count(0)
    page.get_by_role("button", name="Measure the rest").click()
    page.get_by_role("button", name="Predict again").wait_for(timeout=240_000)
    expect(page.locator(".patch td.open")).to_have_count(0)


@pytest.mark.parametrize("path", PAGES)
def test_both_pages_fit_a_phone_and_can_be_used_by_all(server, open_page, path):
    page = opened(server, open_page, path, "phone", "dark")
    harness.fits(page)
    harness.no_traceback(page)
    assert not harness.axe(opened(server, open_page, path))
