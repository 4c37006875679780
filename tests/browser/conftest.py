"""A server and a browser for each test process, and pages the size of a laptop, a phone and a projector."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import harness
from tests.browser.harness import ROOT, Server

FAILURES = ROOT / "out" / "failures"
HERE = Path(__file__).parent
_failed = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember a failure, so that the pages can be photographed before they close."""
    report = yield
    if report.failed:
        item.stash[_failed] = True
    return report


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The app, started once for each test process."""
    with harness.serve() as running:
        yield running


@pytest.fixture
def fresh_server() -> Iterator[Callable[..., Server]]:
    """A function that starts one more server that nobody has visited yet."""
    with contextlib.ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(harness.serve(*arguments))


@pytest.fixture(autouse=True)
def _no_traceback_in_the_log(request: pytest.FixtureRequest) -> Iterator[None]:
    if "server" not in request.fixturenames:
        yield
        return
    running = request.getfixturevalue("server")
    before = len(running.log())
    yield
    printed = running.log()[before:]
    assert "Traceback" not in printed, f"the server printed a traceback:\n{printed[-4000:]}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once for each test process."""
    with sync_playwright() as playwright:
        chromium = harness.launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Callable[..., Page]]:
    """open_page(url, screen="desktop", scheme="light"): a new visitor's page, settled.

    When the test fails, a picture of every page it opened is saved in out/failures.
    """
    pages: list[Page] = []

    def open_page(url: str, screen: str = "desktop", scheme: str = "light") -> Page:
        page = harness.new_page(harness.new_context(browser, screen, scheme))
        pages.append(page)
        page.goto(url)
        return harness.settled(page)

    yield open_page
    for number, page in enumerate(pages, start=1):
        if request.node.stash.get(_failed, False):
            name = re.sub(r"[^\w.-]+", "-", request.node.nodeid.removeprefix("tests/browser/"))
            FAILURES.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(Exception):
                page.screenshot(path=FAILURES / f"{name}-{number}.png", full_page=True)
        page.context.close()


@pytest.fixture
def desktop(server: Server, open_page: Callable[..., Page]) -> Page:
    """The landing page on a screen of 1280 × 800."""
    return open_page(server.url)


@pytest.fixture
def phone(server: Server, open_page: Callable[..., Page]) -> Page:
    """The landing page on a touch screen of 390 × 844."""
    return open_page(server.url, "phone")


@pytest.fixture
def projector(server: Server, open_page: Callable[..., Page]) -> Page:
    """The landing page on a screen of 1920 × 1080."""
    return open_page(server.url, "projector")
