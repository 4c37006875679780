"""The pages of the models and of writing in a real browser: read, write, stop."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness


def opened(server, open_page, screen="desktop", scheme="light"):
    page = open_page(f"{server.url}/models?model=gpt-1", screen, scheme)
    page.get_by_role("heading", name="The models").wait_for()
    harness.settled(page)
    harness.no_traceback(page)
    return page


@pytest.mark.parametrize("screen", ["phone", "projector"])
def test_the_page_fits_the_screen(server, open_page, screen):
    page = opened(server, open_page, screen, "dark")
    harness.fits(page)


def test_the_page_is_accessible_with_every_fold_open(server, open_page):
    page = opened(server, open_page)
    shut = page.locator("details:not([open]) > summary")
    while shut.count():
        shut.first.click()
        harness.settled(page)
    expect(page.locator("details[open]")).not_to_have_count(0)
    assert not harness.axe(page)


def test_stop_ends_the_writing(server, open_page):
    page = open_page(f"{server.url}/story?model=gpt-1")
    main = page.locator(harness.MAIN)
    main.get_by_role("button", name="Write", exact=True).click()
    text = main.get_by_test_id("stText")
    text.filter(has_text=re.compile("Once upon a time there was .")).wait_for()
    main.get_by_role("button", name="Stop", exact=True).click()
    harness.settled(page)
    harness.no_traceback(page)
    expect(text).to_have_text(re.compile("^Once upon a time there was"))
    stopped = text.inner_text()
    page.wait_for_timeout(500)
    assert text.inner_text() == stopped
