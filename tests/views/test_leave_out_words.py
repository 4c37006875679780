"""What the page that leaves out parts says, held against the figures it speaks of."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.experiments import Change
from engine.sweeps import Result
from tests.views.claims import number, share, stated
from views import guesses, leave_out

BLOCKS = [(), *((Change("block", b),) for b in range(4))]
HEADS = [(), *((Change("head", b, h),) for b in range(2) for h in range(3))]
EVEN = 4142
NATS = st.one_of(
    st.floats(0, 15), st.sampled_from([3.0, 3.0, 3.0000001, 3.00001, 3.02, 2.9, math.log(EVEN), 800.0])
)


def results(tries, nats):
    return {one: Result(value, 0.3, 1000) for one, value in zip(tries, nats, strict=False)}


def perplexities(tries, *values):
    return results(tries, map(math.log, values))


def named(tries, words):
    return {one for one in tries if one and leave_out.name(one) in words}


@given(st.lists(NATS, min_size=1, max_size=5))
def test_what_is_said_of_parts_left_out_holds_for_any_losses(nats):
    found = results(BLOCKS, nats)
    said = leave_out.sentences(BLOCKS, found, EVEN)
    base, others = found[()], {one: r.nats for one, r in found.items() if one}
    assert stated("over {} prediction", said[0]) == [1000]
    if not others:
        assert len(said) == 1
        return
    if max(others.values()) <= base.nats:
        assert "the perplexity never rises" in said[1]
        return
    assert ("measured so far" in said[1]) == (len(others) < 4)
    assert named(BLOCKS, said[1]) == {one for one, value in others.items() if value == max(others.values())}
    assert ("worse than the 4,142" in said[1]) == any(found[one].perplexity > EVEN for one in others)
    rise = max(others.values()) - base.nats
    times = stated(", {} times as much", said[1])
    if times and rise < 700:
        assert times[0] == pytest.approx(math.exp(rise), rel=0.006)
        assert times[0] > 1
    least = min(others.values())
    assert (len(said) == 3) == (least < max(others.values()))
    if len(said) == 3:
        assert named(BLOCKS, said[2]) == {one for one, value in others.items() if value == least}
        assert ("even predicted better" in said[2]) == (least < base.nats)
        assert ("exactly the perplexity" in said[2]) == (least == base.nats or "all but" in said[2])


def test_nothing_is_said_before_anything_is_measured():
    assert leave_out.sentences(BLOCKS, {}, EVEN) == ["Nothing is measured yet."]


def test_an_endless_perplexity_is_spoken_of_too():
    assert "∞ times as much" in leave_out.sentences(BLOCKS, results(BLOCKS, (3, 1_000.0)), EVEN)[1]
    assert (
        "× 10¹⁰⁰ times" in leave_out.sentences(BLOCKS, results(BLOCKS, (3, 3 + 100 * math.log(10))), EVEN)[1]
    )


PLACES = st.lists(st.integers(0, 100), min_size=4, max_size=4)


@given(
    st.lists(st.sampled_from([2.0, 3.0, 4.0, 5.0, 6.0]), min_size=5, max_size=5),
    st.one_of(PLACES, st.integers(0, 100).map(lambda place: [place] * 4)),
)
def test_bars_are_judged_by_what_was_measured(nats, bars):
    said = guesses.bars_said(BLOCKS, results(BLOCKS, nats), bars)
    cost = nats[1:]
    pairs = [(a, b) for a in range(4) for b in range(a) if cost[a] != cost[b]]
    if len({*bars}) == 1:
        assert "all level" in said
        assert "named" not in said
        return
    if not pairs:
        assert "exactly the same" in said
        return
    right = sum(bars[a] != bars[b] and (bars[a] > bars[b]) == (cost[a] > cost[b]) for a, b in pairs)
    level = sum(bars[a] == bars[b] for a, b in pairs)
    assert stated("Of {} pair", said) == [len(pairs)]
    assert stated("had {} in the right order", said) == [right]
    assert (stated("and {} level", said) or [0]) == [level]
    highest = [i for i in range(4) if bars[i] == max(bars)]
    if "you named the one" in said:
        assert [cost[i] for i in highest] == [max(cost)]
    elif "you thought" in said:
        assert named(BLOCKS, said) == {BLOCKS[1 + highest[0]]}
        assert cost[highest[0]] < max(cost)
    else:
        assert len(highest) > 1
        assert ("is among your" in said) == any(cost[i] == max(cost) for i in highest)


def test_bars_are_not_judged_before_all_is_measured():
    assert guesses.bars_said(BLOCKS, results(BLOCKS, (3.0, 4.0)), [1, 2, 3, 4]) == ""
    assert guesses.bars_said(BLOCKS, results(BLOCKS, (3.0,) * 5), None) == ""


@given(st.lists(st.sampled_from([2.0, 3.0, 4.0]), min_size=7, max_size=7), st.sampled_from(range(6)))
def test_a_named_head_is_judged_by_what_was_measured(nats, which):
    one = HEADS[1 + which]
    said = guesses.head_said(HEADS, results(HEADS, nats), f"{one[0].block + 1}.{one[0].head + 1}")
    others = [cost for i, cost in enumerate(nats[1:]) if i != which]
    own = nats[1 + which]
    more, alike = sum(cost > own for cost in others), sum(cost == own for cost in others)
    assert leave_out.called(one) in said
    assert (stated("{} of the 5 others cost", said) or [0]) == [more]
    if not more:
        assert "none costs more" in said
        assert (stated(", {} as much", said) or [0]) == [alike]


def test_a_head_is_not_judged_before_all_is_measured():
    assert guesses.head_said(HEADS, results(HEADS, (3.0, 4.0)), "1.3") == ""
    assert guesses.head_said(HEADS, results(HEADS, (3.0,) * 7), None) == ""


def test_a_typed_order_becomes_bars_in_that_order():
    blocks = BLOCKS[:4]
    assert guesses.order_to_guesses("1, 3 2", blocks) == [90, 10, 50]
    heads = [(), *((Change("head", 4, h),) for h in range(3))]
    assert guesses.order_to_guesses("3 1 2", heads) == [50, 10, 90]
    for raw in ("1 2", "1 2 2", "1 2 3 4", "a", "1.5 2 3", "³ 1 2", "-1 2 3"):
        with pytest.raises(ValueError, match="each of 1 to 3 once"):
            guesses.order_to_guesses(raw, blocks)


GIVEN = st.floats(1e-12, 1, exclude_max=True)


@given(st.lists(st.tuples(GIVEN, GIVEN, GIVEN), min_size=1, max_size=6))
def test_the_largest_fall_is_there_and_to_be_seen(probabilities):
    found = dict(zip(BLOCKS, np.array(probabilities).T, strict=False))
    pieces = [f"p{place}" for place in range(len(probabilities) + 1)]
    said = leave_out.fall_said(found, pieces)
    falls = {
        (one, place): found[()][place] - p[place]
        for one, p in found.items()
        if one
        for place in range(len(p))
    }
    if "No token" in said:
        assert max(falls.values()) < 0.001
        return
    before, after = said.rstrip(".").split(" goes from ")[1].split(" to ")
    assert before != after
    (one,) = named(BLOCKS, said)
    place = int(said.split("the token “p")[1].split("”")[0]) - 1
    assert falls[one, place] == max(falls.values())
    for words, true in ((before, found[()][place]), (after, found[one][place])):
        low, high = share(words)
        assert low <= true <= high


def test_the_largest_fall_is_of_one_token():
    found = {
        BLOCKS[0]: np.array([0.5, 0.9]),
        BLOCKS[1]: np.array([0.4, 0.9]),
        BLOCKS[2]: np.array([0.5, 0.1]),
    }
    fall = leave_out.largest_fall(found)
    assert (fall.one, fall.place, fall.before, fall.after) == (BLOCKS[2], 1, 0.9, 0.1)
    assert leave_out.summary(np.array([0.5, 0.5])).perplexity == pytest.approx(2)


def test_the_map_of_heads_has_a_cell_for_each_and_fills_as_results_come():
    empty = leave_out.head_map("<b>", HEADS, {}, "2.1")
    assert "<b>" not in empty
    assert empty.count("–<small>") == 6
    assert empty.count("class=framed") == 1
    part = leave_out.head_map("x", HEADS, perplexities(HEADS[:4], 10.0, 12.0, 9.5, 200.0))
    assert part.count("–<small>") == 3
    assert all(words in part for words in ("+20.0 %", "−5.0 %", "× 20", "width: 100.0%"))
    assert len(leave_out.untouched(HEADS)) == 2
    assert leave_out.untouched(HEADS)[1][2]["label"] == "Head 3 of block 2"


@given(st.floats(1, 1e6), st.floats(1, 1e6))
def test_a_growth_is_the_ratio_and_never_a_rounded_nothing(value, base):
    said = leave_out.growth(value, base)
    if said.startswith("×"):
        assert number(said[1:]) == pytest.approx(value / base, rel=0.06)
    elif said != "under ±0.001 %":
        assert number(said) / 100 == pytest.approx(value / base - 1, rel=0.5, abs=5.1e-4)
        assert (number(said) == 0) == (value == base)
