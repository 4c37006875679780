"""Each sentence about the lens, in each of its branches, with the numbers it was given."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.lens import Lens
from engine.sampling import BY_TOP_K, BY_TOP_P, KEPT, before_draw
from engine.weights import available
from tests.views.claims import share, stated
from views import lens_words


def lens(top, following):
    ids = np.array(top)[..., None]
    empty = np.zeros(ids.shape[:2])
    return Lens(ids, np.zeros(ids.shape), np.array(following), empty, empty, empty, empty, empty)


def said_shares(said):
    return [share(one) for one in re.findall(r"[<>]? ?[0-9.]+ %", said)]


SHARES = st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=2, max_size=17)


@given(SHARES)
def test_what_is_said_of_confidence_is_what_was_measured(rows):
    measured, names = np.array(rows).T, [f"row {i}" for i in range(len(rows))]
    top, right, own = measured
    said = lens_words.steps(measured, names, "12 texts")
    predicting = [r for r in range(len(rows) - 1) if own[r] <= 0.5]
    shares = said_shares(said)
    if not predicting:
        assert "In every row before, it mostly repeats" in said
        wanted = [top[-1], right[-1]]
    else:
        peak = max(predicting, key=lambda r: top[r])
        assert f"in the row “{names[peak]}”, where it is right in" in said
        here, end = [top[peak], right[peak]], [top[-1], right[-1]]
        wanted = end + here if "is highest at the end" in said else here + end
        fell, rose = top[peak] - top[-1] > lens_words.LEVEL, top[-1] - top[peak] > lens_words.LEVEL
        assert [one in said for one in ("steps back", "highest at the end", "about as high")] == [
            fell,
            rose,
            not fell and not rose,
        ]
        left_out = [names[r] for r in range(len(rows) - 1) if r not in predicting]
        assert all(f"“{name}”" in said for name in left_out)
        assert ("Left out here" in said) == bool(left_out)
    assert all(low <= value <= high for (low, high), value in zip(shares, wanted, strict=True))


IDS = st.integers(0, 5)


@given(st.lists(IDS, min_size=1, max_size=8), st.data(), st.booleans())
def test_how_often_the_embedding_repeats_its_token_is_counted(ids, data, tuned):
    top = data.draw(st.lists(IDS, min_size=len(ids), max_size=len(ids)))
    said = lens_words.repeats(lens([top], [*ids[1:], -1]), np.array(ids), tuned)
    same, columns = stated("in {} of {} column", said)
    assert (same, columns) == (sum(a == b for a, b in zip(ids, top, strict=True)), len(ids))
    assert ("column:" in said or "column " in said) == (columns == 1)
    assert ("fits its vector best" in said) == (not tuned and same > columns / 2)
    assert ("in all of them" in said) == (not tuned and same == columns)
    assert ("although" in said) == (not tuned and same <= columns / 2)


@given(st.data(), st.integers(1, 7), st.integers(2, 5))
def test_where_the_answers_appear_and_stay_is_counted(data, T, R):
    top = data.draw(st.lists(st.lists(IDS, min_size=T, max_size=T), min_size=R, max_size=R))
    following = [*data.draw(st.lists(IDS, min_size=T - 1, max_size=T - 1)), -1]
    names = [f"row {r}" for r in range(R)]
    said = lens_words.answers(lens(top, following), names)
    right = [t for t in range(T - 1) if top[-1][t] == following[t]]
    if T == 1:
        assert "No token follows" in said
    elif not right:
        assert said.startswith(f"{T - 1} column")
        assert "nowhere is it the output's top candidate" in said
    else:
        assert stated("In {} of {} column", said) == [len(right), T - 1]
        row = names.index(re.search("from the row “(.+)” on", said)[1])
        first = [
            next(r for r in range(R) if all(top[q][t] == following[t] for q in range(r, R))) for t in right
        ]
        assert stated("in {} of these it is on top to stay", said) == [first.count(row)]
        assert first.count(row) == max(map(first.count, first))


def test_a_cut_says_where():
    model = engine.load(available()[0])
    ids = model.tokenizer.encode("The dog sat on the green sofa")
    said = lens_words.cut(model, ids, 88)
    assert "on the green sofa" in said
    assert f"{len(ids) + 88} tokens" in said
    assert "the last 88 tokens are not shown" in said
    assert "the last 1 token is not shown" in lens_words.cut(model, ids, 1)


@given(
    st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=30),
    st.sampled_from([0, 0.01, 0.5, 0.8, 1, 2]),
    st.none() | st.integers(1, 40),
    st.sampled_from([0.01, 0.3, 0.49, 0.9, 0.95, 1]),
)
def test_what_each_cut_kept_and_dropped(scores, temperature, top_k, top_p):
    settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    draw = before_draw(np.array(scores, np.float32), **settings)
    said, V = lens_words.kept(draw, **settings), len(scores)
    dropped = stated("drops {}.", said) or stated("drops the other {}.", said)
    left = int((draw.fate == KEPT).sum())
    if temperature == 0:
        assert dropped == [V - 1]
        return
    assert ("Nothing is dropped" in said) == (left == V)
    by_k, by_p = (int((draw.fate == fate).sum()) for fate in (BY_TOP_K, BY_TOP_P))
    k_said, p_said = stated("Top-k keeps {} of {} token", said), stated("keeps the {} likeliest", said)
    assert k_said == ([V - by_k, V] if by_k else None)
    assert p_said == ([left] if by_p else None)
    held = said_shares(said)
    wanted = [draw.tempered[draw.fate != BY_TOP_K].sum()] * bool(by_k) + [
        draw.tempered[draw.fate == KEPT].sum()
    ] * bool(by_p)
    assert all(low - 1e-6 <= value <= high + 1e-6 for (low, high), value in zip(held, wanted, strict=True))
