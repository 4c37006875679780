"""From moving a slider to the updated picture, on the pages of parts.

python -m bench.sliders [--model gpt-4] [--moves 30]
"""

import argparse

from playwright.sync_api import Locator, Page, sync_playwright

from bench import table
from tests.browser import harness

# What is moved: the page's address, and the control's role and name. A key moves it by one step.
SLIDERS = {
    "RoPE, distance": ("rope?m=100&n=90", "slider", "Query's position"),
    "RoPE, both moved": ("rope?m=100&n=90&together=1", "slider", "Query's position"),
    "RoPE, clock hands": ("rope?rope=hands&m=100&n=90", "slider", "Query's position"),
    "RoPE, learned positions": ("rope?rope=learned&m=100&n=90", "slider", "Key's position"),
    "RMSNorm, size of a vector": ("norm?rms=epsilon&power=-5", "slider", "Size of your vector"),
    "gate, silu": ("gate?gate=curve&a=-4", "slider", "a"),
    "gate, a unit's texts": ("gate?gate=unit&unit=3", "button", "Increment"),
}
LISTS = {"stream, all models: another measure": ("stream?stream=models", "Measure")}
PICTURES = ".js-plotly-plot, .dials, .driving, [data-testid=stTable]"  # a table is part of the picture
# Notes when a key was pressed, and when the picture changed for the last time, shadow roots included.
WATCH = """(pictures) => {
    const roots = [document];
    for (const one of document.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
    const seen = window.__seen = { pressed: null, changed: null };
    const element = (node) => node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    const around = (change) => element(change.target)?.closest(pictures)
        || [...change.addedNodes].some((node) => node.matches?.(pictures) || node.querySelector?.(pictures));
    window.__watcher?.disconnect();
    const watcher = window.__watcher = new MutationObserver((changes) => {
        if (changes.some(around)) seen.changed = performance.now();
    });
    for (const root of roots)
        watcher.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const press = () => { seen.pressed = performance.now(); seen.changed = null; };
    document.addEventListener("keydown", press, { capture: true, once: true });
}"""


def moved(page: Page, control: Locator, key: str) -> float:
    """Seconds from the key to the picture's last change; Playwright's TimeoutError if there is none."""
    control.focus()
    page.evaluate(WATCH, PICTURES)
    control.press(key)
    page.wait_for_function("window.__seen.changed !== null", polling=20)
    harness.settled(page)
    return page.evaluate("(window.__seen.changed - window.__seen.pressed) / 1000")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="gpt-4")
    parser.add_argument("--moves", type=int, default=30, help="of each control, at least 1")
    wanted = parser.parse_args()
    times: dict[str, list[float]] = {}
    with sync_playwright() as playwright, harness.serve() as server:
        browser = harness.launch(playwright)
        page = harness.new_page(harness.new_context(browser))

        def opened(address: str) -> None:
            page.goto(f"{server.url}/{address}&model={wanted.model}")
            harness.settled(page)

        for name, (address, role, label) in SLIDERS.items():
            opened(address)
            control = page.get_by_role(role, name=label).first
            key = "ArrowUp" if role == "slider" else "Enter"
            moved(page, control, key)
            times[name] = [moved(page, control, key) for _ in range(wanted.moves)]
        for name, (address, label) in LISTS.items():
            opened(address)
            times[name] = []
            for count in range(wanted.moves):
                box = page.get_by_role("combobox", name=label)
                box.click()
                box.press("ArrowUp" if count % 2 else "ArrowDown")
                times[name].append(moved(page, box, "Enter"))
        harness.no_traceback(page)
        browser.close()
    table.show(times)


if __name__ == "__main__":
    main()
