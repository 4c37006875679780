"""The tools of the browser tests do what they say, tried on tiny apps of their own."""

from textwrap import dedent

import pytest
from playwright.sync_api import expect

from tests.browser import harness


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    app = tmp_path_factory.mktemp("tiny") / "tiny.py"
    app.write_text(
        dedent(
            """
            import time
            import streamlit as st

            st.title("Tiny")
            if st.button("Slow"):
                time.sleep(1)
                st.write("slow is done")
            if st.button("Break"):
                raise RuntimeError("broken on purpose")
            if st.button("Remote"):
                st.image("https://example.org/nothing.png")
            """
        )
    )
    with harness.serve(app) as server:
        yield server


def test_settled_waits_for_a_slow_script(tiny, open_page):
    page = open_page(tiny.url)
    page.get_by_role("button", name="Slow").click()
    harness.settled(page)
    expect(page.get_by_text("slow is done")).to_be_visible()
    harness.no_traceback(page)


def test_an_exception_on_the_page_is_noticed(tiny, open_page):
    page = open_page(tiny.url)
    page.get_by_role("button", name="Break").click()
    harness.settled(page)
    with pytest.raises(AssertionError, match="exception"):
        harness.no_traceback(page)


def test_a_page_that_reaches_for_the_network_is_noticed(tiny, open_page):
    page = open_page(tiny.url)
    with page.expect_console_message(lambda said: said.type == "error"):
        page.get_by_role("button", name="Remote").click()
    with pytest.raises(AssertionError, match="ERR_NAME_NOT_RESOLVED"):
        harness.no_traceback(page)


def test_axe_finds_a_picture_without_words(open_page, tiny):
    page = open_page(tiny.url)
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"data:,\">')")
    assert any("image-alt" in line for line in harness.axe(page))


def test_a_server_that_stops_says_why(tmp_path):
    missing = tmp_path / "missing.py"
    with pytest.raises(RuntimeError, match=r"missing\.py"), harness.serve(missing):
        pass
