"""How often one may join, vote and open rooms: a flood is told to wait, and a class is never hit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ReaderError
from rooms import rates, store
from tests.rooms.test_rooms import PLAN

TOO_OFTEN = "short time|many times|too fast|Very many"


def refused(act, *given):
    """Do it -> whether it was refused for being done too often."""
    try:
        act(*given)
    except ReaderError as error:
        return any(words in str(error) for words in TOO_OFTEN.split("|"))
    return False


@given(st.lists(st.floats(0, 3), max_size=60), st.integers(1, 5))
def test_never_more_than_the_burst_and_what_came_back_since(pauses, burst):
    now = [0.0]
    rate, done, kept = rates.Rate(burst, 0.5, "Wait."), 0, rates.Rates(lambda: now[0])
    for pause in pauses:
        now[0] += pause
        done += not refused_by(kept, rate)
        assert done <= burst + 0.5 * now[0] + 1e-6
    now[0] += burst / 0.5
    assert [refused_by(kept, rate) for _ in range(burst + 1)] == [False] * burst + [True]


def refused_by(kept, rate, whose="a"):
    try:
        kept.take((rate, whose))
    except ReaderError:
        return True
    return False


def test_one_s_flood_is_nobody_else_s_and_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(rates, "MOST", 50)
    kept, rate = rates.Rates(lambda: 0.0), rates.Rate(1, 0, "Wait.")
    assert [refused_by(kept, rate), refused_by(kept, rate), refused_by(kept, rate, "b")] == [
        False,
        True,
        False,
    ]
    for n in range(500):
        refused_by(kept, rate, f"voter {n}")
    assert len(kept._left) <= 50


def test_a_clock_that_is_set_back_takes_nothing_away():
    now = [100.0]
    kept, rate = rates.Rates(lambda: now[0]), rates.Rate(2, 1, "Wait.")
    assert not refused_by(kept, rate)
    now[0] = 5.0
    assert not refused_by(kept, rate)


def test_a_class_of_100_joins_votes_and_thinks_again_within_seconds(rooms, clock):
    code, secret = rooms.open(PLAN, "o")
    for n in range(100):
        clock.now += 0.1
        for name in ("", f"n{n}", f"n{n}", f"m{n}"):  # joins, names itself, loads again, corrects itself
            rooms.join(code, f"browser {n}", name)
    for step in range(3):
        rooms.go(code, secret, step, "open")
        for guess in (1, 2, 2, 3):
            clock.now += 1
            for n in range(100):
                rooms.vote(code, f"browser {n}", step, guess)
        assert rooms.board(code).answered == 100


def test_who_votes_without_end_is_told_to_wait_and_then_goes_on(rooms, clock):
    code, secret = rooms.open(PLAN, "o")
    for name in "ab":
        rooms.join(code, name)
    rooms.go(code, secret, 0, "open")
    tries = [refused(rooms.vote, code, "a", 0, guess % 2) for guess in range(40)]
    assert tries == [False] * rates.VOTED_BY_ONE.burst + [True] * (40 - rates.VOTED_BY_ONE.burst)
    rooms.vote(code, "b", 0, 7)
    clock.now += 1
    rooms.vote(code, "a", 0, 9)
    assert rooms.glance(code, "a")[1].votes == {0: 9}


def test_who_changes_names_without_end_is_told_to_wait_but_may_come_back(rooms, clock):
    code, _ = rooms.open(PLAN, "o")
    tries = [refused(rooms.join, code, "a", f"name {n}") for n in range(40)]
    assert tries == [False] * rates.NAMED_BY_ONE.burst + [True] * (40 - rates.NAMED_BY_ONE.burst)
    assert rooms.join(code, "a").name == f"name {rates.NAMED_BY_ONE.burst - 1}"  # the page was loaded again
    clock.now += 1 / rates.NAMED_BY_ONE.a_second + 0.01
    assert rooms.join(code, "a", "Ada").name == "Ada"


def test_a_flood_of_browsers_into_one_room_leaves_the_others_alone(rooms, clock, monkeypatch):
    monkeypatch.setattr(store, "MOST_VOTERS", 10**6)
    flooded, other = rooms.open(PLAN, "o")[0], rooms.open(PLAN, "p")[0]
    monkeypatch.setattr(rates, "NAMED", rates.Rate(20, 1, rates.NAMED.says))
    tries = [refused(rooms.join, flooded, f"browser {n}") for n in range(30)]
    assert tries == [False] * 20 + [True] * 10
    rooms.join(other, "a")


def test_who_opens_and_ends_rooms_without_end_is_told_to_wait(rooms, clock):
    def open_and_end(owner):
        rooms.end(*rooms.open(PLAN, owner))

    tries = [refused(open_and_end, "greedy") for _ in range(15)]
    assert tries == [False] * rates.OPENED_BY_ONE.burst + [True] * (15 - rates.OPENED_BY_ONE.burst)
    rooms.open(PLAN, "another")
    clock.now += 31
    rooms.open(PLAN, "greedy")


def test_rooms_that_nobody_joined_make_way_where_all_are_in_use(rooms, clock, monkeypatch):
    monkeypatch.setattr(store, "MOST_ROOMS", 3)
    joined, empty, _ = (rooms.open(PLAN, f"owner {n}")[0] for n in range(3))
    rooms.join(joined, "a")
    with pytest.raises(ReaderError, match="in use"):
        rooms.open(PLAN, "late")
    clock.now += store.EMPTY + 1
    rooms.open(PLAN, "late")
    assert rooms.board(joined).joined == 1
    with pytest.raises(ReaderError, match="There is no room"):
        rooms.board(empty)
