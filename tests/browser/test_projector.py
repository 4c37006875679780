"""The lens on a projector of 1920 × 1080: type of 28 px, nothing beyond the screen, the columns that fit."""

import pytest
from playwright.sync_api import expect

import engine
from tests.browser import harness
from tests.browser.lens_page import address

BIG = 28  # px at 1920 × 1080

# Of every text in the grid and its panel, as large as it is drawn: [size, text].
SIZES = """() => {
  const found = [];
  const look = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.shadowRoot) look(node.shadowRoot);
      const on = node.parentElement;
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim() || !on?.getClientRects().length) continue;
      if (!on.closest(".lens .area, .lens .panel") || on.closest("title")) continue;
      const drawing = on.closest("svg");
      const scale = drawing ? drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width : 1;
      found.push([parseFloat(getComputedStyle(on).fontSize) * scale, node.data]);
    }
    for (const field of root.querySelectorAll(".lens .panel input"))
      found.push([parseFloat(getComputedStyle(field).fontSize), field.placeholder]);
  };
  look(document);
  return found;
}"""
# What of the page lies beyond the screen, in px; and the strips: [seen, all, height of one, free below].
BEYOND = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return main.scrollHeight - main.clientHeight;
}"""
STRIPS = """() => {
  const lens = document.querySelector('.stApp') && [...document.querySelectorAll('*')]
    .map((one) => one.shadowRoot?.querySelector('.lens')).find(Boolean);
  const area = lens.querySelector('.area');
  const strips = [...area.children].map((one) => one.getBoundingClientRect());
  const box = area.getBoundingClientRect();
  const whole = strips.filter((one) => one.top >= box.top - 2 && one.bottom <= box.bottom + 2);
  const rows = area.firstChild.querySelectorAll('tbody td:first-of-type').length;
  const row = area.querySelector('tbody td').getBoundingClientRect().height;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const lowest = strips[0].height - rows * (row - 1.55 * rem);
  return {seen: whole.length, all: strips.length, lowest, free: innerHeight - whole.at(-1).bottom};
}"""

INSIDE = """(one) => {
  const [area, own] = [one.closest('.area'), one].map((node) => node.getBoundingClientRect());
  return own.top >= area.top && own.bottom <= area.bottom + 1;
}"""


def projected(server, open_page, **chosen):
    page = open_page(address(server, **{"class": 1, "text": "name", "cell": "4.14", **chosen}), "projector")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.locator(".lens.stage .strip td.chosen").first.wait_for()
    harness.settled(page)
    return page


def layers(name):
    return engine.load(name).architecture.n_layer


SHOWN = [
    {"model": "gpt-4"},
    {"model": "gpt-1"},
    {"model": "gpt-4", "shown": 3, "guesses": '{"14": "dragon"}'},
    {"model": "sprout", "shown": 9, "covered": 0},
    {"model": "gpt-1", "with": "gpt-4", "shown": 9, "covered": 0},
    {"model": "sprout", "with": "gpt-4", "shown": 9, "covered": 0, "measure": "rank"},
]


@pytest.mark.parametrize("chosen", SHOWN, ids=[f"{one['model']}-{len(one)}" for one in SHOWN])
def test_grid_and_panel_are_in_large_type_and_on_one_screen(server, open_page, chosen):
    page = projected(server, open_page, **chosen)
    grids = 1 + ("with" in chosen)
    expect(page.locator(".lens .strip").first.locator("table")).to_have_count(grids)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        large_and_on_one_screen(harness.settled(page))
    harness.no_traceback(page)


def large_and_on_one_screen(page):
    harness.until(page, lambda: page.evaluate(SIZES), lambda all: len(all) > 30 and min(all)[0] >= BIG)
    harness.until(page, lambda: page.evaluate(BEYOND), lambda px: px <= 0)
    panel, over = page.locator(".lens .panel"), "one => one.scrollHeight - one.clientHeight"
    harness.until(page, lambda: panel.evaluate(over), lambda px: px <= 1)
    harness.until(page, lambda: page.evaluate(STRIPS), filled)
    within = "one => one.getBoundingClientRect().bottom <= innerHeight"
    harness.until(page, lambda: page.locator(".lens td.chosen").first.evaluate(within), True)


def filled(strips):
    return strips["all"] == strips["seen"] or strips["free"] < strips["lowest"]


def test_the_panel_follows_the_row_just_shown_in_either_model(server, open_page):
    page = projected(server, open_page, model="gpt-1", **{"with": "gpt-4"})
    told = page.locator(".lens .panel h2")
    names = ["embedding", "block 1, output", "block 2", "block 3", "block 4, output"]
    assert len(names) == layers("gpt-4") + 1
    for name in names:
        page.keyboard.press("PageDown")
        expect(told).to_have_text(f"{name}, position 14")
        expect(page.get_by_text("This row is still covered")).to_have_count(0)
        expect(page.locator(".lens tbody td.chosen")).to_have_count(2)
        expect(page.locator(".lens tbody td.chosen.covered")).to_have_count(0)
    page.keyboard.press("PageUp")
    expect(told).to_have_text("block 3, position 14")


def test_model_text_and_compared_model_are_named_and_changed_without_leaving(server, open_page):
    page = projected(server, open_page, model="gpt-4")

    def choose(label, option):
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=option, exact=True).click()
        harness.settled(page)

    choose("Compare with", "gpt-1")
    page.locator(".lens .strip h2", has_text="gpt-1").first.wait_for()
    choose("Model", "Sprout")
    page.locator(".lens .strip h2", has_text="Sprout").first.wait_for()
    choose("Text", "A surprising story")
    harness.until_chosen(page, **{"class": "1", "model": "sprout", "with": "gpt-1"})
    expect(page.locator(".lens.stage")).to_have_count(1)
    for label, name in (("Model", "Sprout"), ("Compare with", "gpt-1"), ("Text", "A surprising story")):
        control = page.get_by_role("combobox", name=label)
        expect(control).to_have_value(name)
        assert harness.box(control)["y"] < 100
    harness.no_traceback(page)


def test_arrows_bring_the_next_strip_and_a_resized_window_is_filled_anew(server, open_page):
    page = projected(server, open_page, model="gpt-4", covered=0, shown=9)
    heads = page.locator(".lens thead th[scope=col]")
    columns = harness.until(page, heads.count, lambda count: count > 30)
    for _ in range(15):
        page.keyboard.press("ArrowRight")
    chosen = page.locator(".lens td.chosen")
    harness.until(page, lambda: chosen.evaluate(INSIDE), True)
    page.set_viewport_size({"width": 1280, "height": 720})
    harness.settled(page)
    harness.until(page, lambda: page.evaluate(BEYOND), lambda px: px <= 0)
    expect(page.locator(".lens thead th[scope=col]")).to_have_count(columns)
    page.set_viewport_size({"width": 800, "height": 900})
    page.locator(".lens:not(.stage)").wait_for()
    expect(page.locator(".lens .strip")).to_have_count(1)


def test_a_clicker_leads_the_walk_and_text_and_keys_are_named(server, open_page):
    page = open_page(f"{server.url}/diagram?class=1&model=gpt-4&text=name&step=3", "projector")
    page.locator(".told strong", has_text="Step 3 of").wait_for()
    for key, step in (("PageDown", 4), ("ArrowRight", 5), ("PageUp", 4)):
        page.keyboard.press(key)
        page.locator(".told strong", has_text=f"Step {step} of").wait_for()
    expect(page.get_by_role("button", name="A name that comes back")).to_be_visible()
    expect(page.get_by_text("Page Down leads to the next step")).to_be_visible()
    harness.no_traceback(page)
