"""One reader who does the worst that can be done to the server's memory, as fast as it answers.

python -m bench.hostile [--sessions 1] [--seconds 120]

Every session goes on without a pause: texts of its own as long as they may be, each another one, on every
page that reads texts and with every model; the files of every model; controls that hold all that a message
may bring (8 MB, config.toml); uploads under made-up names.  Prints the memory by minute, and what it met.
"""

import argparse
import asyncio
import random
from collections import Counter
from urllib.parse import urlencode

import websockets

from bench.class_of_thirty import LONG, READ_TEXTS, WORDS
from bench.memory import Memory, resident
from engine import presets
from tests import sessions
from tests.browser import harness

PAGES = (
    *READ_TEXTS,
    "attention",
    "who_wrote_it",
    "what_if",
    "guess",
    "story",
    "tokens",
    "length",
    "mismatch",
)
ROWS = ("plain", "within", "tuned")
HELD = 7_000_000  # bytes in one control: with what else a message holds, less than it may bring
FILE = 900_000  # bytes of an upload


class Hostile:
    """One session's doing, drawn from dice of its own."""

    def __init__(self, url: str, session: sessions.Session, number: int, did: Counter) -> None:
        self.url, self.session, self.did, self.dice = url, session, did, random.Random(number)

    async def read(self) -> None:
        """A long text nobody else has, somewhere."""
        text = " ".join(self.dice.choices(WORDS, k=LONG))
        kinds = {"text": "own", "product": "own_product", "passage": "own_passage"}
        choices = {**dict.fromkeys(kinds, "own"), **dict.fromkeys(kinds.values(), text)}
        choices |= {"model": self.dice.choice(presets.NAMES), "rows": self.dice.choice(ROWS)}
        self.session.state.clear()
        await self.session.open(self.dice.choice(PAGES), urlencode(choices))

    async def hold(self) -> None:
        """A control that holds megabytes."""
        self.session.state = {
            f"$$ID-{self.dice.getrandbits(64):016x}-own": ("string_value", "x" * HELD),
        }
        await self.session.open(self.dice.choice(PAGES))

    async def files(self) -> None:
        """A model's files for other programs."""
        self.session.state.clear()
        await self.session.open("models", urlencode({"model": self.dice.choice(presets.NAMES)}))
        await self.session.press("Make its files")

    async def upload(self) -> None:
        """Ten files under made-up names."""
        for _ in range(10):
            name = f"made-up-{self.dice.getrandbits(64):x}"
            status = await asyncio.to_thread(sessions.upload, self.url, self.session.id, name, FILE)
            self.did[f"upload answered {status}"] += 1

    async def step(self) -> None:
        """Any of these; mostly texts, which cost most."""
        do = self.dice.choice([self.read] * 6 + [self.hold, self.files, self.upload])
        self.did[do.__name__] += 1
        await do()
        self.did.update(self.session.shown.trouble())


async def attack(url: str, number: int, seconds: float, did: Counter) -> None:
    """One session until the time is over; when the server ends it, another one begins."""
    until = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < until:
        async with sessions.session(url) as session:
            hostile = Hostile(url, session, number, did)
            try:
                await session.open("norm")
                while asyncio.get_running_loop().time() < until:
                    await hostile.step()
            except (TimeoutError, LookupError, OSError, websockets.WebSocketException) as error:
                did[f"{session.page}: {error!r}"[:200]] += 1
        number += 1_000


async def all_of_them(url: str, wanted: argparse.Namespace, did: Counter) -> None:
    """All sessions at once."""
    numbers = range(wanted.sessions)
    await asyncio.gather(*(attack(url, number, wanted.seconds, did) for number in numbers))


def main() -> None:
    """Start a server, attack it, print what it held."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    wanted, did = parser.parse_args(), Counter()
    with harness.serve() as server, Memory(server.process.pid) as memory:
        asyncio.run(all_of_them(server.url, wanted, did))
        after, tracebacks = resident(server.process.pid), server.log().count("Traceback")
    minutes = ", ".join(f"{peak:,.0f}" for peak in memory.by_minute)
    print(f"server's memory: {memory.peak:,.0f} MB at most, {after:,.0f} after; in each minute {minutes} MB")
    print(f"tracebacks in the server's log: {tracebacks}")
    for what, times in did.most_common():
        print(f"  {times} × {what[:200]}")
    if tracebacks:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
