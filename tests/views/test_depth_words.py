"""What the page on depth says of copying and of heads, held against the figures it speaks of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import heads, presets
from engine.heads import Scores
from tests.views.claims import share, stated
from views import depth, proof

P = st.one_of(st.floats(1e-9, 1, exclude_max=True), st.sampled_from([0.0999, 0.1, 0.3, 0.05, 0.999999]))


def within(words, value):
    low, high = share(words)
    return low <= value <= high


def test_an_invented_name_has_two_words_and_is_the_same_for_the_same_seed():
    assert depth.invent(3) == depth.invent(3) != depth.invent(4)
    assert len(depth.invent(3).split()) == 2


def test_the_first_piece_of_a_run_is_not_counted_and_places_are_shifted_by_one():
    first, later = depth.mentions([2, 7], 3)
    assert (first, later) == ([3, 4], [8, 9])
    probabilities = np.linspace(0, 0.9, 10)  # of tokens 1 to 10
    assert depth.mean(probabilities, later) == pytest.approx((0.7 + 0.8) / 2)


def test_a_curve_looks_by_its_place_among_all_that_are_compared():
    names, pieces = ["gpt-1", "gpt-4", "sprout", "another"], ["a", "b", "c"]
    p = np.array([0.5, 0.1])
    every, columns = depth.curves(names, pieces, dict.fromkeys(names, p), [0], 2)
    looks = {trace.name: (trace.line.color, trace.line.dash) for trace in every.data}
    assert len({*looks.values()}) == len(names)
    assert list(columns) == ["token", "gpt-1", "gpt-4", "Sprout", "another"]
    some, _ = depth.curves(names, pieces, {"sprout": p, "gpt-4": p}, [0], 2)
    assert [trace.name for trace in some.data] == ["gpt-4", "Sprout"]
    assert {trace.name: (trace.line.color, trace.line.dash) for trace in some.data}.items() <= looks.items()


def test_which_models_are_not_compared_is_said_with_the_reason():
    assert depth.left_out({}) == ""
    why = {"store": depth.OTHER_TOKENS, "gpt-1": depth.TOO_SHORT, "x": depth.OTHER_TOKENS}
    assert depth.left_out(why) == (
        "Not compared here: The store's model, x (another tokenizer); "
        "gpt-1 (a context too short for this text)."
    )


def test_a_long_run_is_shown_by_its_ends():
    assert depth.shown(["·a", "·b"]) == "·a·b"
    pieces = [f"·{i}" for i in range(400)]
    assert depth.shown(pieces) == "·0·1·2·3·4·5·6·7 … ·396·397·398·399 (400 tokens)"


@given(st.lists(st.integers(0, 3), max_size=30))
def test_no_repeat_is_denied_that_is_there(ids):
    starts, length = heads.longest_repeat(ids, bool)
    if not starts:
        said = depth.sentences({"gpt-1": np.full(30, 0.5)}, starts, length, "")[0]
        assert "No run of two or more tokens that begins and ends with a letter or a digit" in said
        pairs = [(a, b) for a in range(len(ids) - 1) for b in range(a + 2, len(ids) - 1)]
        assert not [1 for a, b in pairs if ids[a : a + 2] == ids[b : b + 2] and all(ids[a : a + 2])]
        assert depth.turned(ids, starts, length) is None
        return
    changed = depth.turned(ids, starts, length)
    run = ids[starts[0] : starts[0] + length]
    rest = [*ids[: starts[0]], *run[::-1], *ids[starts[0] + length : starts[1]]]
    left = any(run[i : i + 2] == rest[j : j + 2] for i in range(length - 1) for j in range(len(rest) - 1))
    assert (changed is None) == left
    if changed:
        assert changed[starts[0] : starts[0] + length] == run[::-1]
        assert changed[starts[1] :] == run
        assert len(changed) == starts[1] + length


NAMES = st.sampled_from([["gpt-1"], ["gpt-1", "gpt-4"], ["gpt-1", "gpt-4", "sprout"]])


@given(st.data(), NAMES, st.integers(2, 4), st.booleans())
def test_copying_is_told_of_what_was_unexpected_and_of_nothing_else(data, names, length, with_turned):
    starts = [1, 1 + length]
    row = st.lists(P, min_size=2 * length, max_size=2 * length).map(np.array)
    read, turned = ({name: data.draw(row) for name in names} for _ in range(2))
    first_said, *rest = depth.sentences(read, starts, length, "**x**", turned if with_turned else {})
    said, gains = " ".join(rest), {}
    for name, p in read.items():
        first, second = p[1:length], p[length + 1 : 2 * length]
        title = presets.TITLES[name]
        assert within(first_said.split(f"from {title} ")[1].split(" and ")[0], first.mean())
        unexpected = first < 0.1
        assert within(
            first_said.split(f"from {title} ")[1].split(" and ")[1].split(";")[0].rstrip("."), second.mean()
        )
        if not unexpected.any():
            assert f"{title} " not in said
            continue
        before, after = first[unexpected].mean(), second[unexpected].mean()
        gains[title] = after - before
        if "All of them were unexpected" not in said:
            assert stated(f"{title} {{}} piece", said) == [unexpected.sum()]
            figures = said.split(f"{title} {unexpected.sum()} piece")[1].split(", ", 1)[1]
            low, high = figures.split(";")[0].split(". ")[0].rstrip(".").split(" → ")
            assert within(low, before)
            assert within(high, after)
        again = turned[name][length + 1 : 2 * length][unexpected].mean()
        told = with_turned and gains[title] >= 0.2
        by_order, by_presence = (
            f"{title} {depth.probability(again)}, so most of the gain {words} them in their order" in said
            for words in ("needs", "does not need")
        )
        assert by_order == (told and again - before < gains[title] / 2)
        assert by_presence == (told and again - before >= gains[title] / 2)
    assert ("None of them was unexpected" in said) == (not gains)
    every = all((p[1:length] < 0.1).all() for p in read.values())
    assert ("All of them were unexpected" in said) == every
    assert ("No model gains" in said) == (bool(gains) and max(gains.values()) < 0.2)
    if "gains most" in said:
        best = said.split(" gains most")[0].split(". ")[-1]
        assert gains[best] == max(gains.values())


SCORE = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1999, 0.2, 0.5]))
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 3))


@st.composite
def scored(draw):
    L, H = draw(SHAPES)
    one = st.lists(SCORE, min_size=L * H, max_size=L * H).map(lambda flat: np.array(flat).reshape(L, H))
    return Scores(draw(one), draw(one)), Scores(draw(one), draw(one))


def place(sentence):
    head, block = stated("head {} of block {}", sentence)
    return int(block) - 1, int(head) - 1


@given(scored(), st.booleans())
def test_the_heads_that_are_named_are_the_best_and_depend_on_each_other_as_measured(pair, known):
    found, without = pair
    previous, induction, *rest = depth.cause(found, without if known else None)
    for sentence, scores in ((previous, found.previous), (induction, found.induction)):
        assert scores[place(sentence)] == scores.max()
        assert within(sentence.split(": ")[1].rstrip("."), scores.max())
    assert ("none is called" in " ".join(rest)) == (found.induction.max() < depth.SEEN)
    if "Switch the first" in " ".join(rest):
        first, second = place(previous), place(induction)
        assert first[0] < second[0]
        assert within(rest[0].split("the second gives ")[1].split(":")[0], without.induction[second])
        needs = without.induction[second] < found.induction.max() / 2
        assert ("needs what the first one writes" in rest[0]) == needs
        assert ("does not depend" in rest[0]) == (not needs)
    assert depth.induction_heads(found) == sorted(
        (tuple(map(int, one)) for one in np.argwhere(found.induction >= depth.SEEN)),
        key=lambda one: -found.induction[one],
    )


@given(scored(), st.data())
def test_the_proof_names_the_heads_that_are_missed_and_what_the_others_leave(pair, data):
    every = proof.every_head(pair[0])
    base = data.draw(P)
    alone = {one: data.draw(P) for one in every}
    together = data.draw(st.one_of(st.none(), P))
    said = proof.proven(base, alone, together)
    assert within(said[0].split(" get ")[1].split(" when")[0], base)
    if base < depth.SEEN:
        assert "little to lose" in said[1]
        assert len(said) == 2
        return
    missed = [one for one in every if base - alone[one] >= base / 5]
    names = {one for one in every if depth.called([one]) in said[1]}
    if not missed:
        assert "No head" in said[1]
        assert {alone[one] for one in names} == {min(alone.values())}
    else:
        more = stated("and {} more", said[1]) or [0]
        assert names <= {*missed}
        assert len(names) + more[0] == len(missed)
        for one in names:
            assert within(said[1].split(f"{depth.called([one])} (")[1].split(" left")[0], alone[one])
        rest = [alone[one] for one in every if one not in missed]
        lowest = [sentence for sentence in said if "the lowest that is left" in sentence]
        assert bool(lowest) == bool(rest)
        if rest:
            assert within(lowest[0].split("is left is ")[1].rstrip("."), min(rest))
    assert ("Without all heads" in said[-1]) == (together is not None)


def scores(previous, induction):
    return Scores(np.array(previous, float), np.array(induction, float))


def test_the_other_head_is_no_specialist_and_never_the_chosen_one():
    found = scores([[0.9, 0.1], [0.1, 0.1]], [[0.0, 0.0], [0.1, 0.8]])
    assert proof.another_head(found, (1, 1)) in {(0, 1), (1, 0)}
    assert proof.another_head(found, (1, 1)) == proof.another_head(found, (1, 1))
    assert proof.another_head(scores([[0.1, 0.1]], [[0.0, 0.0]]), (0, 0)) == (0, 1)
    assert proof.another_head(scores([[0.1]], [[0.0]]), (0, 0)) == (0, 0)  # the only head of all


def test_another_draw_can_give_another_head():
    found = scores(np.zeros((4, 6)), np.zeros((4, 6)))
    drawn = {proof.another_head(found, (1, 1), draw) for draw in range(20)}
    assert len(drawn) > 5
    assert (1, 1) not in drawn


def test_the_table_has_dashes_until_a_model_without_heads_has_read():
    assert proof.lost(None, [1]) == ("–", "–", "–")
    assert proof.lost(np.array([0.5, 0.5]), [1, 2]) == ("50 %", "0.693", "2.00")
    found = scores([[0.9, 0.1], [0.1, 0.1]], [[0.0, 0.3], [0.1, 0.8]])
    rows = proof.switched_off(found, (1, 1))
    assert list(rows.values())[:2] == [[], [(1, 1)]]
    assert list(rows.values())[-1] == [(1, 1), (0, 1)]
    assert "not read yet" in depth.title("gpt-4", 4)
    assert depth.title("gpt-1", 1, np.array([0.5])) == (
        "**gpt-1**, 1 block: loss 0.69 nats a token, perplexity exp(0.693) = 2.00"
    )


def test_the_map_of_what_is_left_fills_and_frames_the_chosen_head():
    empty = proof.grid((2, 2), None, {}, (0, 1))
    assert (empty.count("–<small>"), empty.count("class=framed")) == (4, 1)
    half = proof.grid((2, 2), 0.9, {(0, 0): 0.9, (0, 1): 0.1}, (0, 1))
    assert all(words in half for words in ("90 %", "10 %", "width: 100.0%"))
    assert half.count("–<small>") == 2


@given(st.lists(st.floats(0.001, 90), min_size=1, max_size=6), st.floats(0.001, 90), st.data())
def test_what_a_head_adds_is_told_of_that_head(each, together, data):
    head = data.draw(st.integers(0, len(each) - 1))
    said = depth.adds((np.array(each), together), (2, head))
    assert "block 3" in said
    if len(each) > 1:
        assert place(said) == (2, head)
        assert stated("a vector of length {} to", said) == pytest.approx([each[head]], rel=0.01, abs=1e-6)
        assert stated("block together {}:", said) == pytest.approx([together], rel=0.01, abs=1e-6)
