"""What is typed and tapped in one go: every choice of it arrives in the address."""

import pytest
from playwright.sync_api import expect

from tests.browser import harness

TYPED = "A brand new text about Zorbin."
# Where a field stands: the page, what opens its container, the field, and what its text is called.
FIELDS = [
    ("/diagram?text=easy", "Text", "The text itself", "own"),
    ("/attention?text=easy", "Text", "The text itself", "own"),
    ("/tokens?text=easy", "Text", "The text itself", "own"),
    ("/who_wrote_it?text=easy", "Text", "The text itself", "own"),
    ("/what_if", "Texts and answers", "The first text", "first"),
    ("/stream?text=easy", None, "The text itself", "own"),
    ("/lens?text=easy", None, "The text itself", "own"),
    ("/story", None, "Beginning", "prompt"),
    ("/mismatch?model=gpt-1", None, "Beginning", "prompt"),
]


def written(page, opener, label):
    """The field with the text typed in, not applied yet."""
    if opener:
        page.get_by_role("button", name=opener).first.click()
    field = page.get_by_role("textbox", name=label)
    field.fill(TYPED)
    return field


def applied(page, field, how, screen):
    if how == "Ctrl + Enter":
        field.press("Control+Enter")
    elif how == "Apply":
        page.get_by_role("button", name="Apply").first.click()
    else:  # in the middle of the page, where a picture may be
        at = page.viewport_size
        page.mouse.click(at["width"] * 0.3, at["height"] * 0.75)


@pytest.mark.parametrize(("path", "opener", "label", "name"), FIELDS)
@pytest.mark.parametrize(
    ("how", "screen"), [("Ctrl + Enter", "desktop"), ("leaving it", "desktop"), ("Apply", "phone")]
)
def test_a_typed_text_arrives_whole(server, open_page, path, opener, label, name, how, screen):
    page = open_page(f"{server.url}{path}", screen)
    applied(page, written(page, opener, label), how, screen)
    harness.until_chosen(page, **{name: TYPED, "text": "own" if name == "own" else None})
    harness.settled(page)
    harness.no_traceback(page)


@pytest.mark.parametrize("how", ["Enter", "leaving it"])
def test_numbers_typed_into_a_sheet_arrive(server, open_page, how):
    page = open_page(f"{server.url}/parameters")
    opener = page.get_by_role("button", name="More settings")
    for label, name, value in (("Key/value heads K", "a.K", "3"), ("Head width D", "a.D", "65")):
        field = page.get_by_label(label, exact=True)
        if how == "leaving it" or name == "a.K":  # Enter leaves the sheet open
            opener.click()
        field.fill(value)
        if how == "Enter":
            field.press("Enter")
        else:
            page.mouse.click(640, 780)
            expect(field).to_be_hidden()
        harness.until_chosen(page, **{name: value})
        harness.settled(page)
    assert harness.chosen(page) == {"a.K": "3", "a.D": "65"}
    harness.no_traceback(page)


def test_a_tap_beside_an_open_sheet_only_closes_it(server, open_page):
    page = open_page(f"{server.url}/diagram?text=easy")
    written(page, "Text", "The text itself")
    box = harness.box(page.locator(harness.part("attention")))
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(lambda url: "own=" in url)
    assert harness.chosen(harness.settled(page)) == {"text": "own", "own": TYPED}


def test_a_text_and_a_switch_tapped_at_once_both_arrive(server, open_page):
    page = open_page(f"{server.url}/stream?text=easy&model=gpt-1")
    written(page, None, "The text itself")
    page.get_by_text("Average over our").click()  # leaves the field, too
    harness.until_chosen(page, own=TYPED, text="own", held="1")


def test_a_lost_server_is_told_of_in_words_for_the_reader(fresh_server, open_page):
    running = fresh_server()
    page = open_page(f"{running.url}/questions")
    running.process.kill()
    page.get_by_role("dialog").first.wait_for()
    words = "getComputedStyle(document.querySelector('[role=dialog] h2 + div > div'), '::after').content"
    harness.until(page, lambda: page.evaluate(words), lambda said: "The server does not answer" in said)
    assert "streamlit" not in page.get_by_role("dialog").first.inner_text().lower()
