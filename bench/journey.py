"""How long a tap on the diagram takes to show its code, and how long the measured numbers take to follow.

python -m bench.journey [--taps 30]
"""

import argparse
import time

from playwright.sync_api import Page, sync_playwright

from bench import table
from tests.browser import harness

# In one go, so that nothing of the server is in it: press, and read the lines that are highlighted then.
TAP = """(part) => {
    const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot)
        .find(r => r?.querySelector("g[data-id]"));
    const started = performance.now();
    root.querySelector(`g[data-id="${part}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const lines = root.querySelectorAll(".code .row.on").length;
    root.querySelector(".code .row.on").getBoundingClientRect();
    return lines ? (performance.now() - started) / 1000 : null;
}"""
PART = "g[role=button][data-id]"
PARTS = ("embedding", "attention", "feed_forward", "final_norm", "loss", "tie", "norm1", "output")


def numbers_after_token(page: Page, token: int) -> float:
    """Seconds from choosing a token until the card says it was measured there."""
    chip = page.locator(".chips button").nth(token)
    chip.scroll_into_view_if_needed()
    started = time.perf_counter()
    chip.click()
    page.locator(".journey h3", has_text=f"token {token},").wait_for()
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--taps", type=int, default=30, help="at least 1")
    wanted = parser.parse_args()
    times: dict[str, list[float]] = {"tap to highlighted code (no server)": []}
    with sync_playwright() as playwright, harness.serve() as server:
        browser = harness.launch(playwright)
        page = harness.new_page(harness.new_context(browser))
        for name in ("gpt-1", "gpt-4", "sprout", "store"):
            started = time.perf_counter()
            page.goto(f"{server.url}/?model={name}")
            page.locator(PART).first.wait_for()
            drawn = time.perf_counter()
            page.locator(".chips button").first.wait_for(timeout=60_000)
            times[f"{name}: page asked for to picture"] = [drawn - started]
            times[f"{name}: picture to first numbers"] = [time.perf_counter() - drawn]
            harness.settled(page)
            # Each token is measured for the first time, so that nothing comes from the cache.
            times[f"{name}: token chosen to its numbers"] = [
                numbers_after_token(page, token) for token in range(1, 1 + wanted.taps // 2)
            ]
        harness.settled(page)
        for count in range(wanted.taps):
            times["tap to highlighted code (no server)"].append(page.evaluate(TAP, PARTS[count % len(PARTS)]))
            harness.settled(page)
        harness.no_traceback(page)
        browser.close()
    table.show(times)


if __name__ == "__main__":
    main()
