"""Guessing: typed words as pieces, decoys that are wrong, and shares that are a distribution."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import guessing, lens
from tests import tiny

ODD = ("", " ", "\n", "\x00", "\u202eabc\u202c", "<b>x</b>", "$x$", "<|end|>", "\ud800", "🦖" * 30,
       "a" * 9000, "·dog", "↵", " ,", '"', "e\u0301")  # fmt: skip
typed = st.one_of(st.sampled_from(ODD), st.text(max_size=60))


@pytest.fixture(scope="module")
def gpt1():
    return engine.load("gpt-1")


@given(typed, st.booleans())
def test_whatever_is_typed_is_pieces_of_the_model_or_nothing(word, joined):
    for tokenizer in (tiny.stories_tokenizer(), tiny.store_tokenizer()):
        ids = guessing.matched(tokenizer, word, joined)
        assert all(0 <= i < len(tokenizer) for i in ids)
        assert len(ids) <= 4 * guessing.LONGEST + 2
        assert tokenizer.marker_id not in ids


def test_a_word_is_taken_with_the_space_before_it(gpt1):
    label = gpt1.tokenizer.label

    def first(word, joined=False):
        return [label(i) for i in guessing.matched(gpt1.tokenizer, word, joined)][:1]

    assert first("dog") == first(" dog ") == first("·dog") == ["·dog"]
    assert first("and", joined=True) == ["and"]
    assert first("dog", joined=True) == ["d"]  # it is two pieces then, and the first one counts
    assert first(",") == [","]
    assert first("") == first("   ") == []
    assert first("↵") == ["↵"]


def test_of_a_word_of_several_pieces_the_pieces_are_those_of_the_text(gpt1):
    ids = gpt1.tokenizer.encode("The Zorbin", start=False)
    assert guessing.matched(gpt1.tokenizer, "Zorbin") == ids[1:]


def test_new_words_begin_where_a_space_or_a_line_does(gpt1):
    ids = gpt1.tokenizer.encode('Once, Zorbin ran.\nHe said "no".')
    found = [gpt1.tokenizer.label(ids[t]) for t in guessing.word_starts(gpt1.tokenizer, ids)]
    assert found[0] == "·Z"
    assert "·ran" in found
    assert not {"Once", ",", "."} & {*found}


@given(st.text(max_size=40))
def test_places_lie_within_the_text(text):
    ids = tiny.stories_tokenizer().encode(text)
    found = guessing.word_starts(tiny.stories_tokenizer(), ids)
    assert all(1 < t < len(ids) for t in found)
    assert found == sorted(set(found))


def test_models_differ_most_where_the_gap_is_widest():
    one, two = np.array([0.0, 5.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.5, 9.0])
    assert guessing.differing([one, two], 2) == [2, 4]
    assert guessing.differing([one, two], 99) == [1, 2, 3, 4]


def trace_of(text="The dog ran to the dog", kind="sprout"):
    model = tiny.model(kind)
    return model, engine.run(model, model.tokenizer.encode(text)[: model.context])


def test_what_is_expected_at_a_place_was_read_from_all_before_it():
    model, trace = trace_of()
    expected = np.stack([guessing.next_probabilities(trace, t) for t in range(1, len(trace.ids))])
    right = expected[np.arange(len(expected)), trace.ids[1:]]
    assert np.allclose(-np.log(right), model.surprises(trace.ids), atol=1e-4)


@given(st.data())
def test_the_right_token_is_among_five_that_all_look_different(data):
    size = tiny.PIECES
    expected = [
        data.draw(st.sampled_from([flat(size), peaked(size, 300), peaked(size, 7)])) for _ in range(3)
    ]
    right = data.draw(st.integers(0, size - 1))
    chosen = guessing.candidates(tiny.stories_tokenizer(), expected, right, [0, 5])
    labels = {tiny.stories_tokenizer().label(i).strip("·").lower() for i in chosen}
    assert right in chosen
    assert len(labels) == len(chosen) == guessing.CANDIDATES


def flat(size):
    return np.full(size, 1 / size)


def peaked(size, at):
    p = np.full(size, 1e-6)
    p[at] = 1
    return p / p.sum()


def test_the_order_of_the_candidates_tells_nothing_of_the_right_one():
    places = []
    for seed in range(400):
        right = 260 + seed % 200
        chosen = guessing.candidates(tiny.stories_tokenizer(), [peaked(500, right)], right, [0, seed])
        places.append(chosen.index(right))
    assert min(np.bincount(places, minlength=5)) > 40  # 80 of each, were it even


@given(st.dictionaries(st.integers(0, 19), st.integers(0, 500), max_size=8))
def test_the_shares_of_all_tokens_sum_to_one_and_none_is_nothing(votes):
    shares = [guessing.share(votes, token, 20) for token in range(20)]
    assert math.isclose(sum(shares), 1, rel_tol=1e-9)
    assert min(shares) > 0
    assert len({*shares}) == 1 or max(shares) == max(guessing.share(votes, t, 20) for t in votes)


def test_a_single_right_vote_is_worth_just_over_one_half():
    assert guessing.share({7: 1}, 7, 8192) == pytest.approx(0.5, abs=1e-3)
    assert guessing.share({7: 1}, 8, 8192) == pytest.approx(1 / (2 * 8192))
    assert guessing.share({}, 8, 8192) == pytest.approx(1 / 8192)


@given(st.sampled_from([flat(30), peaked(30, 4), np.zeros(30)]), st.sets(st.integers(0, 29), min_size=1))
def test_among_few_the_probabilities_sum_to_one(expected, chosen):
    found = guessing.among(expected, sorted(chosen))
    assert found.sum() == pytest.approx(1)
    assert not found[[i for i in range(30) if i not in chosen]].any()


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_row_by_row_says_what_the_lens_says(kind):
    model, trace = trace_of(kind=kind)
    known = lens.logit_lens(model, trace, 1)
    for place in range(1, len(trace.ids)):
        p, rank = guessing.row_by_row(model, trace, place, [int(trace.ids[place]), 3])
        assert np.allclose(p[:, 0], known.next_probability[:, place - 1], atol=1e-5)
        assert (rank[:, 0] == known.next_rank[:, place - 1]).all()


def test_a_game_of_five_scales_the_models_to_the_five():
    model, trace = trace_of()
    game = guessing.Game(model.tokenizer, trace.ids, {"one": trace}, few=True)
    expected, chosen = game.expected(3)["one"], game.choices(3)
    assert game.size == len(chosen) == 5
    assert expected[chosen].sum() == pytest.approx(1)
    full = guessing.Game(model.tokenizer, trace.ids, {"one": trace}, few=False)
    assert full.size == tiny.PIECES
    assert full.choices(3) == []
    assert np.array_equal(full.expected(3)["one"], guessing.next_probabilities(trace, 3))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_perplexity_is_finite_and_never_below_one(probabilities):
    found = guessing.perplexity([guessing.nats(p) for p in probabilities])
    assert 1 <= found < math.inf
