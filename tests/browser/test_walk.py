"""The guided walk on six screens: text, Next and what they talk about in view at every step."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import harness

SIZES = ((320, 640), (390, 844), (844, 390), (1280, 800), (1366, 768), (1920, 1080))
# Where everything stands, once nothing moves: the page's header, the bar, its text and buttons, the part.
PLACES = """async () => {
    const roots = [...document.querySelectorAll("*")].map(e => e.shadowRoot);
    const root = roots.find(r => r?.querySelector(".walk"));
    const main = document.querySelector('[data-testid="stMain"]');
    const frame = () => new Promise(done => requestAnimationFrame(done));
    for (let still = 0, before = null, since = 0; still < 8 || performance.now() - since < 150; ) {
        await frame();
        const now = `${main.scrollTop} ${root.querySelector(".walk").offsetHeight}`;
        still = now === before ? still + 1 : 0;
        if (!still) since = performance.now();
        before = now;
    }
    const box = one => { const b = one.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
    const at = selector => box(root.querySelector(selector));
    return {
        free: [Math.max(0, document.querySelector('[data-testid="stHeader"]').getBoundingClientRect().bottom),
               at(".walk")[1]],
        bar: at(".walk"), text: at(".told"), next: at("button.next"), chips: at(".chips"),
        part: root.querySelector("g[aria-pressed=true]").dataset.id,
        drawn: box(root.querySelector("g[aria-pressed=true] > :is(.box, .small, .hit)")),
        bars: at(".reading"), listing: at(".listing"),
        lines: [...root.querySelectorAll(".listing .row")].map(one => [...box(one), one.matches(".on")])
            .filter(line => line[1] >= at(".listing")[1] - 1 && line[3] <= at(".listing")[3] + 1),
        said: root.querySelector(".told").textContent,
        disabled: root.querySelector("button.next").disabled,
    };
}"""


@pytest.fixture
def walk(browser, server):
    """walk(size, query): a page of this size on which the walk has begun."""
    contexts = []

    def walk(size, query=""):
        width, height = size
        phone = min(size) < 700
        context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone
        )
        contexts.append(context)
        page = harness.new_page(context)
        page.goto(f"{server.url}/diagram?{query}")
        page.locator(".chips button").first.wait_for()
        harness.settled(page)
        page.get_by_role("button", name="Start the guided walk").click()
        return page

    yield walk
    for context in contexts:
        context.close()


def out_of_view(seen, size):
    """What of a step is covered or beyond the screen; a pixel is allowed for rounding."""
    top, bar = seen["free"]
    found = []
    left, above, right, below = seen["bar"]
    if above < top or below > size[1] + 1 or left < 0 or right > size[0] + 1:
        found.append(f"the bar at {seen['bar']}")
    for name in ("text", "next"):
        if seen[name][1] < above or seen[name][3] > below:
            found.append(f"{name} at {seen[name]}")
    wanted = {"drawn": seen["drawn"]} | ({"chips": seen["chips"]} if seen["part"] == "tokens" else {})
    for name, (_, upper, _, lower) in wanted.items():
        if seen["part"] == "stream":  # from top to bottom of the picture: its beginning is pointed at
            lower = min(lower, upper + 100)
        if upper < top - 1 or lower > bar + 1:
            found.append(f"{name} of {seen['part']} from {upper} to {lower}, free are {top} to {bar}")
    return found + (missing_beside(seen, top, bar) if size[0] >= 1280 else [])


def missing_beside(seen, top, bar):
    """What is not beside the picture on a wide screen: the bars, and eight lines, one that ran among them."""
    lines = [line for line in seen["lines"] if line[1] >= top - 1 and line[3] <= bar + 1]
    found = []
    if seen["bars"][1] < top - 1 or seen["bars"][3] > bar + 1:
        found.append(f"the bars at {seen['bars']}")
    if len(lines) < 8 or not any(line[4] for line in lines):
        found.append(f"the running lines: {len(lines)} are in view")
    return found


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_text_next_and_what_they_talk_about_are_in_view_at_every_step(walk, size):
    page = walk(size)
    troubles, places, count = [], set(), 0
    while True:
        seen = page.evaluate(PLACES)
        count += 1
        troubles += [f"step {count}: {one}" for one in out_of_view(seen, size)]
        places.add(tuple(round(place / 2) for place in seen["next"]))
        if seen["disabled"]:
            break
        page.locator("button.next").click()
    assert not troubles, "\n".join(troubles)
    assert f"Step {count} of {count}" in seen["said"]
    assert len(places) == 1, "Next moves under the thumb"
    harness.no_traceback(page)


def test_quick_taps_on_next_all_count(walk):
    page = walk((390, 844))
    box = harness.box(page.locator("button.next"))
    for _ in range(8):
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile("step=9"))
    expect(page.locator(".told")).to_contain_text("Step 9 of", use_inner_text=True)


def test_the_last_step_leads_on_with_all_that_was_chosen(walk):
    page = walk((1280, 800), "model=gpt-1&text=hard&token=3")
    while page.locator("button.next").is_enabled():
        page.locator("button.next").click()
    ways = page.locator(".ways a")
    harness.until(page, ways.count, lambda count: 2 <= count <= 3)
    expect(ways.first).to_have_attribute("href", re.compile("text=hard"))
    ways.first.click()
    page.wait_for_url(re.compile("/lens"))
    harness.until_chosen(page, model="gpt-1", text="hard")
    harness.settled(page)
    harness.no_traceback(page)


def test_the_bars_go_down_the_stream_with_the_walk_and_with_the_slider(walk):
    page = walk((1280, 800), "model=gpt-4&block=2")
    page.locator("button.end").click()
    heading, bars = page.locator(".reading h2"), page.locator(".reading li")
    shown = {}
    for part in ("embedding", "addition1", "addition2", "loss"):
        page.locator(harness.part(part)).click()
        shown[part] = heading.inner_text(), bars.all_inner_texts()
        expect(page.locator(".vector.here")).to_have_count(1)
    assert [title for title, _ in shown.values()] == [
        "From the embedding alone it would say",
        "After attention in block 2 it would say",
        "After block 2 it would say",
        "At the end it says",
    ]
    assert len({str(said) for _, said in shown.values()}) == 4
    page.locator(harness.part("addition2")).click()
    page.get_by_role("slider", name="Block").focus()
    page.keyboard.press("End")
    expect(heading).to_have_text("At the end it says")
    harness.until(page, bars.all_inner_texts, shown["loss"][1])


def test_motion_stops_on_request(walk):
    page = walk((1280, 800))
    page.get_by_role("checkbox", name="Motion").uncheck()
    page.wait_for_url(re.compile("still=1"))
    expect(page.locator(".reading i").first).to_have_css("transition-duration", "0s")
    expect(page.locator(".vector").first).to_have_css("transition-duration", "0s")
    page.reload()
    page.locator(".chips button").first.wait_for()
    expect(page.get_by_role("checkbox", name="Motion")).not_to_be_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_walk_under_way_is_accessible(server, open_page, scheme):
    page = open_page(f"{server.url}/diagram?step=10&model=gpt-1", scheme=scheme)
    page.locator(".chips button").first.wait_for()
    harness.settled(page)
    assert harness.axe(page) == []
