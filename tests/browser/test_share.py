"""Sharing and framing in a real browser: the code holds this very state, and a frame shows the page alone."""

import io

import zxingcpp
from PIL import Image

from tests.browser import harness


def test_the_code_holds_the_state_that_a_tap_just_chose(server, open_page):
    page = open_page(f"{server.url}/lens?text=name&model=gpt-1")
    page.locator(".lens table tbody tr").nth(1).locator("td").nth(4).click()
    page.wait_for_url("**cell=1.4**")
    harness.settled(page)
    page.get_by_role("button", name="Share", exact=True).click()
    page.locator("dialog[open] img").wait_for()
    picture = Image.open(io.BytesIO(page.locator("dialog img").screenshot()))
    held = zxingcpp.read_barcode(picture).text
    assert held == page.locator("dialog .where").inner_text()
    assert "cell=1.4" in held
    again = open_page(held)
    assert again.locator(".lens td.chosen").get_attribute("aria-label").startswith("after block 1")
    assert "listens on this computer alone" in page.locator("dialog .says").inner_text()
    harness.no_traceback(page)


def test_a_framed_page_shows_itself_alone(server, open_page):
    page = open_page(f"{server.url}/norm?model=gpt-1")
    page.evaluate(
        "src => { document.body.innerHTML = `<iframe src='${src}' width='800' height='600'></iframe>`; }",
        f"{server.url}/norm?model=gpt-1&embed=true",
    )
    frame = page.frame_locator("iframe")
    frame.get_by_role("heading", name="RMSNorm").first.wait_for()
    assert frame.locator("header").count() == 0 or not frame.locator("header").is_visible()
    assert frame.get_by_role("button", name="Share", exact=True).count() == 0
    assert frame.locator("html").evaluate("one => one.scrollWidth <= innerWidth")
    top = frame.get_by_role("heading", name="RMSNorm").first.evaluate(
        "one => one.getBoundingClientRect().top"
    )
    assert top < 60
