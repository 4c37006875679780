"""How long the app takes to start, beside an empty Streamlit app, and from a tap to the updated panel.

python -m bench.start_and_tap [--starts 5] [--taps 40]
"""

import argparse
import time
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, sync_playwright

from bench import empty, table, watching
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
FIRST = ".next ol li"  # the landing picture: what the model expects next
# Tapped in turn, so that each tap changes what is shown; the first is not the one shown at the start.
PARTS = ("feed_forward", "attention")


@dataclass
class Starts:
    """What was measured of one app: times in seconds, and the kB that a visitor receives."""

    first: str  # the selector of its first content
    times: dict[str, list[float]] = field(default_factory=dict)
    kilobytes: list[float] = field(default_factory=list)

    def add(self, name: str, seconds: float) -> None:
        """One more measurement."""
        self.times.setdefault(name, []).append(seconds)


def visit(browser: Browser, server: harness.Server, app: Starts, who: str) -> None:
    """Ask for the landing page with an empty browser cache, and measure until it has settled."""
    context = harness.new_context(browser)
    page = harness.new_page(context)
    watching.from_the_start(page, app.first)
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("Network.enable")
    received = []
    session.on("Network.dataReceived", lambda told: received.append(told["encodedDataLength"]))
    framed = []
    session.on(
        "Network.webSocketFrameReceived", lambda told: framed.append(len(told["response"]["payloadData"]))
    )
    before = watching.cost(session, server.process.pid)
    started = time.perf_counter()
    page.goto(server.url)
    harness.settled(page, quiet=QUIET)
    app.add(f"{who}: settled", time.perf_counter() - started - QUIET)
    cost = watching.cost(session, server.process.pid) - before
    app.add(f"{who}: first content", watching.seen(page))
    app.add(f"{who}: browser's main thread", cost.main_thread)
    app.add(f"{who}: its scripts", cost.scripts)
    app.add(f"{who}: server's processor time", cost.server)
    app.kilobytes.append((sum(received) + sum(framed) * 3 / 4) / 1000)  # frames are told as base64
    harness.no_traceback(page)
    context.close()


def start(browser: Browser, server: harness.Server, app: Starts) -> None:
    """What the first two visitors of a server meet."""
    app.add("server healthy", server.seconds_to_healthy)
    visit(browser, server, app, "first visitor")
    visit(browser, server, app, "second visitor")


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


def taps(browser: Browser, count: int) -> list[float]:
    """Seconds of so many taps on the diagram."""
    with harness.serve() as server:
        page = harness.new_page(harness.new_context(browser))
        page.goto(f"{server.url}/diagram")
        harness.settled(page)
        took = [tap(page, PARTS[number % len(PARTS)]) for number in range(count)]
        harness.no_traceback(page)
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=5, help="servers of each app to start, in turn")
    parser.add_argument("--taps", type=int, default=40)
    wanted = parser.parse_args()
    ours, bare = Starts(FIRST), Starts(empty.FIRST)
    with sync_playwright() as playwright:
        browser = harness.launch(playwright)
        for _ in range(wanted.starts):
            with harness.serve() as server:
                start(browser, server, ours)
            with empty.serve() as server:
                start(browser, server, bare)
        took = taps(browser, wanted.taps)
        browser.close()
    table.beside("the explorer", ours.times, "an empty app", bare.times)
    for name, app in (("the explorer", ours), ("an empty app", bare)):
        print(f"a visitor of {name} receives {max(app.kilobytes, default=0):,.0f} kB")
    table.show({"tap to update": took})


if __name__ == "__main__":
    main()
