"""Readers without a browser: they speak Streamlit's own messages over websockets, so that they cost next to
nothing and the server alone is tried and measured.

The messages are internal to Streamlit and belong to the pinned version.
"""

import asyncio
import contextlib
import json
import re
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import websockets
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LONGEST_RUN = 120  # seconds after which a run counts as failed
_ON_THE_WAY = (ForwardMsg.FINISHED_EARLY_FOR_RERUN,)
NOT_SHOWN = "could not be shown"
FALSE = "Not so"
Closed = websockets.ConnectionClosed


@dataclass
class Shown:
    """What one run sent: every element by its kind, with the fragment that it belongs to."""

    elements: list[tuple[str, object, str]] = field(default_factory=list)

    def of(self, *kinds: str) -> list[object]:
        """The elements of these kinds, in the order they came."""
        return [element for kind, element, _ in self.elements if kind in kinds]

    def words(self) -> str:
        """What can be read, roughly: all texts and markup."""
        said = [one.body for one in self.of("markdown", "text", "alert", "html", "heading")]
        return "\n".join(said)

    def trouble(self) -> list[str]:
        """What no reader should see of a page that they did nothing odd to, as sentences."""
        seen = [f"exception: {one.message}" for one in self.of("exception")]
        seen += [f"error: {one.body}" for one in self.of("alert") if one.format == Alert.ERROR]
        return seen


class Session:
    """One reader on one page.  shown: what the last run sent."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket, self.shown, self.received = socket, Shown(), 0
        self.page, self.query, self.id = "", "", ""
        self.state: dict[str, tuple[str, object]] = {}  # what its controls hold: {id: (field, value)}
        self.cached: set[str] = set()  # the messages that it has already

    async def open(self, page: str = "", query: str = "") -> float:
        """Go to a page by its address; seconds until it stands."""
        self.page, self.query = page, query
        return await self.run()

    async def run(self, fragment: str = "", trigger: tuple[str, str, object] | None = None) -> float:
        """Ask for a run, of the page or of one fragment; seconds until it has finished.

        trigger: (id, field, value) of a control for this run alone.  Raises TimeoutError.
        """
        message = BackMsg()
        ask = message.rerun_script
        ask.page_name, ask.query_string, ask.fragment_id = self.page, self.query, fragment
        ask.cached_message_hashes.extend(self.cached)
        held = [(id, *value) for id, value in self.state.items()]
        for id, kind, value in (*held, *((trigger,) if trigger else ())):
            widget = ask.widget_states.widgets.add()
            widget.id = id
            if kind.endswith("_array_value"):
                getattr(widget, kind).data[:] = value
            else:
                setattr(widget, kind, value)
        return await self.send(message)

    async def send(self, message: BackMsg) -> float:
        """Send any message that ends in a run; seconds until it has finished."""
        started = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        self.shown = Shown()
        async with asyncio.timeout(LONGEST_RUN):
            while not self._heard(await self.socket.recv()):
                pass
        return time.perf_counter() - started

    def _heard(self, raw: bytes) -> bool:
        """Take one message in -> whether it says that the run is over."""
        self.received += len(raw)
        answer = ForwardMsg.FromString(raw)
        if answer.hash and answer.metadata.cacheable:
            self.cached.add(answer.hash)
        kind = answer.WhichOneof("type")
        if kind == "new_session":
            self.shown, self.id = Shown(), answer.new_session.initialize.session_id
        if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
            element = answer.delta.new_element
            name = element.WhichOneof("type")
            self.shown.elements.append((name, getattr(element, name), answer.delta.fragment_id))
        return kind == "script_finished" and answer.script_finished not in _ON_THE_WAY

    async def press(self, label: str) -> float:
        """Press the button of this label that the last run sent."""
        for kind, element, fragment in self.shown.elements:
            if kind == "button" and element.label == label:
                return await self.run(fragment, (element.id, "trigger_value", True))
        raise LookupError(f"There is no button {label!r}.")

    def component(self, holds: str) -> tuple[str, str, dict]:
        """(id, fragment, data) of the component whose data have this name.  Raises LookupError."""
        for kind, element, fragment in self.shown.elements:
            if kind == "bidi_component":
                data = json.loads(element.json or element.mixed.json or "{}")
                if holds in data:
                    return element.id, fragment, data
        raise LookupError(f"No component was given {holds!r}.")


@contextlib.asynccontextmanager
async def session(url: str) -> AsyncIterator[Session]:
    """A reader who has come to the server at this address, and has not asked for a page yet."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    # Without pings, as browsers have none: on a busy machine they would end what a browser waits for.
    options = {"subprotocols": ["streamlit"], "max_size": None, "ping_interval": None}
    async with websockets.connect(address, **options) as socket:
        yield Session(socket)


@dataclass
class Came:
    """What became of one reader of a rush: seconds until the page stood, and what was wrong on it."""

    page: str
    seconds: float
    trouble: list[str]


async def _one(url: str, page: str, barrier: asyncio.Barrier) -> Came:
    try:
        return await _opened(url, page, barrier)
    except TimeoutError:
        return Came(page, LONGEST_RUN, [f"no answer within {LONGEST_RUN} s"])


async def _opened(url: str, page: str, barrier: asyncio.Barrier) -> Came:
    async with session(url) as reader:
        await barrier.wait()
        took = await reader.open(page)
        trouble = reader.shown.trouble()
        if page == "checks":
            took += await reader.press("Run the checks")
            trouble += reader.shown.trouble()
            trouble += [FALSE] if FALSE in reader.shown.words() else []
        return Came(page, took, trouble)


def run(coroutine):
    """asyncio.run in a thread of its own: a browser's test may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def upload(url: str, session: str, file: str, size: int) -> int:
    """Put a file of a made-up name into a session -> the answer's status."""
    mark, cookie = uuid.uuid4().hex, ""
    with urllib.request.urlopen(f"{url}/_stcore/health") as answer:
        cookie = answer.headers.get("Set-Cookie", "")
    token = re.search(r"_streamlit_xsrf=([^;]+)", cookie)
    head = f'--{mark}\r\nContent-Disposition: form-data; name="f"; filename="f.json"\r\n\r\n'.encode()
    request = urllib.request.Request(
        f"{url}/_stcore/upload_file/{session}/{file}",
        data=head + b"0" * size + f"\r\n--{mark}--\r\n".encode(),
        method="PUT",
        headers={
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "Cookie": f"_streamlit_xsrf={token.group(1)}" if token else "",
            "X-Xsrftoken": token.group(1) if token else "",
        },
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def rush(url: str, pages: list[str]) -> list[Came]:
    """So many readers as there are pages, each with a page, all at the same moment."""

    async def all_at_once() -> list[Came]:
        barrier = asyncio.Barrier(len(pages))
        return await asyncio.gather(*(_one(url, page, barrier) for page in pages))

    return run(all_at_once())
