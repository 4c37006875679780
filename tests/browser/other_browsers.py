"""Firefox and WebKit as Debian has them, driven with the commands of W3C's WebDriver.

WebKit's driver takes them over HTTP, Firefox over a socket of its own, Marionette.  Both are spoken here
plainly: the libraries for them bring two dozen packages.
"""

import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from tests.browser import harness

FIREFOX = shutil.which("firefox-esr")
WEBKIT_DRIVER, XVFB = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
MINI_BROWSER = next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))), None)
SILENT = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PATIENCE = 60.0  # seconds that a browser has to start or to answer

# Elements inside a component are out of reach of the drivers' own clicks, so they are found and tapped here.
_REACH = """
const all = (wanted, root = document) => [
    ...root.querySelectorAll(wanted),
    ...[...root.querySelectorAll("*")].filter((e) => e.shadowRoot).flatMap((e) => all(wanted, e.shadowRoot)),
];
const seen = (e) => e.getClientRects().length > 0;
const named = (wanted, words) => all(wanted).find((e) => seen(e) && e.textContent.trim().match(words));
const tap = (e) => ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].forEach((kind) => {
    const Kind = kind.startsWith("pointer") ? PointerEvent : MouseEvent;
    e.dispatchEvent(new Kind(kind, { bubbles: true, composed: true, cancelable: true, button: 0 }));
});
"""
_SETTLED = """
const app = document.querySelector('[data-testid="stApp"]');
return Boolean(app) && app.dataset.testScriptState === "notRunning"
    && app.dataset.testConnectionState === "CONNECTED"
    && !app.querySelector('[data-testid="stAppSkeleton"], [data-testid="stSkeleton"]');
"""


class Visitor(ABC):
    """One window of a browser.  A subclass says how it is started and how a command reaches it."""

    @abstractmethod
    def send(self, command: str, path: str, **given: Any) -> Any:
        """A command by its name and, over HTTP, by its path -> its value.  Raises RuntimeError."""

    def run(self, script: str, *given: Any) -> Any:
        """The script's return value; it may use all, named, seen and tap, and arguments."""
        return self.send("ExecuteScript", "execute/sync", script=_REACH + script, args=list(given))

    def until(self, condition: str, *given: Any, seconds: float = PATIENCE) -> Any:
        """Wait until an expression is true -> its value.  Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while not (found := self.run(f"return {condition};", *given)):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.1)
        return found

    def settle(self, seconds: float = PATIENCE) -> None:
        """Wait until no script has been running for a third of a second."""
        deadline, still = time.monotonic() + seconds, 0
        while still < 4:
            still = still + 1 if self.run(_SETTLED) else 0
            if time.monotonic() > deadline:
                raise TimeoutError("The page does not settle.")
            time.sleep(0.1)

    def open(self, url: str, width: int = 1280, height: int = 900) -> "Visitor":
        """A page, settled, in a window of about this size."""
        self.send("SetWindowRect", "window/rect", width=width, height=height)
        self.send("Navigate", "url", url=url)
        self.settle()
        return self

    def press(self, *keys: str) -> None:
        """Keys on whatever has the focus; those that are held together in one text."""
        moves = [
            {"type": kind, "value": one}
            for key in keys
            for kind, order in (("keyDown", key), ("keyUp", key[::-1]))
            for one in order
        ]
        by_key = {"type": "key", "id": "keyboard", "actions": moves}
        self.send("PerformActions", "actions", actions=[by_key])

    def address(self) -> str:
        return str(self.run("return location.href"))

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.send("TakeScreenshot", "screenshot")))


class Firefox(Visitor):
    """A message is its length, a colon, and [0, number, command, parameters]; so is the answer."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="sprout-firefox-")
        profile = Path(self.folder.name)
        # Any free port; it is written into the profile.
        (profile / "user.js").write_text('user_pref("marionette.port", 0);\n')
        command = [str(FIREFOX), "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        self.process = subprocess.Popen(command, **SILENT)
        self.numbers = itertools.count(1)
        self.line = None
        try:
            port = int(_written(profile / "MarionetteActivePort"))
            self.line = socket.create_connection(("127.0.0.1", port), PATIENCE)
            self._read()  # the greeting
            self.send("NewSession", "")
        except BaseException:
            self.close()
            raise

    def send(self, command: str, path: str, **given: Any) -> Any:
        message = json.dumps([0, next(self.numbers), f"WebDriver:{command}", given]).encode()
        self.line.sendall(f"{len(message)}:".encode() + message)
        _, _, fault, answer = self._read()
        if fault:
            raise RuntimeError(f"{command}: {fault['message']}")
        return answer.get("value")

    def _read(self) -> Any:
        length = b""
        while (letter := self.line.recv(1)) != b":":
            length += letter
        read = b""
        while len(read) < int(length):
            read += self.line.recv(int(length) - len(read))
        return json.loads(read)

    def close(self) -> None:
        if self.line:
            self.line.close()
        harness.end(self.process)
        self.folder.cleanup()


class WebKit(Visitor):
    """WebKitGTK's MiniBrowser, on a screen that is held in memory."""

    def __init__(self) -> None:
        screen = [str(XVFB), "-displayfd", "1", "-screen", "0", "1920x1200x24"]
        self.screen = subprocess.Popen(screen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        number = self.screen.stdout.readline().decode().strip()
        # Without the sandbox: as root, or in a container, it can't be made.
        own = {"DISPLAY": f":{number}", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        port = harness.free_port()
        command = [str(WEBKIT_DRIVER), f"--port={port}"]
        self.process = subprocess.Popen(command, env={**os.environ, **own}, **SILENT)
        self.url = f"http://127.0.0.1:{port}/session"
        try:
            self.url += f"/{self._session()}"
        except BaseException:
            self.close()
            raise

    def _session(self) -> str:
        options = {"binary": str(MINI_BROWSER), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return str(self._ask("POST", "", wanted)["sessionId"])
            except urllib.error.URLError:  # the driver does not listen yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def send(self, command: str, path: str, **given: Any) -> Any:
        return self._ask("POST" if given else "GET", f"/{path}", given or None)

    def _ask(self, method: str, path: str, given: Any = None) -> Any:
        content = None if given is None else json.dumps(given).encode()
        asked = urllib.request.Request(self.url + path, content, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as fault:
            with fault:
                raise RuntimeError(f"{path}: {fault.read().decode()}") from None

    def close(self) -> None:
        if self.url.rpartition("/")[2] != "session":
            self._ask("DELETE", "")
        harness.end(self.process)
        harness.end(self.screen)
        self.screen.stdout.close()


def _written(path: Path) -> str:
    """What a program writes into a file when it is ready."""
    deadline = time.monotonic() + PATIENCE
    while not (path.exists() and path.read_text().strip()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path.name} was not written.")
        time.sleep(0.05)
    return path.read_text()


# What is driven here: {name: (how it is started, whether it is installed)}.
BROWSERS = {
    "firefox": (Firefox, FIREFOX is not None),
    "webkit": (WebKit, None not in (WEBKIT_DRIVER, XVFB, MINI_BROWSER)),
}
