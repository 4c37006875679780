"""A measurement is made once, however many readers want it and whenever one of them stops."""

import threading

from ui import measuring


def test_who_waited_for_one_that_was_given_up_does_not_measure_beside_the_next(monkeypatch):
    monkeypatch.setattr(measuring, "_PAUSE", 30)
    locks, turns = {}, []
    first = measuring._turn("key", locks)
    waiting = threading.Thread(target=lambda: turns.append(measuring._turn("key", locks)))
    waiting.start()
    locks.pop("key")  # the first reader stops
    next_reader = measuring._turn("key", locks)
    first.release()
    waiting.join()
    assert next_reader.locked()
    assert turns == [None]  # the one that was waited for is no longer the one
    monkeypatch.setattr(measuring, "_PAUSE", 0.01)
    assert measuring._turn("key", locks) is None
    next_reader.release()
    assert measuring._turn("key", locks) is next_reader


def test_a_stopped_measurement_is_begun_anew_and_a_finished_one_is_kept():
    begun = []

    def begin():
        begun.append(1)
        yield 0.5, None
        yield 1.0, "found"

    steps = measuring.once(("test", "stopped"), begin)
    next(steps)
    steps.close()  # Stop
    for _ in range(2):
        assert list(measuring.once(("test", "stopped"), begin))[-1] == (1.0, "found")
    assert len(begun) == 2
    assert measuring.remembered(("test", "stopped")) == "found"
