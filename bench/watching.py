"""When something stands on a page, by the page's own clock, and what the page cost browser and server."""

import json
from dataclasses import dataclass

from playwright.sync_api import CDPSession, Page

from bench import memory

# Looks for a selector, through components too, whose text holds some letters: notes when it is there, and the
# last press of a key.  Where it was found before is asked first, so that looking costs little.
WATCH = """({ selector, letters }) => {
    const found = (root) => {
        const here = root.querySelector(selector);
        if (here) return here;
        for (const node of root.querySelectorAll('*')) {
            const inside = node.shadowRoot && found(node.shadowRoot);
            if (inside) return inside;
        }
        return null;
    };
    const watch = window.__seen = { pressed: 0, seen: null };
    document.addEventListener("keydown", () => { watch.pressed = performance.now(); }, true);
    let node = null;
    const look = () => {
        node = node?.isConnected ? node : found(document);
        if (node?.textContent.includes(letters)) watch.seen = performance.now();
        else setTimeout(look, node ? 2 : 10);
    };
    look();
}"""


@dataclass(frozen=True)
class Cost:
    """Seconds of work: of the page's main thread, of its scripts, of the server's process."""

    main_thread: float
    scripts: float
    server: float

    def __sub__(self, before: "Cost") -> "Cost":
        return Cost(
            self.main_thread - before.main_thread,
            self.scripts - before.scripts,
            self.server - before.server,
        )


def cost(session: CDPSession, process: int) -> Cost:
    """What has been worked so far.  session: with Performance.enable sent."""
    told = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return Cost(told["TaskDuration"], told["ScriptDuration"], memory.processor_seconds(process))


def from_the_start(page: Page, selector: str) -> None:
    """Before a page is asked for: watch for the first content."""
    wanted = json.dumps({"selector": selector, "letters": ""})
    page.add_init_script(f"document.addEventListener('DOMContentLoaded', () => ({WATCH})({wanted}))")


def for_letters(page: Page, selector: str, letters: str) -> None:
    """From now on: watch for these letters."""
    page.evaluate(WATCH, {"selector": selector, "letters": letters})


def seen(page: Page) -> float:
    """Seconds from the last key, or else from asking for the page, until it was there."""
    page.wait_for_function("window.__seen?.seen")
    return float(page.evaluate("(window.__seen.seen - window.__seen.pressed) / 1000"))
