"""Class mode in a real browser: what is covered, the room's guesses, and keys that work from anywhere."""

from urllib.parse import parse_qs, urlsplit

import pytest

import engine
from tests.browser import harness
from tests.browser.lens_page import MODEL, ZORBIN, candidates, cell, measured, own, texts_of


def test_class_mode_covers_rows_and_keeps_the_rooms_guess(server, open_page):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5"}), "projector")
    rows = engine.load(MODEL).architecture.n_layer + 1
    assert page.locator(".lens td.covered").count() == rows * len(measured(MODEL, ZORBIN)[1].ids)
    assert candidates(page) == []
    page.get_by_role("textbox", name="The room's guess").fill("<b>dragon")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Order: embedding first").click()
    page.keyboard.press("PageDown")
    assert texts_of(page, rows - 1)[5] != ""
    assert texts_of(page, rows - 2)[5] == ""
    assert len(candidates(page)) >= 5
    harness.settled(page)
    heads = page.locator(".lens thead th .token").all_text_contents()
    assert heads[5] != "…"
    assert set(heads[6:]) == {"…"}
    assert page.locator(".lens .candidate.right").count() == 0
    assert "goes on with" not in page.locator(".lens .panel").inner_text()
    assert page.locator(".lens tfoot tr").first.locator("td").nth(5).inner_text() == "?"
    page.get_by_role("button", name="Show what comes").click()
    assert "…" not in page.locator(".lens thead th .token").all_text_contents()
    page.get_by_role("button", name="Cover the text from here on").click()
    harness.settled(page)
    page.reload()
    harness.settled(page)
    assert page.locator(".lens tfoot tr >> nth=1 >> td >> nth=5").text_content() == "<b>dragon"
    assert page.locator(".lens td.covered").count() > 0
    assert page.locator("header").first.is_hidden()
    letters = page.locator(".lens tbody td").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert letters >= 28
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    harness.no_traceback(page)


def uncovered(page):
    return page.locator(".lens .area tbody tr:has(td:not(.covered))").count()


@pytest.mark.parametrize("start", ["click", "keyboard"])
def test_class_mode_hears_its_keys_from_anywhere(server, open_page, start):
    page = open_page(own(server, ZORBIN, cell="4.5"))
    switch = page.get_by_role("switch", name="Class mode").or_(page.get_by_label("Class mode"))
    if start == "click":
        page.get_by_text("Class mode", exact=True).click()
    else:
        switch.first.focus()
        page.keyboard.press("Space")
    page.locator(".lens.teaching").wait_for()
    harness.settled(page)
    for count, key in enumerate(("Space", "ArrowDown", "PageDown", "n", "Space"), start=1):
        page.keyboard.press(key)
        assert uncovered(page) == count, key
    for count, key in enumerate(("ArrowUp", "PageUp", "p", "Shift+Space"), start=1):
        page.keyboard.press(key)
        assert uncovered(page) == 5 - count, key
    page.get_by_role("button", name="Cover it again").click()
    page.keyboard.press("Space")  # the room's, though a button was clicked last
    assert uncovered(page) == 1
    cell(page, 0, 2).click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert uncovered(page) == 2
    harness.settled(page)
    chosen = parse_qs(urlsplit(page.url).query)
    assert (chosen["class"], chosen["cell"], chosen["shown"]) == (["1"], ["1.3"], ["2"])  # the row just shown
    for key in ("Page Down", "Space", "↑"):
        assert page.locator(".lens .keys kbd", has_text=key).is_visible()
    harness.no_traceback(page)


def test_a_guess_is_typed_with_the_keys_that_turn_pages_elsewhere(server, open_page):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5"}))
    page.get_by_role("textbox", name="The room's guess").click()
    page.keyboard.type("no n")
    page.keyboard.press("Enter")
    assert uncovered(page) == 0
    assert page.locator(".lens tfoot tr >> nth=1 >> td >> nth=5").text_content() == "no n"
    page.keyboard.press("Space")
    assert uncovered(page) == 1


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (1100, 800)])
def test_class_mode_fits_and_its_panel_keeps_its_type(server, open_page, size):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5", "shown": 5, "covered": 0}))
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.reload()
    harness.settled(page)
    over = f"[document.documentElement, document.querySelector('{harness.MAIN}')]"
    assert page.evaluate(f"{over}.every(one => one.scrollWidth <= one.clientWidth)")
    edges = page.locator(".lens :is(button, select, input)").evaluate_all(
        "all => all.filter(e => e.offsetWidth).map(e => e.getBoundingClientRect().right)"
    )
    assert max(edges) <= size[0]
    drawn = page.locator(".lens .panel svg text").first.bounding_box()["height"]
    written = page.locator(".lens .panel .number").first.bounding_box()["height"]
    assert drawn <= 1.2 * written
