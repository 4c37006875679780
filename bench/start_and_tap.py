"""How long the app takes to start, and how long from a tap on the diagram to the updated panel.

python -m bench.start_and_tap [--starts 5] [--taps 40]
"""

import argparse
import time

from playwright.sync_api import Browser, Page, sync_playwright

from bench import table
from tests.browser import harness

# Watches the page's words, the diagram's own excepted, frame by frame: from the press to the last change.
WATCH = """([body, diagram]) => {
    const words = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (node.nodeType === Node.ELEMENT_NODE && (node.matches("style, script") || node.matches(diagram)))
            return "";
        let all = node.shadowRoot ? words(node.shadowRoot) : "";
        for (const child of node.childNodes) all += words(child);
        return all;
    };
    const watch = window.__watch = { pressed: null, changed: null };
    let before = words(document.querySelector(body));
    const press = () => { watch.pressed = performance.now(); };
    document.addEventListener("pointerdown", press, { capture: true, once: true });
    const look = () => {
        const now = words(document.querySelector(body));
        if (now !== before) [before, watch.changed] = [now, performance.now()];
        watch.frame = requestAnimationFrame(look);
    };
    look();
}"""
TOOK = """() => {
    const { pressed, changed, frame } = window.__watch;
    cancelAnimationFrame(frame);
    return pressed === null || changed === null ? null : (changed - pressed) / 1000;
}"""
QUIET = 0.3
# Tapped in turn, so that each tap changes what is shown; the first is not the one shown at the start.
PARTS = ("feed_forward", "attention")


def first_visit(browser: Browser, url: str) -> float:
    """Seconds from asking for the landing page, with an empty browser cache, until it has settled."""
    context = harness.new_context(browser)
    page = harness.new_page(context)
    started = time.perf_counter()
    page.goto(url)
    harness.settled(page, quiet=QUIET)
    took = time.perf_counter() - started - QUIET
    harness.no_traceback(page)
    context.close()
    return took


def tap(page: Page, name: str) -> float:
    """Seconds from pressing the part of this name until the page's words changed for the last time.

    Raises RuntimeError if they do not change.
    """
    part = page.locator(harness.part(name))
    part.scroll_into_view_if_needed()
    page.evaluate(WATCH, [harness.MAIN, harness.DIAGRAM])
    part.click()
    harness.settled(page, quiet=QUIET)
    took = page.evaluate(TOOK)
    if took is None:
        raise RuntimeError(f"A tap on the part {name!r} changed nothing beside the diagram.")
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5, help="servers to start, at least 1")
    parser.add_argument("--taps", type=int, default=40)
    wanted = parser.parse_args()
    times = {
        "server healthy": [],
        "first page settled": [],
        "second visitor's page settled": [],
        "tap to update": [],
    }
    with sync_playwright() as playwright:
        browser = harness.launch(playwright)
        for start in range(wanted.starts):
            with harness.serve() as server:
                times["server healthy"].append(server.seconds_to_healthy)
                times["first page settled"].append(first_visit(browser, server.url))
                times["second visitor's page settled"].append(first_visit(browser, server.url))
                if start < wanted.starts - 1:
                    continue
                page = harness.new_page(harness.new_context(browser))
                page.goto(f"{server.url}/diagram")
                harness.settled(page)
                for count in range(wanted.taps):
                    times["tap to update"].append(tap(page, PARTS[count % len(PARTS)]))
                harness.no_traceback(page)
        browser.close()
    table.show(times)


if __name__ == "__main__":
    main()
