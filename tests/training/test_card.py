"""What a card says holds for the results it was made from."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import heads, records, weights
from training.card import TIMES, card, share, strongest_head

SHARES = st.floats(0, 1)


@given(SHARES)
def test_a_share_is_never_rounded_to_all_or_nothing(p):
    said = share(p)
    assert (said == "0 %") == (p == 0)
    assert (said == "100 %") == (p == 1)
    if said[0] in "<>":
        assert p < 0.001 if said[0] == "<" else p > 0.999
    else:
        assert abs(float(said.removesuffix(" %")) / 100 - p) <= 0.0005 + 1e-9


@given(SHARES, st.integers(1, 8), st.integers(1, 8))
def test_no_head_is_named_for_what_even_attention_gives(score, block, head):
    said = strongest_head("induction", {"block": block, "head": head, "score": score})
    assert f"block {block}, head {head}" in said
    assert share(score) in said
    assert said.startswith("Strongest induction head") == (score >= TIMES * heads.even())
    assert said.startswith("No induction head") == (score < TIMES * heads.even())


def test_even_attention_is_what_a_head_that_looks_evenly_scores():
    even = np.tril(np.ones((1, 65, 65)))
    even /= even.sum(-1, keepdims=True)
    assert heads.even() == pytest.approx(float(heads.follow(even, 1)[0]))
    assert heads.even() == pytest.approx(float(heads.follow(even, 31)[0]))


@pytest.mark.parametrize("name", weights.available())
def test_the_shipped_card_is_made_from_the_shipped_results(name):
    found = records.read(name)
    assert found.card == card(name, found.settings, found.manifest, found.results)
    assert not re.search(r"\b100(\.0)? ?%|\b0\.0 ?%", found.card)


@pytest.mark.parametrize("name", [name for name in weights.available() if name != "store"])
def test_the_shipped_results_name_the_heads_that_score_highest_now(name):
    scores = heads.score_heads(weights.load(name))
    kept = json.loads((weights.FOLDER / name / "results.json").read_text())["heads"]
    for kind, found in kept.items():
        assert (found["block"] - 1, found["head"] - 1) == scores.best(kind)
        assert found["score"] == pytest.approx(float(getattr(scores, kind).max()), abs=1e-3)
