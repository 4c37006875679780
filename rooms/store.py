"""Rooms that are opened, joined, voted in, steered and ended, each in one transaction.

A room's place and phase are changed by nobody but who has its secret; a vote counts while its place is
open, once a browser.
"""

import hashlib
import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Connection

from engine.errors import ReaderError
from rooms import rates, tables
from rooms.names import cleaned
from rooms.tables import rooms, voters, votes

LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # of a code: none that is taken for another
HOURS = 6.0  # after which a room ends
MOST_ROOMS = 200
MOST_OF_ONE = 5  # rooms that one browser has open
MOST_VOTERS = 300  # of one room
MOST_CHANGES = 60  # of one vote
MOST_PLAN = 100_000  # letters
EMPTY = 900  # seconds after which a room that nobody has joined makes way, where all are in use
PHASES = ("lobby", "open", "shown", "over")
FULL = "This room is full: it takes {n} browsers."
GONE = "There is no room {code!r}: its code is mistyped, or the room has ended."


@dataclass(frozen=True)
class Board:
    """What everybody in a room may know.  joined: browsers; answered: of those, at this place."""

    code: str
    plan: dict[str, Any]
    step: int
    phase: str
    joined: int
    answered: int
    ends: float


@dataclass(frozen=True)
class Seat:
    """What one browser may know beside: its name, and its own votes by step."""

    name: str
    hidden: bool
    votes: dict[int, int]


class Rooms:
    """All rooms of a database.  Many threads and several processes may use it at once."""

    def __init__(self, where: str, clock: Callable[[], float] = time.time) -> None:
        self.where, self.clock = where, clock
        self._engine = tables.connect(where)
        self._rates = rates.Rates(clock)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # the one who opens it

    def open(self, plan: dict[str, Any], owner: str) -> tuple[str, str]:
        """A new room for a plan {"places": […], …} -> (its code, the secret that steers it).

        owner: the opening browser's token.  Raises ReaderError when there are too many.
        """
        written = json.dumps(plan)
        if len(written) > MOST_PLAN:
            raise ReaderError("This text has too many places for a room. Choose fewer.")
        secret, mine = secrets.token_urlsafe(16), _digest(owner)
        self._rates.take((rates.OPENED_BY_ONE, mine), (rates.OPENED, ""))
        with self._writing() as db:
            self._sweep(db)
            self._room_for_one_more(db, mine)
            code = self._unused(db)
            row = {"code": code, "secret": _digest(secret), "owner": mine, "plan": written, "step": 0}
            db.execute(rooms.insert().values(**row, phase="lobby", ends=self.clock() + 3600 * HOURS))
        return code, secret

    def steers(self, code: str, secret: str) -> bool:
        """Whether this secret steers this room."""
        with self._reading() as db:
            row = self._row(db, code)
        return secrets.compare_digest(row.secret, _digest(secret))

    def go(self, code: str, secret: str, step: int, phase: str) -> None:
        """Open a place for votes, show what was voted, go on.

        Raises ReaderError without the room's secret, and for a place that the plan has not.
        """
        with self._writing() as db:
            row = self._steered(db, code, secret)
            if phase not in PHASES or not 0 <= step < len(json.loads(row.plan)["places"]):
                raise ReaderError("This room's plan has no such place.")
            db.execute(rooms.update().where(rooms.c.code == row.code).values(step=step, phase=phase))

    def again(self, code: str, secret: str, step: int) -> None:
        """Forget a place's votes and open it anew."""
        with self._writing() as db:
            row = self._steered(db, code, secret)
            db.execute(votes.delete().where(votes.c.code == row.code, votes.c.step == step))
            db.execute(rooms.update().where(rooms.c.code == row.code).values(step=step, phase="open"))

    def hide(self, code: str, secret: str, voter: str, hidden: bool = True) -> None:
        """Show a voter under no name, or under its own again.  voter: as names() tells it."""
        with self._writing() as db:
            row = self._steered(db, code, secret)
            where = (voters.c.code == row.code, voters.c.voter == voter)
            db.execute(voters.update().where(*where).values(hidden=hidden))

    def end(self, code: str, secret: str) -> None:
        """End a room: everything of it is deleted."""
        with self._writing() as db:
            self._delete(db, [self._steered(db, code, secret).code])
        tables.cleared(self._engine)

    def counts(self, code: str, secret: str) -> list[Counter[int]]:
        """The votes of every place that was shown -> [{token: votes}], for who steers the room alone."""
        with self._reading() as db:
            row = self._row(db, code)
            self._check(row, secret)
            told = db.execute(sql.select(votes.c.step, votes.c.token).where(votes.c.code == row.code)).all()
        found: list[Counter[int]] = [Counter() for _ in range(row.step + (row.phase in ("shown", "over")))]
        for step, token in told:
            if step < len(found):
                found[step][token] += 1
        return found

    def answered(self, code: str, secret: str) -> tuple[int, list[str]]:
        """Who has answered at the room's place -> (the place, voters), for who steers it alone."""
        with self._reading() as db:
            row = self._row(db, code)
            self._check(row, secret)
            cast = sql.select(votes.c.voter).where(votes.c.code == row.code, votes.c.step == row.step)
            return row.step, [vote.voter for vote in db.execute(cast)]

    def names(self, code: str, secret: str) -> list[tuple[str, str, bool, dict[int, int]]]:
        """Who is in the room, for who steers it alone -> [(voter, name, hidden, votes that were shown)]."""
        with self._reading() as db:
            row = self._row(db, code)
            self._check(row, secret)
            people = db.execute(sql.select(voters).where(voters.c.code == row.code).order_by(voters.c.name))
            listed = people.all()
            shown = row.step + (row.phase in ("shown", "over"))
            cast = db.execute(sql.select(votes).where(votes.c.code == row.code, votes.c.step < shown)).all()
        theirs: dict[str, dict[int, int]] = {one.voter: {} for one in listed}
        for vote in cast:
            theirs[vote.voter][vote.step] = vote.token
        return [(one.voter, one.name, one.hidden, theirs[one.voter]) for one in listed]

    # those who join

    def board(self, code: str) -> Board:
        """What everybody may know of a room.  Raises ReaderError where there is none."""
        with self._reading() as db:
            return self._board(db, self._row(db, code))

    def glance(self, code: str, token: str) -> tuple[Board, Seat | None]:
        """The board, and the browser's own seat, None where it has not joined."""
        with self._reading() as db:
            row = self._row(db, code)
            return self._board(db, row), self._seat(db, row, token)

    def join(self, code: str, token: str, name: str = "") -> Seat:
        """Take a seat, or come back to it -> Seat.  token: the browser's; name: "" for none, or as before.

        Raises ReaderError where there is no such room, it is full, or this is done too often.
        """
        with self._writing() as db:
            row = self._row(db, code, lock=True)
            where = (voters.c.code == row.code, voters.c.voter == _voter(row.code, token))
            known = db.execute(sql.select(voters).where(*where)).first()
            new = known is None or (cleaned(name) not in ("", known.name) and not known.hidden)
            if new:  # who comes back after a lost connection is not counted
                self._rates.take((rates.NAMED_BY_ONE, _voter(row.code, token)), (rates.NAMED, row.code))
            if known is None:
                if _how_many(db, voters, voters.c.code == row.code) >= MOST_VOTERS:
                    raise ReaderError(FULL.format(n=MOST_VOTERS))
                made = {"code": row.code, "voter": _voter(row.code, token), "name": cleaned(name)}
                db.execute(voters.insert().values(**made, hidden=False))
            elif new:
                db.execute(voters.update().where(*where).values(name=cleaned(name)))
            seat = self._seat(db, row, token)
        assert seat is not None
        return seat

    def vote(self, code: str, token: str, step: int, guess: int) -> None:
        """Vote at a place, or change the vote: the last one counts, once a browser.

        Raises ReaderError when the place is not open, too often, or for a browser that has not joined.
        """
        self._rates.take((rates.VOTED_BY_ONE, _voter(code, token)), (rates.VOTED, as_code(code)))
        with self._writing() as db:
            row = self._row(db, code, lock=True)
            if not 0 <= guess < 2**31:
                raise ReaderError("This is no piece that can be voted for.")
            if row.phase != "open" or row.step != step:
                raise ReaderError("Too late: the votes for this place are closed.")
            mine = _voter(row.code, token)
            if not _how_many(db, voters, voters.c.code == row.code, voters.c.voter == mine):
                raise ReaderError("This browser has not joined the room.")
            where = (votes.c.code == row.code, votes.c.step == step, votes.c.voter == mine)
            known = db.execute(sql.select(votes).where(*where)).first()
            if known is None:
                made = {"code": row.code, "step": step, "voter": mine, "token": guess}
                db.execute(votes.insert().values(**made, changes=0))
            elif known.token != guess:
                if known.changes >= MOST_CHANGES:
                    raise ReaderError(f"A vote is changed {MOST_CHANGES} times at most; the last one stands.")
                db.execute(votes.update().where(*where).values(token=guess, changes=known.changes + 1))

    # what no reader asks for

    def sweep(self) -> int:
        """Delete all rooms whose time is over -> how many there were."""
        with self._writing() as db:
            gone = self._sweep(db)
        if gone:
            tables.cleared(self._engine)
        return gone

    def _board(self, db: Connection, row: Any) -> Board:
        joined = _how_many(db, voters, voters.c.code == row.code)
        answered = _how_many(db, votes, votes.c.code == row.code, votes.c.step == row.step)
        return Board(row.code, json.loads(row.plan), row.step, row.phase, joined, answered, row.ends)

    def _seat(self, db: Connection, row: Any, token: str) -> Seat | None:
        mine = _voter(row.code, token)
        me = db.execute(sql.select(voters).where(voters.c.code == row.code, voters.c.voter == mine)).first()
        if me is None:
            return None
        told = sql.select(votes.c.step, votes.c.token)
        cast = db.execute(told.where(votes.c.code == row.code, votes.c.voter == mine)).all()
        return Seat(me.name, me.hidden, {vote.step: vote.token for vote in cast})

    def _sweep(self, db: Connection) -> int:
        over = [row.code for row in db.execute(sql.select(rooms.c.code).where(rooms.c.ends <= self.clock()))]
        self._delete(db, over)
        return len(over)

    def _delete(self, db: Connection, codes: list[str]) -> None:
        for table in (votes, voters, rooms):
            if codes:
                db.execute(table.delete().where(table.c.code.in_(codes)))

    def _room_for_one_more(self, db: Connection, owner: str) -> None:
        if _how_many(db, rooms, rooms.c.owner == owner) >= MOST_OF_ONE:
            raise ReaderError(f"You have {MOST_OF_ONE} rooms open already. End one of them first.")
        if _how_many(db, rooms) >= MOST_ROOMS:
            self._delete(db, self._empty(db))
        if _how_many(db, rooms) >= MOST_ROOMS:
            raise ReaderError(f"All {MOST_ROOMS} rooms of this server are in use. Try again later.")

    def _empty(self, db: Connection) -> list[str]:
        """Rooms that stand open for a while, and nobody has joined."""
        opened_before = self.clock() + 3600 * HOURS - EMPTY
        joined = sql.select(voters.c.code).where(voters.c.code == rooms.c.code).exists()
        return [
            row.code
            for row in db.execute(sql.select(rooms.c.code).where(rooms.c.ends < opened_before, ~joined))
        ]

    def _unused(self, db: Connection) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(4))
            if not _how_many(db, rooms, rooms.c.code == code):
                return code

    def _row(self, db: Connection, code: str, lock: bool = False) -> Any:
        wanted = sql.select(rooms).where(rooms.c.code == as_code(code), rooms.c.ends > self.clock())
        row = db.execute(wanted.with_for_update() if lock else wanted).first()
        if row is None:
            raise ReaderError(GONE.format(code=code.strip()[:12]))
        return row

    def _steered(self, db: Connection, code: str, secret: str) -> Any:
        row = self._row(db, code, lock=True)
        self._check(row, secret)
        return row

    def _check(self, row: Any, secret: str) -> None:
        if not secrets.compare_digest(row.secret, _digest(secret)):
            raise ReaderError("Only who opened the room can steer it.")

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.begin() as db:
            yield db

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(reading=True) as db:
            yield db


def as_code(typed: str) -> str:
    """A typed code as rooms have it: four capital letters, or what can't be one, cut short."""
    return "".join(letter for letter in typed.upper() if letter in LETTERS)[:5]


def _how_many(db: Connection, table: sql.Table, *where: Any) -> int:
    return db.execute(sql.select(sql.func.count()).select_from(table).where(*where)).scalar_one()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _voter(code: str, token: str) -> str:
    return _digest(f"{as_code(code)} {token}")
