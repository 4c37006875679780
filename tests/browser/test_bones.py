"""The app starts, and its landing page comes up clean on every screen."""

import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser import harness


def test_the_server_is_healthy(server):
    with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=10) as answer:
        assert (answer.status, answer.read()) == (200, b"ok")


def test_the_server_starts_without_a_warning(server):
    log = server.log().lower()
    assert "warning" not in log, log
    assert "not a valid config option" not in log, log


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", harness.SCREENS)
def test_the_landing_page_comes_up_and_fits(server, open_page, screen, scheme):
    page = open_page(server.url, screen, scheme)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    harness.fits(page)
    harness.no_traceback(page)


def test_the_landing_page_works_on_a_server_nobody_has_visited(fresh_server, open_page):
    page = open_page(fresh_server().url)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    harness.no_traceback(page)


@pytest.mark.parametrize("address", ["/", "/diagram"])
def test_a_link_to_a_part_opens_it_on_a_server_nobody_has_visited(fresh_server, open_page, address):
    page = open_page(f"{fresh_server().url}{address}?model=gpt-1&part=w2")
    page.locator(harness.part("w2")).wait_for()
    expect(page.locator(harness.part("w2"))).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("Page not found")).to_have_count(0)
    harness.no_traceback(page)


def test_what_is_chosen_at_the_second_address_stays_there_and_comes_along(server, open_page):
    page = open_page(f"{server.url}/diagram?model=sprout&part=tokens")
    page.locator(harness.part("final_norm")).click()
    page.wait_for_url("**/diagram?**part=final_norm**")
    harness.settled(page)
    page.reload()
    harness.settled(page)
    expect(page.locator(harness.part("final_norm"))).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("stTopNav").get_by_text("Look inside").click()
    lens = page.get_by_role("menuitem", name="Logit lens")
    lens.wait_for()
    expect(page.get_by_role("menuitem", name="Diagram", exact=True)).to_have_count(1)
    lens.click()
    page.wait_for_url("**/lens?*")
    expect(page.get_by_role("combobox", name="Model")).to_have_value("Sprout")
