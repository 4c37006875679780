"""What the page on length says, held against the figures it speaks of."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.length import Loss
from tests.views.claims import stated
from views import length

NATS = st.one_of(st.floats(0.001, 20), st.sampled_from([0.001, 2.0, 2.04, 2.05, 2.06, 11.0]))


def loss(within, beyond, bins=(3.0, 3.0)):
    found = [np.array(bins)] * 3
    return Loss(np.array([1, 161]), np.array([161, 321]), *found, 2, tuple(within), tuple(beyond))


@given(st.tuples(NATS, NATS, NATS), st.tuples(NATS, NATS, NATS), st.booleans())
def test_what_is_said_of_length_holds_for_any_losses(within, beyond, joined):
    measured, far, others = length.sentences(loss(within, beyond), 160, joined)
    assert stated("the loss is {} nats", measured) == pytest.approx([within[0]], rel=0.01, abs=1e-6)
    for words, value in zip(("Beyond it, {};", "160 tokens, {};", "by itself, {}."), beyond, strict=True):
        assert stated(words, measured) == pytest.approx([value], rel=0.01, abs=1e-6)
    whole, near, alone = beyond
    for said, extra in ((far, whole - near), (others, near - alone)):
        costs, helps = stated("costs {} nats", said), stated("by {} nats", said)
        assert ("no more than 0.05 nats" in said) == (abs(extra) <= length.LITTLE)
        assert bool(costs) == (extra > length.LITTLE)
        assert bool(helps) == (extra < -length.LITTLE)
        if costs or helps:
            assert (costs or helps)[0] == pytest.approx(abs(extra), rel=0.01)
    assert ("every text stood alone" in others) == (not joined)


@pytest.mark.parametrize("hole", [(math.nan, 3.0, 3.0), (3.0, 3.0, math.nan)])
def test_nothing_is_concluded_from_nothing(hole):
    assert length.sentences(loss((3.0,) * 3, hole), 160, True) == ["Too little was read to compare."]
    assert length.sentences(loss(hole, (3.0,) * 3), 160, True) == ["Too little was read to compare."]


def test_every_line_of_the_curve_is_a_column_of_the_file():
    made, columns = length.curve(loss((3.0,) * 3, (4.0,) * 3, (3.0, math.nan)), 1600)
    assert [f"loss, {trace.name}" for trace in made.data] == list(columns)[2:]
    assert "1,600" in made.data[1].name
