"""A class on one server: each reader opens pages, taps, types and measures, for minutes.

python -m bench.class_of_thirty [--readers 30] [--seconds 60] [--think 2] [--mix lesson] [--model NAME]

All open the landing page at once and then the diagram. What follows is drawn anew for every step:

lesson: of ten steps six taps on the diagram where it is open (else another page), two other pages (any page,
        with any of our models), two texts of their own (5 to 40 words) on a page that reads texts.
tap:    random parts of the diagram.
page:   any page with any model.
text:   a text of their own on a page that reads texts.
long:   the same with more tokens than any of our models reads.

With --model all choose this one: with SPROUT_MODELS=FOLDER before the command, one that the server opens.

The readers speak Streamlit's own messages over websockets, so that they cost next to nothing and the server
alone is measured. It is always a server of ours, started here on 127.0.0.1.
"""

import argparse
import asyncio
import json
import random
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from urllib.parse import urlencode

import websockets

from bench import table
from bench.memory import Memory, processor_seconds, resident
from engine import presets
from tests import sessions
from tests.browser import harness
from tests.pages.reader import page_names

MOST_READERS = 100
MOST_SECONDS = 900
READ_TEXTS = ("diagram", "lens", "norm", "rope", "gate", "depth", "stream", "leave_out")
WORDS = "the old dog and a girl named Zorbin went to her house where it rained so they did not play".split()
STEPS = ("tap", "page", "text", "long")
LESSON = ["tap"] * 6 + ["page"] * 2 + ["text"] * 2
LONG = 700  # words


@dataclass
class Measured:
    """What all readers measured together: seconds by what they did, bytes, and what they saw go wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    received: list[int] = field(default_factory=list)
    wrong: Counter = field(default_factory=Counter)


class Reader:
    """One reader of a lesson, who draws what to do from dice of their own."""

    def __init__(self, session: sessions.Session, number: int, measured: Measured, models: tuple) -> None:
        self.session, self.measured, self.dice = session, measured, random.Random(number)
        self.models = models
        self.diagram: tuple[str, str, dict] | None = None  # the diagram of the page that is open
        self.reported: dict[str, str] = {}  # what it has reported

    def took(self, what: str, seconds: float) -> None:
        """Write down what was done, and what was wrong on the page after it."""
        self.measured.seconds[what].append(seconds)
        self.measured.wrong.update(f"{self.session.page}: {one}" for one in self.session.shown.trouble())

    async def open(self, what: str, page: str = "", **choices: str) -> None:
        """Go to a page; on the diagram, ask for its numbers as a browser does."""
        self.session.state.clear()
        self.took(what, await self.session.open(page, urlencode(choices)))
        self.diagram, self.reported = None, {}
        if page == "diagram":
            self.diagram = self.session.component("parts")
            await self.tap("its numbers", wanted=self.diagram[2]["ask"])

    async def tap(self, what: str, **reported: str) -> None:
        """Let the diagram report something."""
        id, fragment, _ = self.diagram
        self.reported.update(reported)
        self.took(what, await self.session.run(fragment, (id, "json_value", json.dumps(self.reported))))

    def text(self, tokens: int = 0) -> dict[str, str]:
        """A text of this reader's own, for any of our models."""
        written = " ".join(self.dice.choices(WORDS, k=tokens or self.dice.randint(5, 40)))
        kinds = {"text": "own", "product": "own_product", "passage": "own_passage"}
        return {**dict.fromkeys(kinds, "own"), **dict.fromkeys(kinds.values(), written)}

    async def step(self, mix: str) -> None:
        """Do one thing."""
        model, do = self.dice.choice(self.models), mix if mix in STEPS else self.dice.choice(LESSON)
        if do == "tap" and self.diagram is not None:
            await self.tap("a tap", selected=self.dice.choice([*self.diagram[2]["parts"]]))
        elif do == "long":
            await self.open("a long text", self.dice.choice(READ_TEXTS), model=model, **self.text(LONG))
        elif do == "text":
            await self.open("a text of their own", self.dice.choice(READ_TEXTS), model=model, **self.text())
        else:
            await self.open("another page", self.dice.choice(page_names()), model=model)


async def attend(
    url: str, number: int, deadline: float, think: float, mix: str, measured: Measured, models: tuple
) -> None:
    """One reader from the first page to the end of the lesson."""
    async with sessions.session(url) as session:
        reader = Reader(session, number, measured, models)
        try:
            await reader.open("first page")
            await reader.open("the diagram", "diagram")
            while True:
                await asyncio.sleep(think * reader.dice.uniform(0.5, 1.5))
                if time.perf_counter() > deadline:
                    break
                await reader.step(mix)
        except (RuntimeError, LookupError, TimeoutError, OSError, websockets.WebSocketException) as error:
            measured.wrong[f"{session.page}: {error!r}"[:300]] += 1
        measured.received.append(session.received)


async def lesson(
    url: str, readers: int, seconds: float, think: float, mix: str, models: tuple = presets.NAMES
) -> Measured:
    """All readers at once -> what they measured and what went wrong."""
    measured, deadline = Measured(), time.perf_counter() + seconds
    numbers = range(readers)
    await asyncio.gather(*(attend(url, number, deadline, think, mix, measured, models) for number in numbers))
    return measured


def arguments() -> argparse.Namespace:
    """What was asked for, within bounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", type=int, default=30, help=f"1 to {MOST_READERS}")
    parser.add_argument("--seconds", type=float, default=60, help=f"length, up to {MOST_SECONDS}")
    parser.add_argument("--think", type=float, default=2, help="mean seconds between steps, at least 0.05")
    parser.add_argument("--model", help="the one that all choose, by its name in an address")
    parser.add_argument("--mix", choices=("lesson", *STEPS), default="lesson", help="what readers do")
    wanted = parser.parse_args()
    within = 1 <= wanted.readers <= MOST_READERS and 0 < wanted.seconds <= MOST_SECONDS
    if not (within and wanted.think >= 0.05):
        parser.error("readers, seconds or think lies outside the limits that --help gives")
    return wanted


def main() -> None:
    """Start a server, hold the lesson, print the table; exit status 1 if anything was wrong."""
    wanted = arguments()
    with harness.serve() as server, Memory(server.process.pid) as memory:
        started = resident(server.process.pid)
        models = (wanted.model,) if wanted.model else presets.NAMES
        told = (wanted.readers, wanted.seconds, wanted.think, wanted.mix, models)
        measured = asyncio.run(lesson(server.url, *told))
        taken = processor_seconds(server.process.pid)
        after, tracebacks = resident(server.process.pid), server.log().count("Traceback")
    table.show(measured.seconds)
    received = sum(measured.received) / max(len(measured.received), 1) / 1000
    steps = sum(map(len, measured.seconds.values()))
    each = 1000 * taken / max(steps, 1)
    print(f"server's processor time: {taken:,.1f} s of a core for {steps:,} steps, {each:,.0f} ms each")
    print(f"received by a reader: {received:,.0f} kB")
    minutes = ", ".join(f"{peak:,.0f}" for peak in memory.by_minute)
    print(f"server's memory: {started:,.0f} MB before, {memory.peak:,.0f} at most, {after:,.0f} after")
    print(f"the most in each minute: {minutes} MB")
    print(f"wrong: {measured.wrong.total()}; tracebacks in the server's log: {tracebacks}")
    for said, times in measured.wrong.most_common(5):
        print(f"  {times} × {said[:300]}")
    if measured.wrong or tracebacks:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
