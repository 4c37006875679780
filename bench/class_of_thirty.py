"""A class of thirty on one server: each opens the diagram and taps its parts.

python -m bench.class_of_thirty [--readers 30] [--seconds 60] [--think 2]

The readers speak Streamlit's own messages over websockets, so that they cost next to nothing and the server
alone is measured. It is always a server of ours, started here on 127.0.0.1.
"""

import argparse
import asyncio
import json
import random
import subprocess
import time
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bench import table
from tests.browser import harness

MOST_READERS = 100
MOST_SECONDS = 600
LONGEST_RUN = 60  # seconds after which a run counts as failed
# What the diagram reports: the chosen part, and which numbers it wants measured once it has been drawn.
CHOSEN, WANTED = "selected", "wanted"


@dataclass
class Diagram:
    """The diagram as a reader's session sees it."""

    widget: str
    fragment: str
    parts: list[str]
    numbers: str  # the name of the numbers that belong to its text


@dataclass
class Measured:
    """What all readers measured together, in seconds and bytes."""

    loads: list[float] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    taps: list[float] = field(default_factory=list)
    received: list[int] = field(default_factory=list)


class Reader:
    """One session over one websocket."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket = socket
        self.received = 0
        self.cached: set[str] = set()
        self.diagram: Diagram | None = None

    async def run(self, state: dict[str, str] | None = None) -> float:
        """Ask for a run, of the page or with a state of the diagram; seconds until it has finished.

        Raises RuntimeError if the page shows an exception, TimeoutError after LONGEST_RUN seconds.
        """
        message = BackMsg()
        message.rerun_script.page_name = "diagram"
        message.rerun_script.cached_message_hashes.extend(self.cached)
        if state is not None:
            message.rerun_script.fragment_id = self.diagram.fragment
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id = self.diagram.widget
            widget.json_value = json.dumps(state)
        started = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(LONGEST_RUN):
            await self._until_finished()
        return time.perf_counter() - started

    async def _until_finished(self) -> None:
        answer = ForwardMsg()
        while answer.WhichOneof("type") != "script_finished":
            raw = await self.socket.recv()
            self.received += len(raw)
            answer = ForwardMsg.FromString(raw)
            if answer.hash and answer.metadata.cacheable:
                self.cached.add(answer.hash)
            if answer.WhichOneof("type") == "delta":
                self._look_at(answer.delta)

    def _look_at(self, delta) -> None:
        if delta.WhichOneof("type") != "new_element":
            return
        element = delta.new_element
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(f"The page shows an exception: {element.exception.message}")
        if element.WhichOneof("type") == "bidi_component" and self.diagram is None:
            component = element.bidi_component
            data = json.loads(component.json or "{}")
            if "parts" in data:
                self.diagram = Diagram(component.id, delta.fragment_id, [*data["parts"]], data["ask"])


async def attend(url: str, number: int, deadline: float, think: float, measured: Measured) -> None:
    """One reader from the first page to the end of the lesson."""
    chance = random.Random(number)
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        reader = Reader(socket)
        measured.loads.append(await reader.run())
        if reader.diagram is None:
            raise RuntimeError("The page has no diagram to tap.")
        state = {WANTED: reader.diagram.numbers}
        measured.numbers.append(await reader.run(state))
        while True:
            await asyncio.sleep(think * chance.uniform(0.5, 1.5))
            if time.perf_counter() > deadline:
                break
            state[CHOSEN] = chance.choice(reader.diagram.parts)
            measured.taps.append(await reader.run(state))
        measured.received.append(reader.received)


async def lesson(url: str, readers: int, seconds: float, think: float) -> tuple[Measured, list[str]]:
    """All readers at once; what they measured and what went wrong."""
    measured = Measured()
    deadline = time.perf_counter() + seconds
    everyone = [attend(url, number, deadline, think, measured) for number in range(readers)]
    outcomes = await asyncio.gather(*everyone, return_exceptions=True)
    return measured, [repr(outcome) for outcome in outcomes if outcome is not None]


def megabytes(process: int) -> float:
    """The memory that a process holds."""
    told = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process)], capture_output=True, check=True, text=True
    )
    return int(told.stdout) / 1024


def main() -> None:
    """Start a server, hold the lesson, print the table; exit status 1 if a reader failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=30, help=f"1 to {MOST_READERS}")
    parser.add_argument(
        "--seconds", type=float, default=60, help=f"length of the lesson, up to {MOST_SECONDS}"
    )
    parser.add_argument("--think", type=float, default=2, help="mean seconds between two taps, at least 0.2")
    wanted = parser.parse_args()
    if not (
        1 <= wanted.readers <= MOST_READERS and 0 < wanted.seconds <= MOST_SECONDS and wanted.think >= 0.2
    ):
        parser.error("readers, seconds or think lies outside the limits that --help gives")
    with harness.serve() as server:
        before = megabytes(server.process.pid)
        measured, failures = asyncio.run(lesson(server.url, wanted.readers, wanted.seconds, wanted.think))
        after = megabytes(server.process.pid)
    table.show({"first page": measured.loads, "its numbers": measured.numbers, "tap": measured.taps})
    if measured.received:
        print(f"received by a reader: {sum(measured.received) / len(measured.received) / 1000:,.0f} kB")
    print(f"server's memory: {before:,.0f} MB before, {after:,.0f} MB after")
    print(f"readers that failed: {len(failures)} of {wanted.readers}")
    for failure in failures[:3]:
        print(f"  {failure[:300]}")
    if failures:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
