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
