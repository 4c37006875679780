"""Sharing and framing in a real browser: the code holds this very state, and a frame shows the page alone."""

import io
import re

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import expect

from tests.browser import harness


def test_the_code_holds_the_state_that_a_tap_just_chose(server, open_page):
    page = open_page(f"{server.url}/lens?text=name&model=gpt-1")
    page.locator(".lens table tbody tr").nth(1).locator("td").nth(4).click()
    page.wait_for_url("**cell=1.4**")
    harness.settled(page)
    page.get_by_role("button", name="Share", exact=True).click()
    page.locator("dialog[open] img").wait_for()

    def held_and_said():
        picture = Image.open(io.BytesIO(page.locator("dialog img").screenshot()))
        return zxingcpp.read_barcode(picture), page.locator("dialog .where").inner_text()

    _, held = harness.until(page, held_and_said, lambda both: both[0] and both[0].text == both[1])
    assert "cell=1.4" in held
    again = open_page(held)
    expect(again.locator(".lens td.chosen")).to_have_attribute("aria-label", re.compile("^after block 1"))
    expect(page.locator("dialog .says")).to_contain_text(
        "listens on this computer alone", use_inner_text=True
    )
    harness.no_traceback(page)


# Notes every element of Streamlit's head's row that is ever drawn in a frame, from its first moment on.
HEAD = """() => {
    if (window === window.top) return;
    const seen = (window.__head = []);
    const wanted = '[data-testid="stHeader"] *, [data-testid^="stSidebar"]';
    const look = () => {
        for (const one of document.querySelectorAll(wanted))
            if (one.getClientRects().length) seen.push(one.dataset.testid || one.tagName);
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
}"""


@pytest.mark.parametrize("width", [800, 390])
def test_a_framed_page_shows_itself_alone_from_its_first_moment_on(server, open_page, width):
    page = open_page(f"{server.url}/norm?model=gpt-1")
    page.context.add_init_script(f"({HEAD})()")
    page.evaluate(
        """([src, width]) => {
            document.body.innerHTML = `<iframe src='${src}' width='${width}' height='600'></iframe>`;
        }""",
        [f"{server.url}/norm?model=gpt-1&embed=true", width],
    )
    frame = page.frame_locator("iframe")
    title = frame.get_by_role("heading", name="RMSNorm").first
    expect(title).to_be_visible()
    expect(frame.get_by_test_id("stHeader")).to_be_hidden()
    harness.until(
        page, lambda: title.evaluate("one => one.getBoundingClientRect().top"), lambda top: top < 60
    )
    expect(frame.get_by_text("What to notice")).to_be_visible()
    assert frame.locator("html").evaluate("() => window.__head") == []
    expect(frame.get_by_role("button", name="Share", exact=True)).to_have_count(0)
    fits = frame.locator("html")
    harness.until(page, lambda: fits.evaluate("one => one.scrollWidth <= innerWidth"), True)
