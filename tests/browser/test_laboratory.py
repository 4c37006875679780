"""The experiments in a real browser: predicted, measured, stopped, taken away as a link."""

import contextlib
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import TimeoutError

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
        now = main(page).get_by_test_id("stProgress").inner_text()
        assert now != before, f"nothing was measured in {patience} seconds: {now}"
        before = now


def chosen(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


@pytest.mark.parametrize("path", PAGES)
def test_every_page_fits_a_phone(server, open_page, path):
    page = opened(server, open_page, path, "phone", "dark")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_every_page_is_accessible(server, open_page):
    found = {path: harness.axe(opened(server, open_page, path)) for path in PAGES}
    assert not any(found.values()), found


def test_predict_measure_and_share_the_link(server, open_page):
    page = opened(server, open_page, "leave_out?model=gpt-1&left_out=attention")
    bar = page.get_by_role("slider", name="without the attention of block 1")
    bar.focus()
    for _ in range(5):
        bar.press("ArrowRight")
    harness.settled(page)
    assert chosen(page)["guess1"] == "55"
    press(page, "Measure")
    page.get_by_text("As trained, the perplexity is").wait_for(timeout=60_000)
    harness.settled(page)
    assert page.get_by_role("row", name="without the attention of block 1").is_visible()
    assert page.locator(".bars .guess").count() == 1
    shown = page.locator(".bars .n").all_inner_texts()
    again = opened(server, open_page, urlsplit(page.url).path[1:] + "?" + urlsplit(page.url).query, "phone")
    assert again.locator(".bars .n").all_inner_texts() == shown
    harness.no_traceback(again)


def test_a_stopped_sweep_keeps_what_it_has_and_goes_on_later(server, open_page):
    page = opened(server, open_page, "leave_out?model=gpt-4&left_out=head&block=2")
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
    kept = first.inner_text()
    assert kept != "–"
    assert page.get_by_text("Measuring …").count() == 0
    press(page, "Measure the rest")
    measured_to_the_end(page)
    assert first.inner_text() == kept
    harness.no_traceback(page)


def test_every_head_is_guessed_measured_stopped_and_measured_to_the_end(server, open_page):
    page = opened(server, open_page, "leave_out?model=gpt-4&left_out=heads")
    page.get_by_role("button", name="Head 6 of block 2").click()
    harness.settled(page)
    assert chosen(page)["guess_head"] == "2.6"
    press(page, "Measure")
    cells = page.locator(".heads tbody td")
    page.wait_for_function("() => /\\d/.test(document.querySelector('.heads tbody td')?.innerText ?? '')")
    press(page, "Stop")
    page.get_by_text("measured and kept.").wait_for()
    harness.settled(page)
    assert cells.last.inner_text() == "–"
    kept = cells.first.inner_text()
    press(page, "Measure the rest")
    measured_to_the_end(page)
    assert cells.first.inner_text() == kept
    assert cells.count() == 24
    assert all("%" in text for text in cells.all_inner_texts())
    assert page.locator(".heads .framed").count() == 1
    main(page).get_by_role("link", name="See where").click()
    page.get_by_role("heading", name="Depth", level=1).wait_for()
    harness.settled(page)
    assert page.get_by_text("Where head").is_visible()
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
    assert page.locator(".heads tbody td").last.inner_text() == "–"
    press(page, "Go on")
    page.get_by_text("The largest fall").wait_for(timeout=60_000)
    harness.settled(page)
    assert "–" not in page.locator(".heads tbody td").all_inner_texts()
    assert main(page).get_by_role("button", name="Stop", exact=True).count() == 0
    harness.no_traceback(page)


def test_mismatches_are_measured_and_compared(server, open_page):
    page = opened(server, open_page, "mismatch?model=gpt-1")
    press(page, "Measure")
    page.get_by_text("As trained, the perplexity is").wait_for(timeout=90_000)
    row = page.get_by_role("row", name="norms after the parts")
    assert "as trained" in row.inner_text()
    harness.no_traceback(page)


def test_a_tapped_head_is_in_the_link_and_a_tapped_word_says_where_it_looks(server, open_page):
    page = opened(server, open_page, "depth?model=gpt-1&text=name")
    page.get_by_role("button", name="Head 2 of block 1").click()
    harness.settled(page)
    assert (chosen(page)["block"], chosen(page)["head"]) == ("1", "2")
    assert page.get_by_text("Where head 2 of block 1 looks").is_visible()
    word = page.locator(".pattern .line button").nth(3)
    word.click()
    assert page.locator(".said").inner_text().startswith("Token 3, ")
    assert page.locator(".pattern path").count() >= 1
    word.press("ArrowRight")
    assert page.locator(".said").inner_text().startswith("Token 4, ")
    page.get_by_role("button", name="Head 2 of block 1").press("ArrowRight")
    page.keyboard.press("Enter")
    harness.settled(page)
    assert chosen(page)["head"] == "3"
    press(page, "Invent a new name")
    harness.settled(page, seconds=60)
    assert chosen(page)["text"] == "own"
    assert page.locator(".coloured .told").count() > 2
    harness.no_traceback(page)


def test_reading_past_the_training_length_can_be_stopped(server, open_page):
    page = opened(server, open_page, "length?model=gpt-4")
    press(page, "Measure")
    page.locator(".js-plotly-plot").first.wait_for(timeout=60_000)
    press(page, "Stop")
    page.get_by_text("Stopped after").wait_for()
    harness.settled(page)
    assert page.get_by_text("Up to position").is_visible()
    harness.no_traceback(page)


def test_the_checks_turn_green_one_by_one(server, open_page):
    page = opened(server, open_page, "checks?model=gpt-1")
    assert page.locator(".checks .yes").count() == 0
    press(page, "Run the checks")
    page.get_by_text("checks that ran hold").wait_for(timeout=60_000)
    assert page.locator(".checks .no").count() == 0
    assert page.locator(".checks .yes").count() >= 5
    harness.no_traceback(page)


def test_a_question_leads_to_the_place_where_it_can_be_tried(server, open_page):
    page = opened(server, open_page, "questions?question=1", "phone")
    page.get_by_text("Nothing.", exact=True).click()
    harness.settled(page)
    press(page, "Check my answer")
    page.get_by_text("Right:").first.wait_for()
    assert page.get_by_text("1 of the 1 you answered").is_visible()
    main(page).get_by_role("link", name="Open the page").click()
    page.get_by_role("heading", name="RoPE", level=1).wait_for()
    harness.settled(page, seconds=60)
    assert (chosen(page)["m"], chosen(page)["n"]) == ("100", "90")
    harness.no_traceback(page)
