"""The first view in a real browser: bars at once and live, and three ways on."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness
from views import first_view

SIZES = {"1280": (1280, 800), "390": (390, 844)}
BARS = ".next li"


@pytest.fixture
def visit(browser):
    """visit(url, width, height): a visitor's page, not yet settled."""
    contexts = []

    def visit(url, width=1280, height=800):
        phone = width < 900
        context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone
        )
        contexts.append(context)
        page = harness.new_page(context)
        page.goto(url)
        page.locator(BARS).first.wait_for()
        return page

    yield visit
    for context in contexts:
        context.close()


def measured(page, text):
    """Wait for bars of this text, measured while we look."""
    page.wait_for_function(
        """text => { const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
            .find(r => r?.querySelector(".next"));
            return root?.querySelector("textarea").value === text
                && !root.querySelector(".next").classList.contains("waiting")
                && root.querySelector(".said").textContent.startsWith("Measured just now"); }""",
        arg=text,
    )
    return page.locator(f"{BARS} .piece").all_inner_texts()


@pytest.mark.parametrize("size", SIZES)
def test_the_story_its_bars_and_three_doors_are_seen_without_scrolling(server, visit, size):
    width, height = SIZES[size]
    page = harness.settled(visit(server.url, width, height))
    for seen in (
        "h1",
        "textarea",
        f"{BARS} >> nth=0",
        f"{BARS} >> nth=5",
        *(f".doors a >> nth={i}" for i in range(3)),
    ):
        box = harness.box(page.locator(seen))
        assert 0 <= box["y"] <= height - box["height"], (seen, box)
    harness.no_traceback(page)


def test_the_kept_bars_are_shown_at_once_and_measured_anew(fresh_server, visit):
    page = visit(fresh_server().url)
    kept = first_view.kept()
    assert page.locator(f"{BARS} .piece").all_inner_texts() == list(kept.pieces)  # at once: no waiting here
    expect(page.locator(".said")).to_have_text(re.compile("^Measured "))
    assert measured(page, kept.text) == list(kept.pieces)
    harness.no_traceback(page)


def test_the_bars_follow_what_is_typed_and_a_tap_writes_on(server, visit):
    page = visit(server.url)
    before = measured(page, first_view.kept().text)
    page.locator("textarea").fill("The sun was hot. Lily was thirsty, so she drank some cold")
    after = measured(page, "The sun was hot. Lily was thirsty, so she drank some cold")
    assert after != before
    page.locator(f"{BARS} button").first.click()
    written = page.locator("textarea").input_value()
    assert written.startswith("The sun was hot.")
    assert written.endswith(after[0].replace("·", " "))
    measured(page, written)
    page.wait_for_function("text => new URLSearchParams(location.search).get('own') === text", arg=written)
    page.reload()
    assert measured(page, written)
    harness.no_traceback(page)


@pytest.mark.parametrize("door", [0, 1])
def test_a_door_takes_the_text_along_as_it_stands(server, visit, door):
    page = visit(f"{server.url}/?model=gpt-1")
    measured(page, first_view.kept().text)
    page.locator("textarea").press("End")
    page.locator("textarea").press_sequentially(" kite & <b>")
    page.locator(".doors a").nth(door).click()
    page.wait_for_url(re.compile("/lens|/diagram"))
    harness.settled(page)
    assert "model=gpt-1" in page.url
    assert "kite" in page.url
    assert "own=" in page.url
    if not door:
        expect(page.locator(".walk")).to_contain_text("Step 1 of", use_inner_text=True)
        chips = page.locator(".chips button")
        harness.until(page, chips.all_inner_texts, lambda all: "kite" in "".join(all))
    harness.no_traceback(page)


@pytest.mark.parametrize("odd", ["", "🦊" * 400, "<b>$x$</b> <|end|> \u202egnirts", "word " * 700])
def test_any_text_gets_bars_or_a_sentence(server, visit, odd):
    page = visit(server.url)
    measured(page, first_view.kept().text)
    page.locator("textarea").fill(odd)
    assert len(measured(page, odd)) == first_view.MOST
    harness.no_traceback(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_view_is_accessible(server, open_page, scheme):
    page = open_page(server.url, scheme=scheme)
    assert harness.axe(page) == []


@pytest.mark.parametrize("size", [(320, 640), (844, 390)])
def test_on_a_low_screen_text_bars_and_doors_are_seen_at_once(server, browser, size):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, has_touch=True, is_mobile=True
    )
    page = harness.new_page(context)
    page.goto(server.url)
    harness.settled(page)
    seen = "all => all.filter(e => e.getClientRects().length).map(e => e.getBoundingClientRect().bottom)"
    for what, least in (("textarea", 1), (".next li", 2), (".doors a", 3)):
        bottoms = page.locator(f".first {what}").evaluate_all(seen)
        assert len(bottoms) >= least
        assert max(bottoms) <= size[1]
    context.close()
