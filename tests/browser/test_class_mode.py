"""Class mode in a real browser: what is covered, the room's guesses, and keys that work from anywhere."""

import pytest
from playwright.sync_api import expect

import engine
from tests.browser import harness
from tests.browser.lens_page import MODEL, ZORBIN, candidates, cell, measured, own


def test_class_mode_covers_rows_and_keeps_the_rooms_guess(server, open_page):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5"}), "projector")
    rows = engine.load(MODEL).architecture.n_layer + 1
    expect(page.locator(".lens td.covered")).to_have_count(rows * len(measured(MODEL, ZORBIN)[1].ids))
    harness.until(page, lambda: candidates(page), [])
    page.get_by_role("textbox", name="The room's guess").fill("<b>dragon")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Order: embedding first").click()
    page.keyboard.press("PageDown")
    expect(cell(page, rows - 1, 5)).not_to_have_text("")
    expect(cell(page, rows - 2, 5)).to_have_text("")
    harness.until(page, lambda: candidates(page), lambda found: len(found) >= 5)
    harness.settled(page)
    heads = page.locator(".lens thead th .token")
    harness.until(page, heads.all_text_contents, lambda all: all[5] != "…" and {*all[6:]} == {"…"})
    expect(page.locator(".lens .candidate.right")).to_have_count(0)
    expect(page.locator(".lens .panel")).not_to_contain_text("goes on with", use_inner_text=True)
    expect(page.locator(".lens tfoot tr").first.locator("td").nth(5)).to_have_text("?")
    page.get_by_role("button", name="Show what comes").click()
    harness.until(page, heads.all_text_contents, lambda all: "…" not in all)
    page.get_by_role("button", name="Cover the text from here on").click()
    harness.settled(page)
    page.reload()
    harness.settled(page)
    expect(page.locator(".lens tfoot tr >> nth=1 >> td >> nth=5")).to_have_text("<b>dragon")
    expect(page.locator(".lens td.covered")).not_to_have_count(0)
    expect(page.locator("header").first).to_be_hidden()
    letters = page.locator(".lens tbody td").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert letters >= 28
    harness.fits(page)
    harness.no_traceback(page)


def uncovered(page, count):
    """Wait until so many rows are uncovered."""
    expect(page.locator(".lens .area tbody tr:has(td:not(.covered))")).to_have_count(count)


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
        uncovered(page, count)
    for count, key in enumerate(("ArrowUp", "PageUp", "p", "Shift+Space"), start=1):
        page.keyboard.press(key)
        uncovered(page, 5 - count)
    page.get_by_role("button", name="Cover it again").click()
    page.keyboard.press("Space")  # the room's, though a button was clicked last
    uncovered(page, 1)
    cell(page, 0, 2).click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    uncovered(page, 2)
    harness.until_chosen(page, **{"class": "1", "cell": "1.3", "shown": "2"})  # the row just shown
    for key in ("Page Down", "Space", "↑"):
        expect(page.locator(".lens .keys kbd", has_text=key)).to_be_visible()
    harness.no_traceback(page)


def test_a_guess_is_typed_with_the_keys_that_turn_pages_elsewhere(server, open_page):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5"}))
    page.get_by_role("textbox", name="The room's guess").click()
    page.keyboard.type("no n")
    page.keyboard.press("Enter")
    uncovered(page, 0)
    expect(page.locator(".lens tfoot tr >> nth=1 >> td >> nth=5")).to_have_text("no n")
    page.keyboard.press("Space")
    uncovered(page, 1)


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (1100, 800)])
def test_class_mode_fits_and_its_panel_keeps_its_type(server, open_page, size):
    page = open_page(own(server, ZORBIN, **{"class": 1, "cell": "4.5", "shown": 5, "covered": 0}))
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.reload()
    harness.settled(page)
    over = f"[document.documentElement, document.querySelector('{harness.MAIN}')]"
    fits = f"{over}.every(one => one.scrollWidth <= one.clientWidth)"
    harness.until(page, lambda: page.evaluate(fits), True)
    edges = page.locator(".lens :is(button, select, input)").evaluate_all(
        "all => all.filter(e => e.offsetWidth).map(e => e.getBoundingClientRect().right)"
    )
    assert max(edges) <= size[0]
    drawn = harness.box(page.locator(".lens .panel svg text").first)["height"]
    written = harness.box(page.locator(".lens .panel .number").first)["height"]
    assert drawn <= 1.2 * written
