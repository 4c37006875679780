"""Learned positions and trained heads: the curves are what the model computes, the sentences follow them."""

import numpy as np
import pytest

import engine
from engine import rope
from views import rope_vectors as views

TABLES = rope.learned_tables(64, 16)


@pytest.mark.parametrize("distance", [-20, 0, 3, 63])
def test_a_shift_keeps_ropes_score_and_changes_the_other(distance):
    q, k = rope.draw(1, 16)
    places, rotary, learned = views.shifted(q, k, distance, 64, TABLES)
    assert places.min() + min(distance, 0) == 0
    assert places.max() + max(distance, 0) == 63
    np.testing.assert_allclose(rotary, rope.score(q, k, distance + 100, 100), atol=1e-10)
    said = views.shifted_sentence(places, rotary, learned, distance)
    assert ("stays the same" in said) == (len(places) > 1)
    assert ("one place only" in said) == (len(places) == 1)
    made, _ = views.shifted_plot(places, rotary, learned, int(places[0]))
    assert list(made.data[2].y) == [rotary[0], learned[0]]


def test_a_score_that_varies_is_not_said_to_stay():
    said = views.shifted_sentence(np.arange(3), np.array([1.0, 2, 1]), np.array([0.0, 5, -4]), 2)
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
    actual, curve = views.reach(query, keys, t, 2, model.setting("rope_base"))
    weights = np.exp(actual - actual.max()) / np.exp(actual - actual.max()).sum()
    np.testing.assert_allclose(weights, trace.attention[block, head, t, : t + 1], atol=1e-4)
    assert curve[t - 2] == pytest.approx(actual[2], abs=1e-9)
    assert len(curve) == len(trace.ids)


@pytest.mark.parametrize(
    ("actual", "curve", "t", "s", "words"),
    [
        (
            [1.0, 2.0, 0.5],
            [0, 2.0, 1.0, 0.0],
            2,
            1,
            ["1 back, scores 2.00", "no other distance", "it is the highest"],
        ),
        (
            [1.0, 2.0, 0.5],
            [0, 9.0, 1.0, 0.0],
            2,
            0,
            ["2 back, scores 1.00", "9.00, at distance 1", "number 2"],
        ),
        ([1.0, 2.0, 0.5], [0.5, 0, 0, 0], 2, 2, ["its own token", "number 3"]),
        ([1.5], [1.5], 0, 0, ["its own token", "no other distance to try"]),
    ],
)
def test_the_sentence_follows_the_scores(actual, curve, t, s, words):
    said = views.reach_sentence(np.array(actual), np.array(curve), t, s, "“x”")
    assert all(word in said for word in words), said


def test_a_token_that_looks_like_a_tag_is_drawn_as_text():
    made, _ = views.reach_plot(np.array([1.0, 2]), np.array([1.0, 2]), 1, 0, ("<b>", "$x$"))
    assert list(made.data[0].text) == ["&lt;b&gt;", "&#36;x&#36;"]
