"""Rooms: one vote a browser, nothing told before its time, nobody else steers, and everything ends."""

import threading
from collections import Counter
from contextlib import suppress

import pytest
import sqlalchemy as sql

from engine.errors import ReaderError
from rooms import Rooms, store, tables
from tests.rooms import odd

PLAN = {"model": "gpt-4", "ids": [0, 1, 2, 3, 4], "places": [2, 3, 4]}


@pytest.fixture
def room(rooms):
    """(rooms, code, secret) of a room whose first place is open, with three browsers in it."""
    code, secret = rooms.open(PLAN, "instructor")
    for name in ("a", "b", "c"):
        rooms.join(code, name, name)
    rooms.go(code, secret, 0, "open")
    return rooms, code, secret


def test_a_code_is_four_letters_that_are_not_mistaken(rooms):
    codes = {rooms.open(PLAN, f"owner {n}")[0] for n in range(30)}
    assert len(codes) == 30
    assert all(len(code) == 4 and set(code) <= set(store.LETTERS) for code in codes)
    assert not set(store.LETTERS) & set("IOQ0158")


def test_a_code_is_found_however_it_is_typed(room):
    rooms, code, _ = room
    assert rooms.board(f" {code[:2].lower()}-{code[2:]} ").code == code


def test_the_board_says_how_many_answered_and_never_what(room):
    rooms, code, _ = room
    rooms.vote(code, "a", 0, 987654)
    rooms.vote(code, "b", 0, 987654)
    board = rooms.board(code)
    assert (board.joined, board.answered, board.step, board.phase) == (3, 2, 0, "open")
    step, voters = rooms.answered(code, room[2])
    assert (step, len({*voters})) == (0, 2)
    assert "987654" not in repr(board)
    assert "987654" not in repr(rooms.glance(code, "c"))


def test_nobody_reads_votes_before_they_are_shown_not_even_who_steers(room):
    rooms, code, secret = room
    rooms.vote(code, "a", 0, 7)
    assert rooms.counts(code, secret) == []
    assert all(not cast for *_, cast in rooms.names(code, secret))
    rooms.go(code, secret, 0, "shown")
    assert rooms.counts(code, secret) == [Counter({7: 1})]
    assert [cast for *_, cast in rooms.names(code, secret)] == [{0: 7}, {}, {}]


def test_the_last_vote_counts_and_counts_once(room):
    rooms, code, secret = room
    for guess in (7, 7, 8, 8, 9):
        rooms.vote(code, "a", 0, guess)
    rooms.join(code, "a", "a")  # the page was loaded again
    rooms.vote(code, "a", 0, 9)
    rooms.go(code, secret, 0, "shown")
    assert rooms.counts(code, secret) == [Counter({9: 1})]
    assert rooms.glance(code, "a")[1].votes == {0: 9}


def test_a_closed_place_takes_no_vote_and_neither_does_another(room):
    rooms, code, secret = room
    with pytest.raises(ReaderError, match="Too late"):
        rooms.vote(code, "a", 1, 7)
    rooms.go(code, secret, 0, "shown")
    with pytest.raises(ReaderError, match="Too late"):
        rooms.vote(code, "a", 0, 7)
    rooms.go(code, secret, 1, "open")
    rooms.vote(code, "a", 1, 7)
    assert rooms.counts(code, secret) == [Counter()]


def test_who_has_not_joined_has_no_vote(room):
    rooms, code, _ = room
    with pytest.raises(ReaderError, match="not joined"):
        rooms.vote(code, "nobody", 0, 7)
    assert rooms.glance(code, "nobody")[1] is None


@pytest.mark.parametrize("guess", [-1, 2**31, 10**30])
def test_what_is_no_token_is_no_vote(room, guess):
    rooms, code, _ = room
    with pytest.raises(ReaderError):
        rooms.vote(code, "a", 0, guess)


@pytest.mark.parametrize("secret", ["", "x", "instructor", "a", "\ud800", "' OR 1=1 --"])
def test_nobody_steers_without_the_secret(room, secret):
    rooms, code, _ = room
    tries = (
        lambda: rooms.go(code, secret, 0, "shown"),
        lambda: rooms.counts(code, secret),
        lambda: rooms.names(code, secret),
        lambda: rooms.answered(code, secret),
        lambda: rooms.hide(code, secret, "x"),
        lambda: rooms.again(code, secret, 0),
        lambda: rooms.end(code, secret),
    )
    for one in tries:
        with pytest.raises(ReaderError, match="Only who opened"):
            one()
    assert not rooms.steers(code, secret)
    assert rooms.board(code).phase == "open"


@pytest.mark.parametrize(("step", "phase"), [(3, "open"), (-1, "open"), (0, "votes"), (10**9, "shown")])
def test_a_room_goes_nowhere_that_its_plan_has_not(room, step, phase):
    rooms, code, secret = room
    with pytest.raises(ReaderError, match="no such place"):
        rooms.go(code, secret, step, phase)


def test_a_place_can_be_asked_anew(room):
    rooms, code, secret = room
    rooms.vote(code, "a", 0, 7)
    rooms.go(code, secret, 0, "shown")
    rooms.again(code, secret, 0)
    assert rooms.board(code).answered == 0
    rooms.vote(code, "a", 0, 8)


def test_a_name_is_hidden_and_stays_so(room):
    rooms, code, secret = room
    voter = rooms.names(code, secret)[0][0]
    rooms.hide(code, secret, voter)
    assert rooms.join(code, "a", "another").hidden
    assert rooms.names(code, secret)[0][1:3] == ("a", True)
    rooms.hide(code, secret, voter, hidden=False)
    assert rooms.join(code, "a", "another").name == "another"


@pytest.mark.parametrize("name", odd.ALL)
def test_every_nickname_can_join(room, name):
    rooms, code, _ = room
    seat = rooms.join(code, f"browser of {name!r}", name)
    assert len(seat.name) <= 16


def test_no_token_of_a_browser_is_kept(room, where):
    rooms, code, secret = room
    rooms.join(code, "the-browser-s-own-token")
    engine = sql.create_engine(where)
    with engine.connect() as db:
        kept = [str(row) for table in tables.metadata.sorted_tables for row in db.execute(table.select())]
    engine.dispose()
    assert kept
    assert not [row for row in kept if "the-browser-s-own-token" in row or secret in row]


def test_a_room_ends_and_all_of_it_is_gone(rooms, clock, where, tmp_path):
    code, secret = rooms.open(PLAN, "o")
    rooms.join(code, "a", "Rumpelstilzchen")
    rooms.go(code, secret, 0, "open")
    rooms.vote(code, "a", 0, 7)
    clock.now += 3600 * store.HOURS + 1
    with pytest.raises(ReaderError, match="has ended"):
        rooms.board(code)
    with pytest.raises(ReaderError, match="has ended"):
        rooms.vote(code, "a", 0, 8)
    assert rooms.sweep() == 1
    assert rows_in(where) == 0
    if where.startswith("sqlite"):
        assert not [one for one in tmp_path.iterdir() if b"Rumpelstilzchen" in one.read_bytes()]


def rows_in(where):
    engine = sql.create_engine(where)
    with engine.connect() as db:
        count = sum(len(db.execute(table.select()).all()) for table in tables.metadata.sorted_tables)
    engine.dispose()
    return count


def test_who_opened_it_ends_it_at_once(room, where):
    rooms, code, secret = room
    rooms.end(code, secret)
    assert rows_in(where) == 0
    with pytest.raises(ReaderError, match="has ended"):
        rooms.join(code, "a")


def test_rooms_voters_and_changes_are_bounded(rooms, monkeypatch):
    for name, most in (("MOST_ROOMS", 4), ("MOST_OF_ONE", 2), ("MOST_VOTERS", 3), ("MOST_CHANGES", 5)):
        monkeypatch.setattr(store, name, most)
    code, secret = rooms.open(PLAN, "greedy")
    rooms.open(PLAN, "greedy")
    with pytest.raises(ReaderError, match="2 rooms open already"):
        rooms.open(PLAN, "greedy")
    rooms.open(PLAN, "b")
    rooms.open(PLAN, "c")
    with pytest.raises(ReaderError, match="in use"):
        rooms.open(PLAN, "d")
    for name in "abc":
        rooms.join(code, name)
    with pytest.raises(ReaderError, match="full"):
        rooms.join(code, "d")
    rooms.join(code, "a")
    rooms.go(code, secret, 0, "open")
    for guess in range(6):
        rooms.vote(code, "a", 0, guess)
    with pytest.raises(ReaderError, match="5 times at most"):
        rooms.vote(code, "a", 0, 6)
    with pytest.raises(ReaderError, match="too many places"):
        rooms.open({"places": [0] * 100_000}, "e")


@pytest.mark.parametrize(
    "code", ["", "ABCD", "I0O1", "A" * 5000, "\ud800", "<b>x</b>", "'; DROP TABLE rooms; --"]
)
def test_a_room_that_is_not_there_is_said_so(rooms, code):
    with pytest.raises(ReaderError, match="There is no room"):
        rooms.join(code, "a")


def test_a_restart_loses_nothing(where, clock):
    first = Rooms(where, clock)
    code, secret = first.open(PLAN, "o")
    first.join(code, "a", "Ada")
    first.go(code, secret, 0, "open")
    first.vote(code, "a", 0, 7)
    first.close()
    second = Rooms(where, clock)
    assert second.board(code).answered == 1
    assert second.glance(code, "a")[1].name == "Ada"
    second.close()


def test_a_hundred_browsers_in_many_threads_lose_no_vote_and_double_none(where, clock):
    """Two servers on one database; every browser joins twice and votes several times, all at once."""
    servers = [Rooms(where, clock), Rooms(where, clock)]
    code, secret = servers[0].open(PLAN, "o")
    servers[0].go(code, secret, 0, "open")
    failed, start = [], threading.Barrier(20)

    def browser(number):
        mine = servers[number % 2]
        for one in (mine, servers[0]):
            one.join(code, f"browser {number}", f"n{number}")
        for guess in (1, 2, number):
            mine.vote(code, f"browser {number}", 0, guess)

    def several(first):
        try:
            start.wait(60)
            for number in range(first, 100, 20):
                browser(number)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=several, args=(first,)) for first in range(20)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert not failed, failed[:3]
    board = servers[1].board(code)
    assert (board.joined, board.answered) == (100, 100)
    servers[1].go(code, secret, 0, "shown")
    assert servers[0].counts(code, secret) == [Counter(range(100))]
    [one.close() for one in servers]


def test_no_vote_slips_in_after_the_reveal(where, clock):
    server = Rooms(where, clock)
    code, secret = server.open(PLAN, "o")
    for number in range(8):
        server.join(code, f"{number}")
    server.go(code, secret, 0, "open")
    shown, stop = [], threading.Event()

    def keep_voting(number):
        guess = 0
        while not stop.is_set():
            guess += 1
            with suppress(ReaderError):
                server.vote(code, f"{number}", 0, guess % 50)

    threads = [threading.Thread(target=keep_voting, args=(number,)) for number in range(8)]
    [one.start() for one in threads]
    server.go(code, secret, 0, "shown")
    shown = [server.counts(code, secret) for _ in range(20)]
    stop.set()
    [one.join() for one in threads]
    assert all(one == shown[0] for one in [*shown, server.counts(code, secret)])
    server.close()
