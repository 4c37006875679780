"""A pace is that of the model's last pass, and what would take long waits to be asked for."""

import time
from types import SimpleNamespace

import pytest

from tests import tiny
from ui import pace


@pytest.fixture
def passes(monkeypatch):
    """The passes that are made, each lasting a tenth of a second a token."""
    clock, made = SimpleNamespace(now=1000.0), []

    class Model:
        checksum, runs_in, architecture = "slow", "PyTorch", tiny.model("store").architecture

        def logits(self, ids):
            made.append(len(ids))
            clock.now += 0.1 * len(ids)

    monkeypatch.setattr(
        pace, "time", SimpleNamespace(monotonic=lambda: clock.now, thread_time=lambda: clock.now)
    )
    monkeypatch.setattr(pace, "_paces", {})
    return SimpleNamespace(model=Model(), made=made, clock=clock)


def test_work_is_reckoned_from_a_pass_that_was_just_made(passes):
    work = pace.passes(passes.model, range(20), 500)
    assert (work.wall, work.processor) == (pytest.approx(50), pytest.approx(50))
    assert passes.made == [1, 20]
    assert pace.passes(passes.model, range(20), 10).wall == pytest.approx(1)
    assert passes.made == [1, 20]  # the pace is fresh
    passes.clock.now += 100
    pace.passes(passes.model, range(99), 10)
    assert passes.made[2:] == [1, 64]


def test_every_pass_that_is_noted_sets_the_pace(passes):
    with pace.noted(passes.model, 10):
        passes.clock.now += 5
    assert pace.passes(passes.model, range(20), 10).wall == pytest.approx(5)
    assert passes.made == []


def test_only_what_takes_the_processor_long_waits_to_be_asked():
    assert pace.Work(wall=1, processor=60).long
    assert not pace.Work(wall=600, processor=1).long  # the machine is busy with something else


def test_a_pass_of_no_time_at_all_does_no_harm(monkeypatch):
    monkeypatch.setattr(pace, "_paces", {})
    with pace.noted(passes_model := SimpleNamespace(checksum="quick"), 1):
        pass
    assert pace.of(passes_model, [1]).wall >= 0
    assert pace.passes(passes_model, [1], 0).wall == 0
    assert time.monotonic() >= pace.of(passes_model, [1]).made
