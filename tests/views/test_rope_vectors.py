"""Learned positions and trained heads: the curves are what the model computes, the sentences follow them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import engine
from engine import rope
from tests import tiny
from tests.said import close, numbers
from views import rope_vectors

TABLES = rope.learned_tables(64, 16)


@pytest.mark.parametrize("distance", [-20, 0, 3, 63])
def test_a_shift_keeps_ropes_score_and_changes_the_other(distance):
    q, k = rope.draw(1, 16)
    places, rotary, learned = rope_vectors.shifted(q, k, distance, 64, TABLES)
    assert places.min() + min(distance, 0) == 0
    assert places.max() + max(distance, 0) == 63
    np.testing.assert_allclose(rotary, rope.score(q, k, distance + 100, 100), atol=1e-10)
    said = rope_vectors.shifted_sentence(places, rotary, learned, distance)
    assert ("stays the same" in said) == (len(places) > 1)
    assert ("one place only" in said) == (len(places) == 1)
    made, _ = rope_vectors.shifted_plot(places, rotary, learned, int(places[0]))
    assert list(made.data[2].y) == [rotary[0], learned[0]]


def test_a_score_that_varies_is_not_said_to_stay():
    said = rope_vectors.shifted_sentence(np.arange(3), np.array([1.0, 2, 1]), np.array([0.0, 5, -4]), 2)
    assert "RoPE's score varies by 1.00" in said
    assert "from −4.00 to 5.00" in said


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_the_scores_of_every_key_are_those_that_the_model_attends_with(name):
    model = engine.load(name)
    trace = engine.run(
        model, "A red bag\nfor the dog and the red ball", keep=("queries", "keys", "attention")
    )
    block, head, t = trace.attention.shape[0] - 1, 1, len(trace.ids) - 2
    query, keys = trace.queries[block, head, t], trace.keys[block, head]
    actual, curve = rope_vectors.reach(query, keys, t, 2, model.rope_base)
    weights = np.exp(actual - actual.max()) / np.exp(actual - actual.max()).sum()
    np.testing.assert_allclose(weights, trace.attention[block, head, t, : t + 1], atol=1e-4)
    assert curve[t - 2] == pytest.approx(actual[2], abs=1e-9)
    assert len(curve) == len(trace.ids)


def test_a_token_that_looks_like_a_tag_is_drawn_as_text():
    made, _ = rope_vectors.reach_plot(np.array([1.0, 2]), np.array([1.0, 2]), 1, 0, ("<b>", "$x$"))
    assert list(made.data[0].text) == ["&lt;b&gt;", "&#36;x&#36;"]


SCORES = arrays(np.float64, st.integers(1, 40), elements=st.integers(-3000, 3000).map(lambda n: n / 100))


@st.composite
def reaches(draw):
    """Drawn scores, the chosen key on its curve -> (scores of the keys, curve, t, s)."""
    curve, actual = draw(SCORES), draw(SCORES)
    t = draw(st.integers(0, min(len(curve), len(actual)) - 1))
    s = draw(st.integers(0, t))
    actual = actual[: t + 1]
    actual[s] = curve[t - s]
    return actual, curve, t, s


@st.composite
def real_reaches(draw):
    """The same of a head of a tiny model that read any text."""
    seen = draw(tiny.passes(("queries", "keys")))
    t = draw(st.integers(0, len(seen.ids) - 1))
    s = draw(st.integers(0, t))
    return *rope_vectors.reach(seen.queries[1, 0, t], seen.keys[1, 0], t, s, 10_000.0), t, s


@given(st.one_of(reaches(), real_reaches()))
def test_the_sentence_follows_the_scores(reach):
    actual, curve, t, s = reach
    T = len(curve)
    said = rope_vectors.reach_sentence(actual, curve, t, s, "“x”")
    assert close(numbers("scores #.", said)[0], actual[s])
    assert ("its own token" in said) == (t == s)
    if t != s:
        assert numbers("“x”, # back", said) == [t - s]
    if T == 1:
        assert "no other distance to try" in said
        return
    better = numbers("would score most, #, at distance #.", said)
    assert (better is None) == (curve.max() <= curve[t - s] + 1e-9)
    if better:
        assert close(better[0], curve.max())
        assert curve[int(better[1])] == curve.max()
    rank = 1 + sum(score > actual[s] for score in actual)
    order = "the highest" if rank == 1 else f"number {rank}"
    assert (f"Of the {t + 1} keys this query can see, it is {order}" in said) == (t > 0)


@given(rotary=SCORES, learned=SCORES, distance=st.integers(-40, 40))
def test_a_shifts_sentence_holds_what_the_scores_do(rotary, learned, distance):
    N = min(len(rotary), len(learned))
    rotary, learned = rotary[:N], learned[:N]
    said = rope_vectors.shifted_sentence(np.arange(N), rotary, learned, distance)
    if N == 1:
        assert "one place only" in said
        return
    assert numbers("the # places where the distance # fits", said) == [N, distance]
    low, high = numbers("it goes from # to #.", said)
    assert close(low, learned.min())
    assert close(high, learned.max())
    kept = rotary.max() - rotary.min()
    assert ("stays the same" in said) == (kept < 1e-9)
    if kept >= 1e-9 and "×" not in said:
        assert close(numbers("varies by #;", said)[0], kept)


@pytest.mark.parametrize(("heads", "groups"), [(6, 6), (6, 2), (4, 1)])
def test_query_heads_in_a_row_share_a_key_head(heads, groups):
    a = np.arange
    trace = SimpleNamespace(
        queries=a(2 * heads * 3 * 4).reshape(2, heads, 3, 4),
        keys=a(2 * groups * 3 * 4).reshape(2, groups, 3, 4),
    )
    seen = [rope_vectors.of_head(trace, 1, head, 2) for head in range(heads)]
    assert all((query == trace.queries[1, head, 2]).all() for head, (query, _) in enumerate(seen))
    repeated = np.repeat(trace.keys[1], heads // groups, axis=0)
    assert all((keys == repeated[head]).all() for head, (_, keys) in enumerate(seen))
