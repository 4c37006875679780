"""Where heads look: the shares are those of the weights, and what is said of them holds."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views import attention
from views.numbers import percent


def causal(seed, heads, tokens):
    """Random weights as a causal softmax gives them, (H, T, T)."""
    scores = np.random.default_rng(seed).normal(0, 4, (heads, tokens, tokens))
    scores[:, *np.triu_indices(tokens, 1)] = -np.inf
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(3, 20))
def test_the_four_shares_are_counted_once_each(seed, heads, tokens):
    weights = causal(seed, heads, tokens)
    found = attention.shares(weights)
    for h in range(heads):
        rows = [weights[h, t] for t in range(2, tokens)]
        first, before, own = (
            np.mean([row[place] for row, place in zip(rows, places, strict=True)])
            for places in ([0] * (tokens - 2), range(1, tokens - 1), range(2, tokens))
        )
        assert found[h] == pytest.approx([first, before, own, 1 - first - before - own], abs=1e-9)
    assert found.sum(-1) == pytest.approx(np.ones(heads))


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(3, 9))
def test_what_is_said_holds(seed, heads, tokens):
    found = attention.shares(causal(seed, heads, tokens))
    head = seed % heads + 1
    said = attention.sentences(found, 2, head)
    place, share = re.search(r"largest share to (.*): (.*)\.$", said[0]).groups()
    assert share == percent(found[head - 1].max())
    assert found[head - 1][attention.PLACES.index(place)] == found[head - 1].max()
    assert len(said) == (2 if heads > 1 else 1)
    if heads > 1:
        most = int(re.search(r"block 2, head (\d+)", said[1])[1])
        assert found[most - 1, 1] == found[:, 1].max()


def test_a_head_without_choice_is_told_too():
    found = attention.shares(np.eye(3)[None])
    assert "itself: 100 %" in attention.sentences(found, 1, 1)[0]
    assert "head 1" in attention.table(found, 1)
