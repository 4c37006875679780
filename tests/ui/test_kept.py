"""What is kept stays within its budget, the longest unused goes first, and heavy work waits for its turn."""

import gc
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import passing
from tests import tiny
from tests.families import stranger
from ui import kept, process
from ui.sizes import size_of

MB = 1_000_000


def array(megabytes):
    return np.zeros(int(megabytes * MB), np.uint8)


@pytest.fixture
def room():
    return kept.Room(100 * MB)


@given(st.lists(st.tuples(st.integers(0, 9), st.floats(0, 120)), max_size=30))
def test_what_is_kept_never_exceeds_the_budget(uses):
    room = kept.Room(100 * MB)
    for key, size in uses:
        assert room.get(key, lambda size=size: array(size)) is not None
        assert 0 <= room.state()[0] <= 100 * MB
    room.clear()
    assert room.state() == (0, 0, 0)


def test_what_was_used_longest_ago_goes_first(room):
    for name in "abc":
        room.get(name, lambda: array(30))
    room.get("a", lambda: pytest.fail("it was kept"))
    room.get("d", lambda: array(30))
    assert [name for name in "abcd" if room.look(name) is not None] == ["a", "c", "d"]


def test_what_is_larger_than_the_budget_is_given_but_not_kept(room):
    assert len(room.get("a", lambda: array(101))) == 101 * MB
    assert room.state() == (0, 0, 0)


def test_results_make_room_for_work(room):
    for name in "abc":
        room.get(name, lambda: array(30))
    with room.work(60 * MB):
        assert room.state()[:2] == (pytest.approx(30 * MB, rel=0.01), 60 * MB)
    assert room.state()[1] == 0


def test_a_result_is_made_once_for_all_who_ask_at_once(room):
    made = []

    def make():
        made.append(1)
        time.sleep(0.1)
        return array(20)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: room.get("a", make, 20 * MB), range(8)))
    assert len(made) == 1
    assert all(one is found[0] for one in found)


def test_what_fails_is_made_anew_by_the_next(room):
    with pytest.raises(ZeroDivisionError):
        room.get("a", lambda: 1 / 0, 20 * MB)
    assert room.get("a", lambda: 5, 20 * MB) == 5
    assert room.state()[1] == 0


def test_work_at_one_time_stays_within_a_quarter_of_the_budget(room):
    now, most, lock = [0], [0], threading.Lock()

    def work(_):
        with room.work(12 * MB):
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.02)
            with lock:
                now[0] -= 1

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10)))
    assert most[0] == 2
    assert room.state()[1] == 0


def test_work_that_takes_more_than_there_is_goes_on_alone(room):
    with room.work(500 * MB):
        assert room.state()[1] == 500 * MB


def test_results_made_of_results_wait_for_nobody(room):
    """Many who need each other's results while the work queues: all come to an end."""

    def lens(number):
        return room.get(("lens", number % 3), lambda: (trace(number), array(1))[1], 20 * MB)

    def trace(number):
        return room.get(("trace", number % 3), lambda: (time.sleep(0.01), array(1))[1], 20 * MB)

    with ThreadPoolExecutor(12) as pool:
        waiting = [pool.submit(one, n) for n in range(24) for one in (lens, trace)]
        assert all(len(one.result(timeout=20)) == MB for one in waiting)


def test_a_function_keeps_by_its_arguments_but_those_with_an_underscore():
    calls = []

    @kept.result()
    def double(key, _model):
        calls.append(key)
        return 2 * key

    assert [double(2, "a"), double(2, "b"), double(3, "a")] == [4, 4, 6]
    assert calls == [2, 3]
    double.put(5, None, made=0)
    assert double(5, None) == 0
    double.clear()
    assert double(2, None) == 4
    assert calls == [2, 3, 2]
    double.clear()


def test_a_shelf_is_a_dict_of_its_own():
    shelf, other = kept.Shelf("test"), kept.Shelf("other")
    shelf["a"] = 1
    assert (dict(shelf), "a" in other, shelf.get("b")) == ({"a": 1}, False, None)
    assert shelf.pop("a") == 1
    assert not len(shelf)


@pytest.mark.parametrize(
    ("told", "bytes_"), [("250", 250 * MB), ("5", kept.LEAST * MB), ("-1", kept.LEAST * MB)]
)
def test_the_host_sets_the_budget(monkeypatch, told, bytes_):
    monkeypatch.setenv(kept.SETTING, told)
    assert kept.budget() == bytes_


@pytest.mark.parametrize("told", ["", "much", "1e3", "0x10"])
def test_a_budget_that_is_no_number_is_said_and_the_usual_one_used(monkeypatch, caplog, told):
    monkeypatch.setenv(kept.SETTING, told)
    assert kept.budget() == kept.USUAL * MB
    assert kept.SETTING in caplog.text


def test_a_view_counts_with_all_that_it_holds_and_nothing_counts_twice():
    whole = array(10)
    assert size_of(whole[:5]) == pytest.approx(10 * MB, rel=0.01)
    assert size_of({"a": [whole, whole[3:]], "b": (whole,)}) == pytest.approx(10 * MB, rel=0.01)


@pytest.mark.parametrize("make", [lambda: tiny.model("sprout"), lambda: tiny.model("store"), stranger])
def test_a_model_counts_with_its_weights_and_a_pass_takes_at_least_what_it_leaves(make):
    model = make()
    assert size_of(model) >= 4 * model.stored
    for T in (1, 17, min(model.context, 128)):
        for keep in ((), model.extras):
            passed = engine.run(model, [3] * T, keep)
            assert size_of(passed) < passing.run(model, T, keep) + 100_000
        assert passing.run(model, T) < passing.lens(model, T)
        assert 0 < passing.journey(model, T) <= passing.run(model, T, model.extras)
        assert passing.shares(model, T) > passing.run(model, T, ("gathered",))
        assert passing.reading(model, T) > 0


def test_results_go_before_work_begins_where_the_process_would_hold_too_much(monkeypatch):
    room, holds = kept.Room(100 * MB, most=300 * MB), {"now": 0}
    monkeypatch.setattr(process, "held", lambda: holds["now"])
    for name in "abcd":
        room.put(name, array(20))
    for now, left in ((0, 80), (275, 80), (285, 60), (10_000, 20), (10_000, 20)):
        holds["now"] = now * MB
        with room.work(20 * MB):
            assert room.state()[0] == pytest.approx(left * MB, rel=0.01)
    assert room.look("d") is not None


def test_a_result_that_is_kept_makes_the_oldest_go_where_the_process_holds_too_much(monkeypatch):
    room = kept.Room(100 * MB, most=300 * MB)
    monkeypatch.setattr(process, "held", lambda: 0)
    for name in "abc":
        room.put(name, array(20))
    monkeypatch.setattr(process, "held", lambda: 315 * MB)
    monkeypatch.setattr(kept, "_SOON", -1)
    room.put("d", array(20))
    assert [name for name in "abcd" if room.look(name) is not None] == ["b", "c", "d"]


def test_what_ended_runs_left_behind_in_circles_goes_before_any_result(monkeypatch):
    room, circle = kept.Room(100 * MB, most=300 * MB), [array(1)]
    circle.append(circle)
    gone = weakref.ref(circle[0])
    del circle
    monkeypatch.setattr(process, "held", lambda: (315 if gone() is not None else 200) * MB)
    room.put("a", array(20))
    with room.work(20 * MB):
        assert gone() is None
        assert room.look("a") is not None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
def test_what_the_process_holds_grows_with_an_array_and_is_less_by_what_is_bounded_elsewhere(monkeypatch):
    before = process.held()
    held = np.ones(200 * MB, np.uint8)  # more than malloc may have at hand from what was freed before
    assert process.held() - before == pytest.approx(len(held), rel=0.3)
    monkeypatch.setattr(process, "ELSEWHERE", [lambda: 160 * MB])
    assert process.held() - before == pytest.approx(40 * MB, abs=60 * MB)
    monkeypatch.setattr(process, "ELSEWHERE", [lambda: 10**15])
    assert process.held() == 0


def test_a_cycle_that_was_set_aside_is_collected_the_next_time():
    class Node:
        pass

    one = Node()
    one.self, gone = one, weakref.ref(one)
    process.tidy()
    del one
    process.tidy()
    assert gone() is None
    gc.unfreeze()


class Held:
    """Something that is held, with megabytes in it."""

    def __init__(self, megabytes):
        self.array = array(megabytes)


def test_what_went_is_found_again_while_somebody_holds_it(room):
    one = room.get("a", lambda: Held(60))
    room.put("b", array(90))
    assert room.state()[2] == 1
    assert room.get("a", lambda: pytest.fail("it is still there")) is one
    gone = weakref.ref(one)
    room.put("b", array(90))
    del one
    assert gone() is None
    assert room.look("a") is None
    room.put("a", Held(60))
    held = room.look("a")
    room.clear()
    assert room.look("a") is None
    assert held is not None


def in_turn(room, runs, monkeypatch):
    """What each (run, needs, step) does in a thread of its own while other work goes on -> their order."""
    order, mine = [], threading.local()
    monkeypatch.setattr(kept, "_run", lambda: getattr(mine, "run", None))

    def work(run, begun, step):
        mine.run = run
        if begun:
            room._has_begun(run)
        with room.work(20 * MB, step):
            order.append(run)

    with ThreadPoolExecutor(len(runs)) as pool, room.work(20 * MB):
        for number, one in enumerate(runs, 2):
            pool.submit(work, *one)
            while len(room.turns._queue) < number:
                time.sleep(0.001)
    return order


def test_a_run_that_has_had_a_turn_goes_before_those_that_have_not(room, monkeypatch):
    runs = [("a", False, False), ("b", True, True), ("c", True, False), (None, True, False)]
    assert in_turn(room, runs, monkeypatch) == ["c", "a", "b", None]


def test_work_waits_for_other_work_where_the_process_holds_too_much(monkeypatch):
    room, holds, done = kept.Room(400 * MB, most=500 * MB), {"now": 0}, []
    monkeypatch.setattr(process, "held", lambda: holds["now"])

    def work(number):
        with room.work(40 * MB):
            done.append(number)

    with ThreadPoolExecutor(2) as pool:
        with room.work(40 * MB):
            holds["now"] = 540 * MB
            waiting = [pool.submit(work, number) for number in range(2)]
            time.sleep(0.4)
            assert not done
        for one in waiting:
            one.result(timeout=20)
    assert sorted(done) == [0, 1]
