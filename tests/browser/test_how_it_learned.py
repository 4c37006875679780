"""The page "How it learned" in a real browser: it fits, is accessible, and trains until it is stopped."""

import re

import pytest
from playwright.sync_api import expect

from engine import stages, weights
from tests.browser import harness

WATCHED = [(name, file) for name in weights.shipped() for file in stages.kept(name)]


def opened(server, open_page, screen="desktop", scheme="light", more="tiny_steps=3000&tiny_width=96"):
    page = open_page(f"{server.url}/how_it_learned?{more}", screen, scheme)
    page.get_by_role("heading", name="How it learned").wait_for()
    harness.settled(page)
    harness.no_traceback(page)
    return page


@pytest.mark.parametrize(("screen", "scheme"), [("phone", "dark"), ("projector", "light")])
def test_the_page_fits_the_screen(server, open_page, screen, scheme):
    page = opened(server, open_page, screen, scheme)
    harness.fits(page)


def test_the_page_is_accessible(server, open_page):
    assert not harness.axe(opened(server, open_page))


def test_a_training_is_begun_and_stopped_and_what_there_is_stays(server, open_page):
    page = opened(server, open_page)
    main = page.locator(harness.MAIN)
    main.get_by_role("button", name="Start", exact=True).click()
    main.get_by_text(re.compile(r"Training … step [1-9]")).wait_for()
    main.get_by_role("button", name="Stop", exact=True).click()
    harness.settled(page)
    harness.no_traceback(page)
    said = main.get_by_text(re.compile(r"After [\d,]+ steps the model with 2 blocks gives the right piece"))
    said.wait_for()
    expect(said).not_to_contain_text("After 3,000 steps", use_inner_text=True)
    before = said.inner_text()
    page.wait_for_timeout(500)
    expect(said).to_have_text(before, use_inner_text=True)


def test_a_third_reader_waits_until_one_of_two_leaves(server, open_page):
    readers = [opened(server, open_page).locator(harness.MAIN) for _ in range(3)]
    for main in readers[:2]:
        main.get_by_role("button", name="Start", exact=True).click()
        main.get_by_text(re.compile(r"Training … step [1-9]")).wait_for()
    readers[2].get_by_role("button", name="Start", exact=True).click()
    readers[2].get_by_text("1 reader is before you").wait_for()
    readers[0].page.close()
    readers[2].get_by_text(re.compile(r"Training … step [1-9]")).wait_for()
    for main in readers[1:]:  # the next test finds both places free
        main.get_by_role("button", name="Stop", exact=True).click()
        main.get_by_text(re.compile("gives the right piece")).first.wait_for()


def watched():
    """A training whose stages are kept -> how the address names it, and its last stage."""
    name, file = WATCHED[0]
    return name + file.removeprefix("stages").removesuffix(".npz"), len(stages.load(name, file)) - 1


def test_the_arrow_keys_move_through_the_stages(server, open_page):
    page = opened(server, open_page, more=f"training={watched()[0]}&stage=1")
    main = page.locator(harness.MAIN)
    told = main.get_by_text(re.compile(r"After [\d,]+ tokens it needs"))
    before = told.inner_text()
    main.get_by_role("slider", name="Tokens read in training").focus()
    page.keyboard.press("ArrowRight")
    main.get_by_text(re.compile(r"After [\d,]+ tokens it needs")).filter(has_not_text=before[:20]).wait_for()
    harness.until_chosen(page, stage="2")


def test_it_plays_to_the_end_and_rests(server, open_page):
    name, last = watched()
    page = opened(server, open_page, more=f"training={name}&stage={last - 1}")
    main = page.locator(harness.MAIN)
    main.get_by_role("button", name="Play").click()
    page.wait_for_url(re.compile(rf"stage={last}\b|how_it_learned\?(?!.*stage=)"))
    main.get_by_role("button", name="Play").wait_for()
    harness.no_traceback(page)
