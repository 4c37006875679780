"""The pages on tokens, on attention and on writing in a real browser: clean, on every screen."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness

PAGES = ("tokens?model=gpt-1", "attention?model=gpt-1&block=1&head=2", "story?model=gpt-1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_the_page_is_accessible(server, open_page, address, scheme):
    page = open_page(f"{server.url}/{address}", scheme=scheme)
    assert harness.axe(page) == []
    harness.no_traceback(page)


@pytest.mark.parametrize("address", PAGES)
def test_the_page_fits_a_phone(server, open_page, address):
    page = open_page(f"{server.url}/{address}", "phone")
    harness.fits(page)


def test_the_slider_takes_merges_back_one_by_one(server, open_page):
    page = open_page(f"{server.url}/tokens?model=gpt-1&text=easy")
    cut = page.locator(".cut").first
    before = harness.until(page, cut.locator("span").count, bool)
    page.get_by_role("slider", name="Merges done").focus()
    page.keyboard.press("Home")
    page.wait_for_url(re.compile("merge=0"))
    page.get_by_text("Before any merge").wait_for()
    harness.until(page, cut.locator("span").count, lambda pieces: pieces > 3 * before)


def test_a_card_leads_to_its_page_and_the_page_back_to_the_part(server, open_page):
    page = open_page(f"{server.url}/diagram?model=gpt-1&part=causal_softmax&token=4&head=2&text=hard")
    page.locator(".further a").first.click()
    page.wait_for_url(re.compile("/attention"))
    harness.settled(page)
    harness.until_chosen(page, model="gpt-1", head="2", text="hard")
    expect(page.locator(".line button[aria-pressed=true]")).to_have_attribute(
        "aria-label", re.compile("^token 4,")
    )
    page.get_by_role("link", name="Its place in the picture").click()
    page.wait_for_url(re.compile("/diagram"))
    harness.settled(page)
    expect(page.locator(harness.part("causal_softmax"))).to_have_attribute("aria-pressed", "true")
    harness.until_chosen(page, token="4")
    harness.no_traceback(page)
