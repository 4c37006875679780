"""What else a page goes through: paper, forced colours, a keyboard's Tab, a reader of headings."""

import io
import itertools
import re
from math import ceil

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser import harness

HEADINGS = """() => {
  const levels = [];
  const walk = (node) => {
    for (const one of node.children) {
      if (/^H[1-6]$/.test(one.tagName) && one.getClientRects().length) levels.push(Number(one.tagName[1]));
      if (one.shadowRoot) walk(one.shadowRoot);
      walk(one);
    }
  };
  walk(document.querySelector('[data-testid="stMainBlockContainer"]'));
  return levels;
}"""
PRINTED = """host => [...host.querySelectorAll(".row")].filter(row => row.getClientRects().length)
  .map(row => row.dataset.line)"""
BACKGROUNDS = "all => new Set(all.map(one => getComputedStyle(one).backgroundColor)).size"


def opened(server, open_page, path, wait):
    page = open_page(f"{server.url}/{path}")
    page.locator(wait).first.wait_for()
    harness.settled(page)
    return page


def on_paper(page):
    """Print the page, then show it as paper of A4's width."""
    assert page.pdf().startswith(b"%PDF")
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")


def test_all_columns_of_the_lens_are_on_paper(server, open_page):
    page = opened(server, open_page, "lens?model=gpt-4", ".lens tbody td")
    tokens = page.locator(".lens .area thead .token").all_text_contents()
    rows = page.locator(".lens .area tbody tr").count()
    on_paper(page)
    heads = page.locator(".lens .paper thead th[scope=col]")
    harness.until(page, heads.all_inner_texts, [f"{place} {token}" for place, token in enumerate(tokens)])
    expect(page.locator(".lens .paper tbody td")).to_have_count((rows + 1) * len(tokens))
    right = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
    harness.until(page, lambda: heads.evaluate_all(right), lambda px: px <= 718)
    expect(page.locator(".lens .area")).to_be_hidden()


@pytest.mark.parametrize(
    ("path", "wait"), [("diagram?model=gpt-4&part=attention", ".strip"), ("rope", ".listing .row")]
)
def test_no_line_of_code_is_cut_on_paper(server, open_page, path, wait):
    page = opened(server, open_page, path, wait)
    on_paper(page)
    cut = "all => all.some(e => e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth + 2)"
    expect(page.locator(".listing")).not_to_have_count(0)
    harness.until(page, lambda: page.locator(".listing").evaluate_all(cut), False)
    harness.until(page, lambda: page.locator(".chips, .strip").evaluate_all(cut), False)


@pytest.mark.parametrize("path", ["lens", "diagram?model=gpt-4&part=attention", "rope"])
def test_of_a_listing_the_lines_that_its_bar_names_are_printed(server, open_page, path):
    page = opened(server, open_page, path, ".listing .row.on")
    on_paper(page)
    for listing in page.locator(".listing").filter(visible=True).all():
        printed = [int(one) for one in listing.evaluate(PRINTED)]
        named = listing.evaluate("e => e.parentNode.querySelector('.bar .where').textContent")
        ranges = re.findall(r"(\d+)(?:–(\d+))?", named.split(":")[0])
        assert printed == [n for a, b in ranges for n in range(int(a), int(b or a) + 1)] != []


def test_a_plot_is_made_as_narrow_as_the_sheet_while_it_is_printed(server, open_page):
    page = opened(server, open_page, "depth", ".js-plotly-plot .main-svg")
    wide = "all => Math.max(...all.map(plot => plot.getBoundingClientRect().width))"
    plots = page.locator(".js-plotly-plot .main-svg")
    harness.box(plots.first)
    before = plots.evaluate_all(wide)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    # At once, since a browser prints without waiting: a sheet of A4 has 186 mm between its margins.
    assert plots.evaluate_all(wide) <= 703 < before
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    harness.until(page, lambda: plots.evaluate_all(wide), before)


def test_forced_colours_leave_the_cells_and_their_frames(server, open_page):
    page = opened(server, open_page, "lens?model=gpt-4", ".lens tbody td")
    cells, bars = page.locator(".lens .area tbody td"), page.locator(".lens .track, .lens .fill")
    before = cells.evaluate_all(BACKGROUNDS)
    assert before > 10
    page.emulate_media(forced_colors="active")
    harness.until(page, lambda: cells.evaluate_all(BACKGROUNDS), before)
    expect(page.locator(".lens td.right").first).not_to_have_css("box-shadow", "none")
    harness.until(page, lambda: bars.evaluate_all(BACKGROUNDS), 2)


def test_forced_colours_leave_the_bars_of_the_diagram(server, open_page):
    page = opened(server, open_page, "diagram?model=gpt-4&part=attention", ".strip")
    page.emulate_media(forced_colors="active")
    expect(page.locator(".strip path").first).not_to_have_css("stroke", "none")
    strokes = "all => new Set(all.map(one => getComputedStyle(one).stroke)).size"
    boxes = page.locator("g[data-id] > .box")
    harness.until(page, lambda: boxes.evaluate_all(strokes), 2)  # the chosen part and the others


def test_forced_colours_leave_a_switch_and_whether_it_is_on(server, open_page):
    page = opened(server, open_page, "diagram?model=gpt-1", "[role=switch]")
    page.emulate_media(forced_colors="active")
    track = page.locator("label:has([role=switch]) > div").first
    looks = "e => [getComputedStyle(e).outlineStyle, getComputedStyle(e).backgroundColor]"
    off = harness.until(page, lambda: track.evaluate(looks), lambda found: found[0] == "solid")
    page.get_by_text("Class mode").click()
    page.wait_for_url(re.compile("class=1"))
    harness.until(page, lambda: track.evaluate(looks)[1], lambda colour: colour != off[1])


def test_forced_colours_leave_sliders_and_the_chosen_tab(server, open_page):
    page = opened(server, open_page, "rope", "[data-testid=stSlider] input")
    page.emulate_media(forced_colors="active")
    colour = "e => getComputedStyle(e).backgroundColor"
    thumb = page.locator("[data-testid=stSlider] [role=group] > div > div:has(input)").first
    of_the_page = page.locator("body").evaluate(colour)
    harness.until(page, lambda: thumb.evaluate(colour), lambda found: found != of_the_page)
    outline = "all => all.map(e => getComputedStyle(e).outlineStyle)"
    tabs = page.locator("[data-testid=stButtonGroup] >> nth=0 >> button")
    drawn = harness.until(page, lambda: tabs.evaluate_all(outline), lambda all: all.count("solid") == 1)
    assert len(drawn) > 3


def test_the_saved_picture_holds_all_columns(server, open_page):
    page = opened(server, open_page, "lens?model=gpt-4", ".lens tbody td")
    widths = page.locator(".lens .area thead th[scope=col]").evaluate_all(
        "all => all.map(e => e.offsetWidth)"
    )
    rows = page.locator(".lens .area tbody tr").count()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save picture").click()
    wide, tall = Image.open(io.BytesIO(download.value.path().read_bytes())).size
    bands = ceil(sum(widths) / 2400)
    assert bands > 1
    assert wide / 2 >= sum(widths) / bands
    assert tall / 2 >= bands * rows * 34


def test_the_tokens_are_one_tab_stop_with_arrows_inside(server, open_page):
    page = opened(server, open_page, "diagram?model=gpt-4", ".chips button")
    chips = page.locator(".chips button")
    harness.until(page, chips.count, lambda count: count > 10)
    expect(page.locator('.chips button[tabindex="0"]')).to_have_count(1)
    chips.nth(3).focus()
    for key, place in (("ArrowRight", 4), ("End", chips.count() - 1), ("Home", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        expect(chips.nth(place)).to_be_focused()
    expect(chips.nth(2)).to_have_attribute("aria-label", re.compile("^token 2, "))


@pytest.mark.parametrize(
    "path",
    ["lens?model=gpt-4&with=gpt-1", "diagram?model=gpt-4", "depth", "leave_out", "mismatch", "parameters"],
)
def test_no_heading_skips_a_level(server, open_page, path):
    page = opened(server, open_page, path, "h1")

    def in_order(levels):
        pairs = itertools.pairwise(levels)
        return levels[:1] == [1] and all(after <= before + 1 for before, after in pairs)

    harness.until(page, lambda: page.evaluate(HEADINGS), in_order)
