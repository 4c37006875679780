"""One column of the lens in one go: by a finger on a phone, by keys, and by a link."""

import pytest
from playwright.sync_api import expect

import engine
from tests.browser import harness
from tests.browser.lens_page import MODEL, ZORBIN, address, cell, measured, own
from tests.browser.test_touch import swipe

LEVEL = ".lens .column .level"


def head(page, column):
    return page.locator(".lens thead th[scope=col]").nth(column)


def shows(page, column):
    """The column is the engine's: each row's top candidate, in order."""
    model, _, lens = measured(MODEL, ZORBIN)
    expected = [model.tokenizer.label(ids[0]) for ids in lens.ids[:, column]]
    expect(page.locator(f"{LEVEL} code")).to_have_text(expected)
    right = "all => all.map(one => one.classList.contains('right'))"
    framed = (lens.ids[:, column, 0] == lens.next_ids[column]).tolist()
    harness.until(page, lambda: page.locator(f"{LEVEL} code").evaluate_all(right), framed)


def test_a_tapped_head_opens_its_column_and_a_swipe_leads_to_the_next_token(server, open_page):
    page = open_page(own(server, ZORBIN, cell="2.1"), "phone")
    assert harness.box(head(page, 2))["height"] >= 43
    head(page, 2).tap()
    harness.settled(page)
    shows(page, 2)
    expect(cell(page, 2, 2)).to_be_hidden()
    harness.until_chosen(page, cell="2.2", column="1")
    column = page.locator(".lens .column")
    swipe(page, harness.box(column), across=-120)
    shows(page, 3)
    harness.until_chosen(page, cell="2.3")
    swipe(page, harness.box(column), across=120)
    shows(page, 2)
    page.get_by_role("button", name="Back to the grid").tap()
    harness.settled(page)
    expect(cell(page, 2, 2)).to_be_visible()
    harness.until_chosen(page, column=None)
    harness.no_traceback(page)


def test_a_vertical_swipe_on_the_column_scrolls_the_page_and_chooses_nothing(server, open_page):
    page = open_page(own(server, ZORBIN, cell="2.4", column=1), "phone")
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, at = page.evaluate(scrolled), page.url
    swipe(page, harness.box(page.locator(".lens .column")), across=20, up=150)
    harness.until(page, lambda: page.evaluate(scrolled), lambda now: now > before + 50)
    assert page.url == at
    shows(page, 4)


def test_the_whole_column_of_our_deepest_model_is_on_a_phone_at_once(server, open_page):
    page = open_page(address(server, model="sprout", column=1), "phone")
    page.get_by_role("button", name="Back to the grid").scroll_into_view_if_needed()
    expect(page.locator(LEVEL)).to_have_count(engine.load("sprout").architecture.n_layer + 1)
    levels = [harness.box(one) for one in page.locator(LEVEL).all()]
    assert levels[-1]["y"] + levels[-1]["height"] - levels[0]["y"] < 844 - 180
    assert all(one["height"] >= 44 and one["x"] + one["width"] <= 390 for one in levels)


def test_the_keys_open_a_column_walk_it_and_go_back(server, open_page):
    page = open_page(own(server, ZORBIN, cell="0.2"))
    cell(page, 0, 2).focus()
    for key in ("ArrowUp", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    shows(page, 3)
    page.keyboard.press("ArrowRight")
    shows(page, 4)
    page.locator(f"{LEVEL}[aria-pressed=true]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    harness.settled(page)
    harness.until_chosen(page, cell="1.4", column="1")
    assert harness.axe(page) == []
    page.keyboard.press("Escape")
    harness.settled(page)
    expect(cell(page, 1, 4)).to_be_focused()
    harness.until_chosen(page, column=None)
    harness.no_traceback(page)


def test_a_link_opens_the_column_with_the_measure_s_numbers_and_nothing_moves(server, open_page):
    _, _, lens = measured(MODEL, ZORBIN)
    page = open_page(own(server, ZORBIN, cell="1.5", column=1, measure="rank"))
    page.emulate_media(reduced_motion="reduce")
    numbers = page.locator(f"{LEVEL} .number")
    expect(numbers).to_have_text([f"{rank:,}" for rank in lens.next_rank[:, 5]])
    page.get_by_role("button", name="Position 6").click()
    assert page.evaluate("document.getAnimations({ subtree: true }).length") == 0
    expect(numbers).to_have_text([f"{rank:,}" for rank in lens.next_rank[:, 6]])
    expect(page.get_by_role("button", name="No token there")).to_have_count(0)
    page.keyboard.press("Home")
    expect(page.get_by_role("button", name="No token there")).to_be_disabled()


def test_in_class_mode_a_head_opens_nothing(server, open_page):
    page = open_page(own(server, ZORBIN, cell="1.5", column=1, **{"class": 1}))
    head(page, 2).click()
    harness.settled(page)
    expect(cell(page, 1, 2)).to_be_visible()
    expect(page.locator(".lens .column")).to_have_count(0)


OPENED = [
    ({"model": "gpt-4"}, (390, 844), None), ({"model": "sprout"}, (390, 844), None),
    ({"model": "sprout"}, (320, 640), "lower"), ({"model": "sprout", "rows": "within"}, (390, 844), "lower"),
    ({"model": "sprout", "cell": "8.30"}, (320, 640), "8.30"),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "size", "named"), OPENED)
def test_the_first_chosen_cell_is_on_screen_when_the_page_opens(server, browser, choices, size, named):
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True)
    page = harness.new_page(context)
    page.goto(address(server, **choices))
    page.locator(".lens[data-arrived]").wait_for()
    harness.settled(page)

    def on_screen(box):
        return 0 <= box["x"] <= width - box["width"] and 0 <= box["y"] <= height - box["height"]

    harness.until(page, lambda: harness.box(page.locator(".lens td.chosen")), on_screen)
    said = harness.chosen(page).get("cell")
    assert (said == named) if named != "lower" else said
    context.close()
