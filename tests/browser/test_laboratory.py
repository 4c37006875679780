"""The experiments in a real browser: predicted, measured, stopped, taken away as a link."""

import contextlib
import re
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser import harness

PAGES = ["depth?model=gpt-1", "leave_out", "mismatch", "length", "checks", "questions"]


def opened(server, open_page, path, screen="desktop", scheme="light"):
    page = open_page(f"{server.url}/{path}", screen, scheme)
    page.get_by_role("heading", level=1).wait_for()
    harness.settled(page, seconds=90)
    harness.no_traceback(page)
    return page


def opened_running(server, open_page, path):
    """A page of its own that is still measuring when it is handed over."""
    page = open_page(f"{server.url}/checks")
    page.evaluate("path => window.location.assign(path)", f"{server.url}/{path}")
    return page


def main(page):
    return page.locator(harness.MAIN)


def press(page, name):
    main(page).get_by_role("button", name=name, exact=True).click()


def measured_to_the_end(page, patience=60):
    """Wait for a measurement's end for as long as it gets on: on a busy machine that can take minutes."""
    before, again = None, main(page).get_by_role("button", name="Predict again")
    while True:
        with contextlib.suppress(TimeoutError):
            again.wait_for(timeout=1000 * patience)
            return
        now = main(page).get_by_test_id("stProgress").all_inner_texts()
        assert now != before, f"nothing was measured in {patience} seconds: {now}"
        before = now


@pytest.mark.parametrize("path", PAGES)
def test_every_page_fits_a_phone(server, open_page, path):
    page = opened(server, open_page, path, "phone", "dark")
    harness.fits(page)


def test_every_page_is_accessible(server, open_page):
    found = {path: harness.axe(opened(server, open_page, path)) for path in PAGES}
    assert not any(found.values()), found


def test_predict_measure_and_share_the_link(server, open_page):
    page = opened(server, open_page, "leave_out?model=gpt-1&left_out=attention")
    bar = page.get_by_role("slider", name="without the attention of block 1")
    bar.focus()
    for _ in range(5):
        bar.press("ArrowRight")
    harness.until_chosen(page, guess1="55")
    harness.settled(page)
    press(page, "Measure")
    page.get_by_text("As trained, the perplexity is").wait_for()
    harness.settled(page)
    expect(page.get_by_role("row", name="without the attention of block 1")).to_be_visible()
    expect(page.locator(".bars .guess")).to_have_count(1)
    shown = harness.until(page, page.locator(".bars .n").all_inner_texts, bool)
    again = opened(server, open_page, urlsplit(page.url).path[1:] + "?" + urlsplit(page.url).query, "phone")
    expect(again.locator(".bars .n")).to_have_text(shown)
    harness.no_traceback(again)


def test_a_stopped_sweep_keeps_what_it_has_and_goes_on_later(server, open_page):
    # Long enough not to end before a slow browser presses Stop.
    page = opened(server, open_page, "leave_out?model=sprout&left_out=head&block=2")
    press(page, "Measure")
    page.get_by_text("Measuring …").first.wait_for()
    first = page.get_by_role("row", name="as trained").get_by_role("cell").nth(1)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.bars [role=row]')].some("
        "r => /as trained.*\\d/s.test(r.innerText))"
    )
    press(page, "Stop")
    page.get_by_text("Stopped.").wait_for()
    harness.settled(page)
    expect(first).not_to_have_text("–")
    kept = first.inner_text()
    expect(page.get_by_text("Measuring …")).to_have_count(0)
    press(page, "Measure the rest")
    measured_to_the_end(page)
    expect(first).to_have_text(kept, use_inner_text=True)
    harness.no_traceback(page)


def test_every_head_is_guessed_measured_stopped_and_measured_to_the_end(server, open_page):
    page = opened(server, open_page, "leave_out?model=gpt-4&left_out=heads")
    page.get_by_role("button", name="Head 6 of block 2").click()
    harness.until_chosen(page, guess_head="2.6")
    harness.settled(page)
    press(page, "Measure")
    cells = page.locator(".heads tbody td")
    page.wait_for_function("() => /\\d/.test(document.querySelector('.heads tbody td')?.innerText ?? '')")
    press(page, "Stop")
    page.get_by_text("measured and kept.").wait_for()
    harness.settled(page)
    expect(cells.last).to_have_text("–")
    kept = cells.first.inner_text()
    press(page, "Measure the rest")
    measured_to_the_end(page)
    expect(cells.first).to_have_text(kept, use_inner_text=True)
    expect(cells).to_have_count(24)
    harness.until(
        page, cells.all_inner_texts, lambda found: len(found) == 24 and all("%" in one for one in found)
    )
    expect(page.locator(".heads .framed")).to_have_count(1)
    main(page).get_by_role("link", name="See where").click()
    page.get_by_role("heading", name="Depth", level=1).wait_for()
    harness.settled(page)
    expect(page.get_by_text("Where head")).to_be_visible()
    harness.no_traceback(page)


def test_reading_token_by_token_shows_how_far_it_is_and_can_be_stopped(server, open_page):
    text = quote("The little dog ran to the big red house. " * 45)
    page = opened_running(
        server, open_page, f"leave_out?model=gpt-4&left_out=heads&over=one&text=own&own={text}"
    )
    press(page, "Stop")  # as soon as it is there
    page.get_by_text("done and kept.").wait_for()
    harness.settled(page)
    assert 0 <= int(page.get_by_text("done and kept.").inner_text().split(", ")[1].split(" of ")[0]) < 25
    expect(page.locator(".heads tbody td").last).to_have_text("–")
    press(page, "Go on")
    page.get_by_text("The largest fall").wait_for()
    harness.settled(page)
    harness.until(page, page.locator(".heads tbody td").all_inner_texts, lambda all: all and "–" not in all)
    expect(main(page).get_by_role("button", name="Stop", exact=True)).to_have_count(0)
    harness.no_traceback(page)


def test_mismatches_are_measured_and_compared(server, open_page):
    page = opened(server, open_page, "mismatch?model=gpt-1")
    press(page, "Measure")
    page.get_by_text("As trained, the perplexity is").wait_for()
    row = page.get_by_role("row", name="norms after the parts")
    expect(row).to_contain_text("as trained", use_inner_text=True)
    harness.no_traceback(page)


def test_a_tapped_head_is_in_the_link_and_a_tapped_word_says_where_it_looks(server, open_page):
    page = opened(server, open_page, "depth?model=gpt-1&text=name")
    page.get_by_role("button", name="Head 2 of block 1").click()
    harness.until_chosen(page, block="1", head="2")
    harness.settled(page)
    expect(page.get_by_text("Where head 2 of block 1 looks")).to_be_visible()
    word = page.locator(".pattern .line button").nth(3)
    word.click()
    expect(page.locator(".said")).to_have_text(re.compile("^Token 3, "))
    expect(page.locator(".pattern path")).not_to_have_count(0)
    word.press("ArrowRight")
    expect(page.locator(".said")).to_have_text(re.compile("^Token 4, "))
    page.get_by_role("button", name="Head 2 of block 1").press("ArrowRight")
    page.keyboard.press("Enter")
    harness.until_chosen(page, head="3")
    harness.settled(page)
    press(page, "Invent a new name")
    harness.until_chosen(page, text="own")
    harness.until(page, page.locator(".coloured .told").count, lambda told: told > 2)
    harness.no_traceback(page)


def test_reading_past_the_training_length_can_be_stopped(server, open_page):
    page = opened(server, open_page, "length?model=gpt-4")
    press(page, "Measure")
    page.locator(".js-plotly-plot").first.wait_for()
    press(page, "Stop")
    page.get_by_text("Stopped after").wait_for()
    harness.settled(page)
    expect(page.get_by_text("Up to position")).to_be_visible()
    harness.no_traceback(page)


def test_the_checks_turn_green_one_by_one(server, open_page):
    page = opened(server, open_page, "checks?model=gpt-1")
    expect(page.locator(".checks .yes")).to_have_count(0)
    press(page, "Run the checks")
    page.get_by_text("checks that ran hold").wait_for()
    expect(page.locator(".checks .no")).to_have_count(0)
    harness.until(page, page.locator(".checks .yes").count, lambda held: held >= 5)
    harness.no_traceback(page)


def test_a_question_leads_to_the_place_where_it_can_be_tried(server, open_page):
    page = opened(server, open_page, "questions?question=1", "phone")
    page.get_by_text("Nothing.", exact=True).click()
    harness.settled(page)
    press(page, "Check my answer")
    page.get_by_text("Right:").first.wait_for()
    expect(page.get_by_text("1 of the 1 you answered")).to_be_visible()
    main(page).get_by_role("link", name="Open the page").click()
    page.get_by_role("heading", name="RoPE", level=1).wait_for()
    harness.until_chosen(page, m="100", n="90")
    harness.settled(page)
    harness.no_traceback(page)
