"""A finger: every control of every page is large enough for it, no page scrolls sideways, and a swipe scrolls
the page instead of choosing."""

import pytest
from playwright.sync_api import expect

from tests.browser import harness
from tests.pages.reader import page_names

# Found by asking, pixel by pixel from its middle, what answers there.  Links within a sentence are left out;
# so are the numbers of code's lines, whose parts the picture leads to as well.
SMALL = """(excepted) => {
  const all = (wanted, root = document) => [
    ...root.querySelectorAll(wanted),
    ...[...root.querySelectorAll("*")].filter((e) => e.shadowRoot).flatMap((e) => all(wanted, e.shadowRoot)),
  ];
  const at = (x, y) => {
    let found = document.elementFromPoint(x, y);
    for (;;) {
      const inner = found?.shadowRoot?.elementFromPoint(x, y);
      if (!inner || inner === found) return found;
      found = inner;
    }
  };
  const within = (node, box) => {
    for (; node; node = node.parentNode || node.host) if (node === box) return true;
    return false;
  };
  const inSentence = (e) => e.matches("a") && getComputedStyle(e).display === "inline";
  const small = [];
  for (const e of all(`a[href], button, input, select, textarea, summary, [role=button], [role=tab],
      [role=switch], [role=slider], [role=option], [role=menuitem]`)) {
    if (e.disabled || e.matches(excepted) || inSentence(e)) continue;
    if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const box = (e.matches("[type=checkbox], [type=radio]") && e.closest("label")) || e;
    e.scrollIntoView({ block: "center", inline: "nearest" });
    const edge = box.getBoundingClientRect();
    const x = edge.left + edge.width / 2;
    const y = edge.top + edge.height / 2;
    if (!within(at(x, y), box)) continue; // drawn for nobody, or under a sheet
    const reach = (dx, dy) => {
      let far = 1;
      while (far < 45 && within(at(x + dx * far, y + dy * far), box)) far++;
      return far - 1;
    };
    const size = [reach(-1, 0) + reach(1, 0) + 1, reach(0, -1) + reach(0, 1) + 1];
    const name = e.getAttribute("aria-label") || e.textContent.trim().slice(0, 40);
    if (Math.min(...size) < 43) small.push(`${e.tagName} ${name}: ${size}`); // edges lie between pixels
  }
  return small;
}"""
EXCEPTED = ".listing button.n"


SIDEWAYS = """() => {
    const main = document.querySelector("[data-testid=stMain]");
    return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth);
}"""
# Controls that stand on a page only after a choice.
CHOSEN = ("lens?model=gpt-1&column=1", "guess?model=gpt-1&how=five", "depth?model=gpt-4&block=3&head=6")


def small(page):
    return page.evaluate(SMALL, EXCEPTED)


def no_sideways_scroll(page):
    harness.until(page, lambda: page.evaluate(SIDEWAYS), lambda px: px <= 0)


@pytest.mark.parametrize("path", [*(f"{name}?model=gpt-1" for name in page_names()), *CHOSEN])
def test_every_control_suits_a_finger_and_no_page_scrolls_sideways(server, open_page, path):
    page = open_page(f"{server.url}/{path}", "small phone")
    page.locator("h1, .lens, svg").first.wait_for()
    no_sideways_scroll(page)
    for fold in page.locator("summary").filter(visible=True).all():
        if not fold.evaluate("one => one.parentNode.open"):
            fold.tap()
            harness.settled(page)
    no_sideways_scroll(page)
    harness.until(page, lambda: small(page), [], seconds=10)


def test_the_small_is_found(server, open_page):
    page = open_page(f"{server.url}/questions", "phone")
    page.add_style_tag(content='[data-testid="stMainMenuButton"] { min-height: 30px !important; }')
    assert [one for one in small(page) if "Main menu" in one]


@pytest.mark.parametrize(
    ("path", "opener"),
    [("parameters", "stPopoverButton"), ("norm", "stExpandSidebarButton"),
     ("norm", "stMainMenuButton"), ("norm", "stSelectbox")],
)  # fmt: skip
def test_what_a_tap_opens_is_large_enough_too(server, open_page, path, opener):
    page = open_page(f"{server.url}/{path}", "phone")
    page.get_by_test_id(opener).first.tap()
    opened = page.locator("[role=dialog], [role=listbox], [role=menu], [data-testid=stSidebarNav]")
    opened.filter(visible=True).first.wait_for()
    page.wait_for_function("!document.getAnimations().some((one) => one.playState === 'running')")
    # What opened it lies partly below it.
    harness.until(
        page, lambda: [one for one in small(page) if not one.startswith("BUTTON Main menu")], [], seconds=10
    )


def swipe(page, box, across=0, up=0):
    """A finger from the middle of a control, so many pixels."""
    client = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for step in range(14):
        kind = {0: "Start", 13: "End"}.get(step, "Move")
        points = [] if step == 13 else [{"x": x + across * step / 12, "y": y - up * step / 12}]
        client.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    harness.settled(page)


RANGES = [
    ("leave_out?model=gpt-4", ".guess input", ".guess input"),
    ("diagram?model=gpt-4", "label input[type=range]", "label input[type=range]"),
    ("rope", "[data-testid=stSlider] [role=group] > div", "[data-testid=stSlider] input"),
]


@pytest.mark.parametrize(("path", "track", "holder"), RANGES)
def test_a_swipe_that_begins_on_a_slider_scrolls_the_page(server, open_page, path, track, holder):
    page = open_page(f"{server.url}/{path}", "phone")
    bar, held = page.locator(track).first, page.locator(holder).first
    bar.scroll_into_view_if_needed()
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    place = harness.box(bar)
    before, address, stood = held.input_value(), page.url, page.evaluate(scrolled)
    swipe(page, place, up=200)
    harness.until(page, lambda: page.evaluate(scrolled), lambda now: now > stood + 50)
    harness.settled(page)
    expect(held).to_have_value(before)
    assert page.url == address


def test_a_slider_s_thumb_is_drawn_along(server, open_page):
    page = open_page(f"{server.url}/rope?m=5", "phone")
    thumb = page.locator("[data-testid=stSlider] [role=group] > div > div:has(input)").first
    thumb.scroll_into_view_if_needed()
    swipe(page, harness.box(thumb), across=60)
    value = page.locator("[data-testid=stSlider] input").first.input_value
    harness.until(page, lambda: int(value()), lambda now: now > 100)
    harness.until(page, lambda: harness.chosen(page).get("m"), lambda now: now != "5")


def test_a_bar_is_drawn_along(server, open_page):
    page = open_page(f"{server.url}/leave_out?model=gpt-4", "phone")
    bar = page.locator(".guess input").first
    bar.scroll_into_view_if_needed()
    swipe(page, harness.box(bar), across=80)
    value = harness.until(page, lambda: int(bar.input_value()), lambda now: now > 60)
    harness.until(page, lambda: f"={value}%2C" in page.url, True)
