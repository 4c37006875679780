"""Turns: the first two go on, the others wait in order and are told their place."""

import pytest

from ui.turns import Turns


def test_places_move_up_when_somebody_is_done():
    turns = Turns(2)
    with turns.taking() as first:
        second_place = turns.taking()
        second = second_place.__enter__()
        with turns.taking() as third, turns.taking() as fourth:
            assert [place() for place in (first, second, third, fourth)] == [0, 0, 1, 2]
            second_place.__exit__(None, None, None)
            assert [place() for place in (first, third, fourth)] == [0, 0, 1]


def test_who_leaves_waiting_is_no_longer_waited_for():
    turns = Turns(1)
    with turns.taking() as first:
        with pytest.raises(KeyboardInterrupt), turns.taking():
            raise KeyboardInterrupt  # as Streamlit ends a run: no Exception
        with turns.taking() as second:
            assert (first(), second()) == (0, 1)
    with turns.taking() as again:
        assert again() == 0
