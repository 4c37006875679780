"""Timing: what is timed is the whole of each part, once."""

import pytest

import engine
from engine import timing, weights


@pytest.fixture(scope="module", params=weights.available())
def model(request):
    return engine.load(request.param)


def test_the_parts_fit_into_the_whole(model):
    one = timing.measure(model, 16, passes=2, seconds=0)
    assert set(one.seconds) == set(timing.PARTS)
    assert all(time > 0 for time in one.seconds.values())
    assert sum(one.seconds.values()) <= one.whole
    assert sum(one.shares.values()) == pytest.approx(1)


def test_lengths_end_with_what_the_model_can_read(model):
    found = timing.lengths(model)
    assert found == sorted(set(found))
    assert found[0] == 16
    assert found[-1] == min(512, model.context)


def test_timing_leaves_no_hook_behind(model):
    timing.measure(model, 16, passes=1, seconds=0)
    if not isinstance(model.settings, dict):
        assert not any(module._forward_hooks for module in model.network.modules())
