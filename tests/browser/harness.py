"""Start the app's server and a Chromium, and ask a page how it is. The benchmarks use it too."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit
from weakref import WeakKeyDictionary

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    FloatRect,
    Locator,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app.py"

# --no-sandbox: Chromium refuses to start as root without it, as in most containers.
# The resolver rule keeps the tests off the network: a page that asks for a remote file logs an error.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

SCREENS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
    "small phone": {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True},
    "projector": {"viewport": {"width": 1920, "height": 1080}},
}

# The one place where tests and benchmarks name parts of the page.
APP_VIEW = '[data-testid="stApp"]'
EXCEPTION = '[data-testid="stException"]'
MAIN = '[data-testid="stMainBlockContainer"]'
DIAGRAM = "svg:has(g[role=button][data-id])"


def part(name: str) -> str:
    """The selector of one part of the diagram."""
    return f'g[role=button][data-id="{name}"]'


T = TypeVar("T")
PATIENCE = 90  # seconds that a state may take to come on a busy machine
expect.set_options(timeout=1000 * PATIENCE)

_complaints: WeakKeyDictionary[Page, list[str]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Server:
    """A running app: where it answers, its process, what it has printed, and the seconds it took to start."""

    url: str
    process: subprocess.Popen[bytes]
    log_file: Path
    seconds_to_healthy: float

    def log(self) -> str:
        """Everything the server has printed so far."""
        return self.log_file.read_text(errors="replace")


@contextlib.contextmanager
def serve(app: Path = APP, *options: str, seconds: float = 120, base: str = "") -> Iterator[Server]:
    """Run `streamlit run app` on a free port until the block ends; yields once the server is healthy.

    base: the path below which it serves, like "/explorer", or none.
    Raises RuntimeError with the end of the log if the server stops by itself or is not healthy in time.
    """
    with tempfile.TemporaryDirectory(prefix="sprout-server-") as folder:
        log_file = Path(folder) / "server.log"
        with log_file.open("wb") as log:
            port = free_port()
            started = time.perf_counter()
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "streamlit", "run", app.name),
                    *("--server.port", str(port), "--server.address", "127.0.0.1"),
                    *("--server.headless", "true", "--browser.gatherUsageStats", "false"),
                    *(("--server.baseUrlPath", base) if base else ()),
                    *options,
                ],
                cwd=app.parent,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
            url = f"http://127.0.0.1:{port}{base}"
            try:
                _wait_until_healthy(url, process, log_file, started + seconds)
                yield Server(url, process, log_file, time.perf_counter() - started)
            finally:
                end(process)


def end(process: subprocess.Popen) -> None:
    """End a process that a test has started, by force where it does not go by itself."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log_file: Path, deadline: float) -> None:
    while not _healthy(url):
        if process.poll() is not None or time.perf_counter() > deadline:
            state = "is not healthy yet" if process.poll() is None else f"stopped with {process.returncode}"
            raise RuntimeError(f"The server {state}. Its log ends:\n{log_file.read_text()[-2000:]}")
        time.sleep(0.05)


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
            return answer.read() == b"ok"
    except OSError:
        return False


def installed_chromium() -> str | None:
    """The path of the system's Chromium or Chrome, or None if there is none."""
    candidates = (
        "/usr/bin/chromium",
        shutil.which("chromium"),
        shutil.which("google-chrome"),
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    )
    return next((path for path in candidates if path and Path(path).exists()), None)


def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium, or Playwright's own where the system has none."""
    return playwright.chromium.launch(executable_path=installed_chromium(), args=CHROMIUM_FLAGS)


def new_context(browser: Browser, screen: str = "desktop", scheme: str = "light") -> BrowserContext:
    """A fresh visitor. screen: a key of SCREENS. scheme: "light" or "dark"."""
    return browser.new_context(**SCREENS[screen], color_scheme=scheme)


def new_page(context: BrowserContext) -> Page:
    """A page whose console errors and uncaught exceptions are kept for `complaints`."""
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    heard = _complaints[page] = []
    page.on("console", lambda message: _is_complaint(message) and heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(f"uncaught: {error}"))
    return page


def _is_complaint(message: ConsoleMessage) -> bool:
    """Errors, but for one of Streamlit's own: at /lens it looks for its server below /lens first."""
    missing = message.text.endswith(("404 (Not Found)", "404 ()"))  # HTTP/2 has no words for it
    looked_for = missing and "/_stcore/" in message.location.get("url", "")
    return message.type == "error" and not looked_for


def complaints(page: Page) -> list[str]:
    """What the browser's console has reported as errors on this page so far."""
    return list(_complaints[page])


# A tap reaches the server a moment after the click, and what a component asks for a frame after it is drawn,
# so one look at the state may be too early: the page has to be still for a while, and for almost as many
# frames as an idle machine draws in it, since a busy one may have room for a single look in that time.
_STILL = """([selector, undrawn, quiet]) => {
    const app = document.querySelector(selector);
    const drawn = (one) => one.shadowRoot && !one.shadowRoot.querySelector(undrawn);
    const still = app
        && app.dataset.testScriptState === "notRunning"
        && app.dataset.testConnectionState === "CONNECTED"
        && !app.querySelector('[data-testid="stAppSkeleton"], [data-testid="stSkeleton"]')
        && [...app.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].every(drawn);
    if (!still) window.__still = null;
    else window.__still ??= { since: performance.now(), frames: 0 };
    if (!still) return false;
    window.__still.frames += 1;
    return performance.now() - window.__still.since >= quiet && window.__still.frames > quiet / 20;
}"""
# What a component's own script fills as soon as it runs, in its place already.
_UNDRAWN = """:is(.ballot, .dials, .contents, .picture, .doors, .guess, .lens, .patch, .fall, .pattern .line,
    .wrap tbody, .label + .line, .lines .listing):empty"""


def settled(page: Page, *, quiet: float = 0.3, seconds: float = PATIENCE) -> Page:
    """Wait until no script has been running for `quiet` seconds and every component is drawn -> the page.

    Raises Playwright's TimeoutError after `seconds`.
    """
    page.evaluate("window.__still = null")
    page.wait_for_function(_STILL, arg=[APP_VIEW, _UNDRAWN, 1000 * quiet], timeout=1000 * seconds)
    return page


def until(page: Page, ask: Callable[[], T], wanted: Callable[[T], bool] | T, seconds: float = PATIENCE) -> T:
    """Ask again until the answer is what is wanted, or of its kind, and return it.

    wanted: the answer, or a function that tells whether it is one.  For what `expect` has no words for.
    Fails after `seconds` with the last answer, or with what kept from asking.
    """
    suits = wanted if callable(wanted) else lambda found: found == wanted
    deadline = time.monotonic() + seconds
    while True:
        try:
            found, trouble = ask(), None
        except (Error, ValueError, LookupError) as fault:  # what is asked is not there, or not whole
            found, trouble = None, fault
        if trouble is None and suits(found):
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"{page.url}: after {seconds} seconds it is still {found!r}") from trouble
        page.wait_for_timeout(50)


def box(locator: Locator) -> FloatRect:
    """Where it stands once it is there and no longer moves: the same in three frames."""
    looks: list[FloatRect | None] = [None, None]

    def still() -> bool:
        locator.page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
        looks.append(locator.bounding_box())
        return looks[-1] is not None and looks[-3] == looks[-2] == looks[-1]

    until(locator.page, still, True)
    return looks[-1]


def chosen(page: Page) -> dict[str, str]:
    """What the page's address says is chosen."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def until_chosen(page: Page, **wanted: str | None) -> dict[str, str]:
    """Wait until the address says this; None: it says nothing of it.  Returns all that it says."""
    says = wanted.items()
    return until(
        page, lambda: chosen(page), lambda found: all(found.get(name) == said for name, said in says)
    )


def fits(page: Page) -> None:
    """Wait until the page is no wider than the screen."""
    until(page, lambda: page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), True)


def no_traceback(page: Page) -> None:
    """Fail if the page shows an exception or a traceback, or if the browser's console reported an error."""
    shown = page.locator(EXCEPTION).all_inner_texts()
    assert not shown, f"the page shows an exception: {shown}"
    assert "Traceback" not in page.locator("body").inner_text(), "the page shows a traceback"
    assert not complaints(page), f"the browser's console reports errors: {complaints(page)}"


def axe(page: Page) -> list[str]:
    """The serious and critical violations that axe finds, one line each: those that a second look finds too.

    In between, what fades in or moves comes to rest.
    """
    if found := _violations(page):
        settled(page, quiet=1)
        found = _violations(page)
    return found


def _violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{violation['id']} ({violation['impact']}, {len(violation['nodes'])}×): {violation['help']}; "
        f"first: {violation['nodes'][0]['html'][:200]}"
        for violation in found
        if violation["impact"] in ("serious", "critical")
    ]


def _main() -> int:
    """Exit status 0 if a browser is installed, 1 otherwise."""
    path = installed_chromium()
    if path is None:
        with sync_playwright() as playwright:
            path = playwright.chromium.executable_path
    found = Path(path).exists()
    print(path if found else "no browser found")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(_main())
