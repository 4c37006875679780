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


def test_shares_add_up_and_who_comes_later_never_goes_first():
    turns = Turns(10)
    with turns.taking(6) as first, turns.taking(6) as large, turns.taking(1) as small:
        assert [place() for place in (first, large, small)] == [0, 1, 1]
    with turns.taking(6) as first, turns.taking(4) as second, turns.taking(1) as third:
        assert [place() for place in (first, second, third)] == [0, 0, 1]


def test_who_takes_more_than_there_is_gets_it_alone():
    turns = Turns(10)
    with turns.taking(2) as first, turns.taking(50) as whole, turns.taking(1) as last:
        assert [place() for place in (first, whole, last)] == [0, 1, 2]
    with turns.taking(50) as whole:
        assert whole() == 0


def test_who_may_goes_before_those_who_wait_and_after_those_whose_turn_it_is():
    turns = Turns(1)
    with turns.taking() as first:
        assert first() == 0
        with turns.taking() as waits, turns.taking(before_others=True) as comes, turns.taking() as last:
            assert [place() for place in (first, comes, waits, last)] == [0, 1, 2, 3]
            with turns.taking(before_others=True) as comes_too:
                assert [place() for place in (comes, comes_too, waits)] == [1, 2, 3]


def test_nobody_begins_and_nobody_passes_by_while_there_is_no_room_but_the_only_one():
    room = {"for": 5}
    turns = Turns(100, lambda share, taken: taken + share <= room["for"])
    with turns.taking(4) as first, turns.taking(4) as second, turns.taking(1) as third:
        assert [place() for place in (first, second, third)] == [0, 1, 1]
        room["for"] = 9
        assert [place() for place in (first, second, third)] == [0, 0, 0]
    room["for"] = 0
    with turns.taking(4) as alone:
        assert alone() == 0
