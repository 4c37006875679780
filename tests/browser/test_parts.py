"""The pages of parts in a real browser: they fit, they say what is measured, odd addresses end well."""

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from bench import sliders
from tests.browser import harness

PAGES = [
    "rope",
    "rope?rope=hands",
    "stream?stream=numbers",
    "stream?stream=models",
    "norm",
    "norm?rms=order",
    "gate?gate=units",
    "gate?gate=shut",
    "gate?gate=unit",
    "gate?gate=width",
]
ODD = quote("<b>$x$ <|end|>\t\u202eabc 🦊 \u0000\n" * 3)
ODD_ADDRESSES = [
    f"rope?rope=head&text=own&own={ODD}&query=99&key=-3&block=<b>&head=9e9",
    f"stream?text=own&own={ODD}&stream=%FF&held=maybe",
    "stream?stream=models&side=<b>&held=%00",
    "gate?gate=unit&unit=-1&block=9e9",
    f"norm?text=own&own={ODD}&rms=mean&epsilon=nan",
    f"gate?gate=units&text=own&own={ODD}&token=-1&unit=1e99",
    "rope?rope=switches&base=own&own_base=inf&pairing=$x$&m=-1",
]


def address(server, path):
    return f"{server.url}/{path}{'&' if '?' in path else '?'}model=gpt-1"


def each(server, open_page, paths, screen="desktop", scheme="light"):
    """One visitor opens one address after the other, each checked -> (path, page)."""
    page = open_page(address(server, paths[0]), screen, scheme)
    for path in paths:
        page.goto(address(server, path))
        harness.settled(page)
        expect(page.get_by_text("What to notice"), path).to_have_count(1)
        harness.no_traceback(page)
        yield path, page


SIDEWAYS = """all => all.flatMap((table) => [table, ...table.querySelectorAll("*")]).some((one) =>
    ["auto", "scroll"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth)"""


@pytest.mark.parametrize("screen", harness.SCREENS)
def test_every_page_fits_its_screen_and_is_accessible(server, open_page, screen):
    found = {}
    for path, page in each(server, open_page, PAGES, screen, "dark" if screen == "projector" else "light"):
        harness.fits(page)
        tables = page.get_by_test_id("stTable")
        harness.until(page, lambda: tables.evaluate_all(SIDEWAYS), False)  # noqa: B023
        found[path] = harness.axe(page) if screen == "desktop" else []
    assert not any(found.values()), found


def test_odd_addresses_end_well(server, open_page):
    assert len(list(each(server, open_page, ODD_ADDRESSES))) == len(ODD_ADDRESSES)


def test_moving_both_with_the_keyboard_keeps_the_distance_and_its_link(server, open_page):
    page = open_page(address(server, "rope?m=100&n=90&together=1"))
    slider = page.get_by_role("slider", name="Query's position")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
        harness.settled(page)
    harness.until_chosen(page, m="97", n="87")
    expect(page.get_by_text("10 positions before the query")).to_be_visible()
    last = page.get_by_role("row").last
    harness.until(page, lambda: last.inner_text().split()[:3], ["97", "87", "10"])


def test_a_slider_runs_its_fragment_and_not_the_page(server, open_page):
    page = open_page(address(server, "rope"))
    received = []
    page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(bytes_of(frame)))
    )
    for path, role, label in sliders.SLIDERS.values():
        page.goto(address(server, path))
        harness.settled(page)
        sentence = page.locator(f"{harness.MAIN} p").first.inner_text().encode()[:40]
        harness.until(page, lambda: any(sentence in frame for frame in received), True)  # noqa: B023
        received.clear()
        control = page.get_by_role(role, name=label).first
        sliders.moved(page, control, "ArrowUp" if role == "slider" else "Enter")
        harness.until(page, lambda: any(b"What to notice" in frame for frame in received), True)
        assert not any(sentence in frame for frame in received), path
        received.clear()


def bytes_of(frame):
    return frame.encode() if isinstance(frame, str) else frame


MOVED = [
    ("rope", ("In NumPy", "Distance")),
    ("gate", ("Why ⅔ of 4d", "silu")),
    ("stream", ("All models", "Direction")),
]


@pytest.mark.parametrize(("path", "tabs"), MOVED)
def test_the_models_lines_stay_in_view_from_tab_to_tab(server, open_page, path, tabs):
    page = open_page(address(server, path))
    listing = page.locator(".listing").last
    for tab in tabs:
        page.get_by_role("radio", name=tab).click()
        harness.settled(page)
        first = harness.box(listing.locator(".row.on").first)
        around = harness.box(listing)
        assert around["y"] < first["y"] < around["y"] + around["height"], tab
    listing.evaluate("one => one.scrollTo({ top: 300, behavior: 'instant' })")
    page.get_by_role("radio", name=tabs[0]).click()
    harness.settled(page)
    harness.until(page, lambda: listing.evaluate("one => one.scrollTop"), 300)  # where the reader left it


def test_the_hands_turn_and_the_angle_between_them_stays(server, open_page):
    page = open_page(address(server, "rope?rope=hands&m=30&n=10&together=1"))

    of_both = """all => ["q", "k"].map((hand) =>
        all.filter((one) => one.classList.contains(hand)).map((one) => +one.dataset.angle))"""

    def angles():  # in one look, since the dials may be drawn anew between two
        return page.locator(".dials .hand").evaluate_all(of_both)

    before = angles()
    page.get_by_role("slider", name="Key's position").focus()
    page.keyboard.press("ArrowRight")
    after = harness.until(page, angles, lambda now: now != before and len(now[1]) == 32)
    assert len(after[0]) == len(after[1]) == 32
    assert after[1][0] - before[1][0] == pytest.approx(1, abs=1e-6)  # pair 0: one radian a position
    for pair in range(32):
        turned = [after[hand][pair] - before[hand][pair] for hand in (0, 1)]
        assert turned[0] == pytest.approx(turned[1], abs=1e-6)


def test_an_idea_is_chosen_with_a_click_and_its_numbers_can_be_kept(server, open_page):
    page = open_page(address(server, "stream"))
    page.get_by_text("Size of the numbers").click()
    harness.until_chosen(page, stream="numbers")
    harness.settled(page)
    page.get_by_text("The numbers of this figure").click()
    harness.settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("row,attention adds,feed-forward adds,length of the stream")
    assert [line.split(",")[0] for line in lines[1:]] == ["embedding", "after block 1"]
