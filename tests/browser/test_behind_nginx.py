"""Two app processes behind the nginx of deploy/, below a path: what a browser loads, sends and keeps."""

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import harness, lens_page
from tests.deploy import nginx

pytestmark = nginx.needs_nginx

BASE = "/explorer"
CONFIG = b'{"model_type": "gpt2", "vocab_size": 50257, "n_embd": 768, "n_layer": 12, "n_head": 12}'
LOST = f"() => document.querySelector('{harness.APP_VIEW}').dataset.testConnectionState !== 'CONNECTED'"
# Notes whether a run begins from now on.
WATCH = f"""() => {{
    const app = document.querySelector('{harness.APP_VIEW}');
    new MutationObserver(() => {{ window.__ran ||= app.dataset.testScriptState === "running"; }})
        .observe(app, {{ attributes: true }});
}}"""


@dataclass
class Site:
    """Where readers come, and the processes behind it by their address."""

    url: str
    proxy: nginx.Proxy
    processes: dict[str, harness.Server]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[Site]:
    with contextlib.ExitStack() as stack:
        settings = stack.enter_context(pytest.MonkeyPatch.context())
        settings.setenv("STREAMLIT_SERVER_COOKIE_SECRET", secrets.token_hex(32))
        servers = [stack.enter_context(harness.serve(base=BASE)) for _ in range(2)]
        processes = {urlsplit(server.url).netloc: server for server in servers}
        ports = [urlsplit(server.url).port for server in servers]
        proxy = stack.enter_context(nginx.running(tmp_path_factory.mktemp("nginx"), ports, BASE))
        yield Site(proxy.url, proxy, processes)
        for server in servers:
            assert "Traceback" not in server.log()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """A new reader's settled page at an address."""
    with contextlib.ExitStack() as stack:

        def visit(address: str) -> Page:
            context = browser.new_context(**harness.SCREENS["desktop"], ignore_https_errors=True)
            stack.callback(context.close)
            page = harness.new_page(context)
            page.goto(address)
            return harness.settled(page)

        yield visit


def process_of(site: Site, page: Page) -> str:
    """The address of the process that has this reader's session."""
    path = f"{BASE}/_stcore/health"
    before = len(site.proxy.processes_asked(path))
    page.context.request.get(f"{site.url}/_stcore/health")
    return harness.until(page, lambda: site.proxy.processes_asked(path), lambda found: len(found) > before)[
        -1
    ]


def drawn(page: Page) -> list[str]:
    return [text for row in range(4) for text in lens_page.texts_of(page, row)]


@pytest.mark.parametrize("page_name", ["", "diagram", "lens", "stream", "parameters", "code"])
def test_a_page_breaks_none_of_the_rules_that_nginx_sends(site, visit, page_name):
    page = visit(f"{site.url}/{page_name}")
    page.wait_for_load_state("networkidle")
    harness.no_traceback(page)


def test_a_tap_on_the_diagram_is_answered_and_kept_in_the_address(site, visit):
    page = visit(f"{site.url}/diagram")
    page.locator(harness.part("attention")).click()
    harness.settled(page)
    harness.until_chosen(page, part="attention")
    harness.until(page, page.locator(".code .listing .row.on").count, lambda rows: rows > 3)
    harness.no_traceback(page)


def test_a_file_is_handed_in_and_one_taken_away(site, visit):
    page = visit(f"{site.url}/parameters?count=config")
    config = {"name": "config.json", "mimeType": "application/json", "buffer": CONFIG}
    page.locator("input[type=file]").set_input_files(config)
    page.get_by_text("Family: GPT-2.").wait_for()
    page.goto(f"{site.url}/lens?text=easy")
    harness.settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    assert waiting.value.path().read_text("utf-8").count("\n") > 10
    harness.no_traceback(page)


def test_readers_of_a_process_that_dies_go_on_with_the_other(site, visit):
    page = visit(lens_page.own(site, lens_page.ZORBIN))
    _, trace, _ = lens_page.measured(lens_page.MODEL, lens_page.ZORBIN)
    address, before, lost = page.url, drawn(page), process_of(site, page)
    assert len(lens_page.texts_of(page, 0)) == len(trace.ids)
    page.evaluate(WATCH)
    site.processes[lost].process.kill()
    page.wait_for_function(LOST)
    page.wait_for_function("() => window.__ran")  # the other process runs the page
    harness.settled(page)
    assert process_of(site, page) != lost
    harness.until(page, lambda: (page.url, drawn(page)), (address, before))
    lens_page.cell(page, 1, 2).click()
    page.wait_for_url(lambda url: url != address)
    harness.until_chosen(page, own=lens_page.ZORBIN)
