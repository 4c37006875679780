"""The app starts, and its landing page comes up clean on every screen."""

import urllib.request

import pytest

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
def test_the_landing_page_renders(server, open_page, screen, scheme):
    page = open_page(server.url, screen, scheme)
    assert page.get_by_role("heading", level=1).first.is_visible()
    harness.no_traceback(page)


@pytest.mark.parametrize("screen", harness.SCREENS)
def test_the_landing_page_does_not_scroll_sideways(server, open_page, screen):
    page = open_page(server.url, screen)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_landing_page_is_accessible(server, open_page, scheme):
    assert harness.axe(open_page(server.url, scheme=scheme)) == []


def test_the_landing_page_works_on_a_server_nobody_has_visited(fresh_server, open_page):
    page = open_page(fresh_server().url)
    assert page.get_by_role("heading", level=1).first.is_visible()
    harness.no_traceback(page)


@pytest.mark.parametrize("address", ["/", "/diagram"])
def test_a_link_to_a_part_opens_it_on_a_server_nobody_has_visited(fresh_server, open_page, address):
    page = open_page(f"{fresh_server().url}{address}?model=gpt-1&part=w2")
    page.locator(harness.part("w2")).wait_for()
    assert page.locator(harness.part("w2")).get_attribute("aria-pressed") == "true"
    assert not page.get_by_text("Page not found").count()
    harness.no_traceback(page)


def test_what_is_chosen_at_the_second_address_stays_there_and_comes_along(server, open_page):
    page = open_page(f"{server.url}/diagram?model=sprout&part=tokens")
    page.locator(harness.part("final_norm")).click()
    harness.settled(page)
    assert "/diagram?" in page.url
    assert "part=final_norm" in page.url
    page.reload()
    harness.settled(page)
    assert page.locator(harness.part("final_norm")).get_attribute("aria-pressed") == "true"
    page.get_by_test_id("stTopNav").get_by_text("Look inside").click()
    lens = page.get_by_role("menuitem", name="Logit lens")
    lens.wait_for()
    assert page.get_by_role("menuitem", name="Diagram", exact=True).count() == 1
    lens.click()
    harness.settled(page)
    page.wait_for_url("**/lens?*")
    assert page.get_by_role("combobox", name="Model").input_value() == "Sprout"
