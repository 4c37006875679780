"""A hundred phones in one room: how soon the projector shows that a vote has come, and whether any is lost.

python -m bench.room_of_hundred [--phones 100] [--places 5]

Phones and projector speak Streamlit's own messages over websockets, as browsers would: each phone looks
again every two seconds and votes twice at every place, and a tenth lose their connection with a vote on its
way. It is always a server of ours, started here on 127.0.0.1, with a database of its own.
"""

import argparse
import asyncio
import json
import os
import random
import re
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from bench import table
from engine import weights
from rooms import Rooms, store
from tests.browser import harness

MOST_PHONES = 250
MODEL = "gpt-4"
TEXT = "Once upon a time there was a little girl named Lily who loved to play in the park with her dog."
THINK = 8.0  # seconds within which everybody votes


@dataclass
class Seen:
    """What the projector saw: [(when, how many answered)] by place."""

    counts: dict[int, list[tuple[float, int]]] = field(default_factory=dict)


class Session:
    """One session over one websocket; it keeps the last data of one component."""

    def __init__(self, socket, page: str, query: str) -> None:
        self.socket, self.page, self.query = socket, page, query
        self.component = self.fragment = ""
        self.data: dict = {}
        self.markup: list[str] = []
        self.changed = asyncio.Event()
        self.script = ""
        self.runs = 0

    async def open(self) -> None:
        """Ask for the page."""
        message = BackMsg()
        message.rerun_script.page_name = self.page
        message.rerun_script.query_string = self.query
        await self.socket.send(message.SerializeToString())

    async def tell(self, state: dict) -> None:
        """Send the component's state, which runs its fragment."""
        message = BackMsg()
        message.rerun_script.fragment_id = self.fragment
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = self.script
        widget = message.rerun_script.widget_states.widgets.add()
        widget.id, widget.json_value = self.component, json.dumps(state)
        await self.socket.send(message.SerializeToString())

    async def listen(self, wanted: str) -> None:
        """Read what the server sends until the socket closes.  wanted: a field of the component's data."""
        async for raw in self.socket:
            answer = ForwardMsg.FromString(raw)
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.script = answer.new_session.page_script_hash
            if kind == "script_finished":
                self.runs += 1
                self.changed.set()
            if kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self._look_at(answer.delta, wanted)

    def _look_at(self, delta, wanted: str) -> None:
        element = delta.new_element
        which = element.WhichOneof("type")
        if which == "exception":
            raise RuntimeError(element.exception.message)
        if which == "html":
            self.markup.append(element.html.body)
        if which == "bidi_component":
            data = json.loads(element.bidi_component.json or "{}")
            if wanted in data:
                self.component, self.fragment, self.data = element.bidi_component.id, delta.fragment_id, data


def connected(url: str):
    """A websocket as Streamlit's browser opens it."""
    stream = url.replace("http", "ws", 1) + "/_stcore/stream"
    return websockets.connect(stream, subprotocols=["streamlit"], max_size=None)


class Phone:
    """A phone as ui/ballot/ballot.js behaves: it looks again, and tells the whole of its state each time."""

    def __init__(self, url: str, code: str, number: int) -> None:
        self.url, self.code, self.number = url, code, number
        self.state = {"token": f"{number:032x}", "name": f"phone {number}", "vote": None, "beat": 0}
        self.chance = random.Random(number)
        self.session: Session | None = None
        self.sent: dict[int, tuple[float, str]] = {}  # by place: when its first vote left, and its last word
        self.kept: dict[int, int] = {}  # by place: how many votes were kept when its first one was
        self.when: dict[int, float] = {}  # and when that was

    async def live(self, over: asyncio.Event) -> None:
        """Connect, and again whenever the connection ends, until the game is over."""
        while not over.is_set():
            async with connected(self.url) as socket:
                self.session = Session(socket, "join", f"room={self.code}")
                await self.session.open()
                listening = asyncio.create_task(self.session.listen("phase"))
                looking = asyncio.create_task(self._look(over))
                await asyncio.wait((listening, looking), return_when=asyncio.FIRST_COMPLETED)
                for one in (listening, looking):
                    one.cancel()
                for one in await asyncio.gather(listening, looking, return_exceptions=True):
                    if isinstance(one, RuntimeError):
                        raise one

    async def _look(self, over: asyncio.Event) -> None:
        while not over.is_set():
            session = self.session
            if session.component:
                session.changed.clear()
                await self.tell()
                try:
                    await asyncio.wait_for(session.changed.wait(), 10)
                except TimeoutError:
                    continue
            await asyncio.sleep(2 * self.chance.uniform(0.8, 1.2) if session.component else 0.2)

    async def tell(self) -> None:
        self.state["beat"] += 1
        await self.session.tell({"phone": self.state})

    async def vote(self, place: int) -> None:
        """Vote, and change the vote; the connection may be lost in between."""
        await asyncio.sleep(self.chance.uniform(0, THINK))
        first, last = self.chance.sample(("dog", "girl", "time", "park", "the", "big", "day"), 2)
        self.sent[place] = time.perf_counter(), last
        for word in (first, last):
            number = (self.state["vote"] or {"number": 0})["number"] + 1
            self.state["vote"] = {"step": place, "number": number, "text": word, "joined": False}
            try:
                if self.number % 10 == place % 10 and word is last:
                    await self.session.socket.close()  # lost; the state is told again when it is back
                else:
                    await self.tell()
            except websockets.ConnectionClosed:
                pass
            await asyncio.sleep(self.chance.uniform(0.3, 1))


async def project(url: str, code: str, secret: str, seen: Seen, over: asyncio.Event) -> None:
    """The projector: it looks again 700 ms after every answer, and every count that it shows is kept."""
    query = f"room={code}&steer={secret}"
    async with connected(url) as socket:
        session = Session(socket, "guess", query)
        await session.open()
        listening = asyncio.create_task(session.listen("every"))
        beat = 0
        while not over.is_set():
            await asyncio.sleep(0.7 if session.component else 0.2)
            if not session.component:
                continue
            beat += 1
            session.changed.clear()
            session.markup.clear()
            await session.tell({"told": {"beat": beat, "pressed": 0, "at": session.data["at"]}})
            await asyncio.wait_for(session.changed.wait(), 30)
            place, phase = session.data["at"].split(".")
            told = re.search(r"(\d+) of \d+ phones? answered", " ".join(session.markup))
            if told and phase == "open":
                seen.counts.setdefault(int(place), []).append((time.perf_counter(), int(told[1])))
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def watch(rooms: Rooms, code: str, secret: str, phones: list[Phone], over: asyncio.Event) -> None:
    """Note when each phone's first vote at a place stands in the database, and as which it came."""
    by_voter = {store._voter(code, phone.state["token"]): phone for phone in phones}
    while not over.is_set():
        await asyncio.sleep(0.05)
        step, voters = await asyncio.to_thread(rooms.answered, code, secret)
        new = [by_voter[one] for one in voters if step not in by_voter[one].kept]
        for phone in new:
            phone.kept[step] = len(voters)
            phone.when[step] = time.perf_counter()


def waits(phones: list[Phone], counts: list[tuple[float, int]], place: int) -> list[float]:
    """Seconds from sending each first vote to the first look of the projector that counts it."""
    found = []
    for phone in phones:
        sent, rank = phone.sent[place][0], phone.kept.get(place, MOST_PHONES)
        shown = next((when for when, count in counts if when > sent and count >= rank), float("inf"))
        found.append(shown - sent)
    return found


async def play(url: str, rooms: Rooms, phones_wanted: int, places: int) -> tuple[dict, int, int]:
    """A whole game -> (seconds by what they were measured of, votes that were lost, counted twice)."""
    model = weights.read(MODEL)
    ids = model.tokenizer.encode(TEXT)
    plan = {"model": MODEL, "ids": ids, "places": [*range(2, 2 + places)], "few": False, "choices": []}
    code, secret = rooms.open(plan, "bench")
    over, seen = asyncio.Event(), Seen()
    phones = [Phone(url, code, number) for number in range(phones_wanted)]
    running = [asyncio.create_task(phone.live(over)) for phone in phones]
    projector = asyncio.create_task(project(url, code, secret, seen, over))
    watching = asyncio.create_task(watch(rooms, code, secret, phones, over))
    while rooms.board(code).joined < phones_wanted:
        await asyncio.sleep(0.5)
    await asyncio.sleep(3)
    waited: dict[str, list[float]] = {"vote to database": [], "vote to projector": []}
    lost = doubled = 0
    for place in range(places):
        rooms.go(code, secret, place, "open")
        await asyncio.gather(*(phone.vote(place) for phone in phones))
        await asyncio.sleep(6)
        waited["vote to projector"] += waits(phones, seen.counts.get(place, []), place)
        waited["vote to database"] += [
            one.when.get(place, float("inf")) - one.sent[place][0] for one in phones
        ]
        rooms.go(code, secret, place, "shown")
        wanted = Counter(
            model.tokenizer.encode(f" {phone.sent[place][1]}", start=False)[0] for phone in phones
        )
        found = rooms.counts(code, secret)[place]
        lost += (wanted - found).total()
        doubled += (found - wanted).total()
    over.set()
    await asyncio.sleep(1)
    problems = [
        task.exception() for task in (*running, projector, watching) if task.done() and not task.cancelled()
    ]
    for task in (*running, projector, watching):
        task.cancel()
    await asyncio.gather(*running, projector, watching, return_exceptions=True)
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # sockets that close while we leave
    if any(problems):
        raise next(one for one in problems if one)
    return waited, lost, doubled


def processor_seconds(process: int) -> float:
    """The processor time that a process has used."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Start a server, play, print what was measured; exit status 1 where a vote was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=100, help=f"1 to {MOST_PHONES}")
    parser.add_argument("--places", type=int, default=5, help="1 to 10")
    wanted = parser.parse_args()
    if not (1 <= wanted.phones <= MOST_PHONES and 1 <= wanted.places <= 10):
        parser.error("phones or places lies outside the limits that --help gives")
    with tempfile.TemporaryDirectory(prefix="rooms-bench-") as folder:
        os.environ["EXPLORER_ROOMS"] = f"sqlite:///{folder}/rooms.sqlite"
        with harness.serve() as server:
            rooms = Rooms(os.environ["EXPLORER_ROOMS"])
            before, began = processor_seconds(server.process.pid), time.perf_counter()
            try:
                waited, lost, doubled = asyncio.run(play(server.url, rooms, wanted.phones, wanted.places))
            except RuntimeError:
                print(server.log()[-4_000:])
                raise
            used = processor_seconds(server.process.pid) - before
            share = used / (time.perf_counter() - began)
            rooms.close()
            problems = server.log().count("Traceback")
    table.show(waited)
    print(f"the server used {share:.2f} of a core, the machine's load was {os.getloadavg()[0]:.1f}")
    votes = len(waited["vote to database"])
    print(f"votes: {votes}, lost: {lost}, counted twice or wrong: {doubled}, tracebacks: {problems}")
    if lost or doubled or problems:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
