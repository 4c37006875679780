"""The lens on a projector of 1920 × 1080: type of 28 px, nothing beyond the screen, the columns that fit."""

from urllib.parse import parse_qs, urlsplit

import pytest

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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("chosen", SHOWN, ids=[f"{one['model']}-{len(one)}" for one in SHOWN])
def test_grid_and_panel_are_in_large_type_and_on_one_screen(server, open_page, chosen, scheme):
    page = projected(server, open_page, **chosen)
    page.emulate_media(color_scheme=scheme)
    sizes = page.evaluate(SIZES)
    assert len(sizes) > 30
    assert not [one for one in sizes if one[0] < BIG]
    assert page.evaluate(BEYOND) <= 0
    panel = page.locator(".lens .panel")
    assert panel.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    grids = 1 + ("with" in chosen)
    assert page.locator(".lens .strip").first.locator("table").count() == grids
    strips = page.evaluate(STRIPS)
    hidden = strips["all"] - strips["seen"]
    assert not hidden or strips["free"] < strips["lowest"], strips
    assert page.locator(".lens td.chosen").first.evaluate(
        "one => one.getBoundingClientRect().bottom <= innerHeight"
    )
    harness.no_traceback(page)


def test_the_panel_follows_the_row_just_shown_in_either_model(server, open_page):
    page = projected(server, open_page, model="gpt-1", **{"with": "gpt-4"})
    told = page.locator(".lens .panel h2")
    names = ["embedding", "block 1, output", "block 2", "block 3", "block 4, output"]
    assert len(names) == layers("gpt-4") + 1
    for name in names:
        page.keyboard.press("PageDown")
        assert told.inner_text() == f"{name}, position 14"
        assert page.get_by_text("This row is still covered").count() == 0
        chosen = page.locator(".lens tbody td.chosen")
        assert (chosen.count(), page.locator(".lens tbody td.chosen.covered").count()) == (2, 0)
    page.keyboard.press("PageUp")
    assert told.inner_text() == "block 3, position 14"


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
    chosen = parse_qs(urlsplit(page.url).query)
    assert (chosen["class"], chosen["model"], chosen["with"]) == (["1"], ["sprout"], ["gpt-1"])
    assert page.locator(".lens.stage").count() == 1
    for label, name in (("Model", "Sprout"), ("Compare with", "gpt-1"), ("Text", "A surprising story")):
        control = page.get_by_role("combobox", name=label)
        assert control.input_value() == name
        assert control.bounding_box()["y"] < 100
    harness.no_traceback(page)


def test_arrows_bring_the_next_strip_and_a_resized_window_is_filled_anew(server, open_page):
    page = projected(server, open_page, model="gpt-4", covered=0, shown=9)
    columns = page.locator(".lens thead th[scope=col]").count()
    assert columns > 30
    for _ in range(15):
        page.keyboard.press("ArrowRight")
    chosen = page.locator(".lens td.chosen")
    assert chosen.evaluate(INSIDE)
    page.set_viewport_size({"width": 1280, "height": 720})
    harness.settled(page)
    assert page.evaluate(BEYOND) <= 0
    assert page.locator(".lens thead th[scope=col]").count() == columns
    page.set_viewport_size({"width": 800, "height": 900})
    page.locator(".lens:not(.stage)").wait_for()
    assert page.locator(".lens .strip").count() == 1


def test_a_clicker_leads_the_walk_and_text_and_keys_are_named(server, open_page):
    page = open_page(f"{server.url}/diagram?class=1&model=gpt-4&text=name&step=3", "projector")
    page.locator(".told strong", has_text="Step 3 of").wait_for()
    for key, step in (("PageDown", 4), ("ArrowRight", 5), ("PageUp", 4)):
        page.keyboard.press(key)
        page.locator(".told strong", has_text=f"Step {step} of").wait_for()
    assert page.get_by_role("button", name="A name that comes back").is_visible()
    assert page.get_by_text("Page Down leads to the next step").is_visible()
    harness.no_traceback(page)
