"""The lens's grid of 512 columns: the frames while it scrolls, and the time from a tap to the painted answer.

python -m bench.lens_scrolling [--model gpt-4] [--taps 20]
"""

import argparse

from playwright.sync_api import sync_playwright

from bench import table
from engine import presets
from tests.browser import harness

WORDS = 700  # far more than 512 tokens: the lens cuts them
RECORD = """() => {
    window.frames_ = [];
    window.recording = true;
    let before = performance.now();
    const frame = (now) => {
        window.frames_.push(now - before);
        before = now;
        if (window.recording) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""
STOP = "() => { window.recording = false; return window.frames_.slice(1); }"
# From the tap until the frame after the panel's new title has been painted.
TAP = """td => new Promise((done) => {
    const started = performance.now();
    td.click();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - started)));
})"""


def frames(page, act):
    """Seconds of every frame while act is under way."""
    page.evaluate(RECORD)
    act()
    return [milliseconds / 1000 for milliseconds in page.evaluate(STOP)]


def wheel(page, x, y):
    """250 px to the right, as a wheel makes them."""
    for _ in range(10):
        page.mouse.wheel(25, 0)
        page.wait_for_timeout(16)


def finger(page, x, y):
    """250 px to the right, as a finger makes them."""
    client = page.context.new_cdp_session(page)
    for kind, moved in [("Start", 0), *(("Move", 25 * step) for step in range(1, 11)), ("End", None)]:
        points = [] if moved is None else [{"x": x - moved, "y": y}]
        client.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        page.wait_for_timeout(16)


def scroll(page, box):
    """Twenty scrolls by the screen's own means."""
    at = box.bounding_box()
    x, y = at["x"] + at["width"] - 30, at["y"] + 60
    touched = page.evaluate("matchMedia('(pointer: coarse)').matches")
    page.mouse.move(x, y)
    for _ in range(20):
        (finger if touched else wheel)(page, x, y)


def measure(page, taps):
    """What is measured on one screen: {what: seconds of each}."""
    box = page.locator(".lens .scroll").first
    box.scroll_into_view_if_needed()
    found = {"frame, page at rest": frames(page, lambda: page.wait_for_timeout(1500))}
    found["frame, scrolling"] = frames(page, lambda: scroll(page, box))
    if box.evaluate("e => e.scrollLeft") < 3000:
        raise RuntimeError("The grid did not scroll.")
    cells = page.locator(".lens tbody tr >> nth=1 >> td")
    count = cells.count()
    found["tap to painted answer"] = [
        cells.nth(17 + tap * 23 % (count - 17)).evaluate(TAP) / 1000 for tap in range(taps)
    ]
    harness.settled(page)
    return found


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="gpt-4", choices=presets.NAMES)
    parser.add_argument("--taps", type=int, default=20)
    wanted = parser.parse_args()
    with sync_playwright() as playwright, harness.serve() as server:
        browser = harness.launch(playwright)
        for screen in ("desktop", "phone"):
            page = harness.new_page(harness.new_context(browser, screen))
            page.goto(f"{server.url}/lens?model={wanted.model}&text=own&own={'dog+cat+' * (WORDS // 2)}")
            harness.settled(page)
            print(f"{screen}, {page.locator('.lens thead .token').count()} columns")
            table.show(measure(page, wanted.taps))
            page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
