"""What is said of how alike vectors are, held against the cosines it speaks of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.likeness import WIRINGS, Met
from tests.views.claims import number, stated
from views import likeness

COSINE = st.one_of(st.floats(-1, 1), st.sampled_from([0.999, 0.9999999, 1.0, -0.001, 0.8, 0.6]))


@given(COSINE)
def test_a_cosine_is_never_rounded_to_one(x):
    said = likeness.cosine(x)
    assert number(said) == pytest.approx(x, abs=0.0051)
    assert said not in ("−0.00", "1.00") or x == 1
    assert likeness.cosine(np.nan) == "–"


@given(st.lists(st.tuples(COSINE, COSINE), min_size=1, max_size=8), st.integers(1, 8))
def test_what_the_later_blocks_meet_is_told_as_measured(pairs, worst):
    met = Met(*np.array(pairs).T, tokens=50, known=900)
    said = likeness.met_said(met, 24, worst)
    gaps = met.trained - met.without
    block = int(stated("stream without block {}:", said[0])[0])
    assert gaps[block - 1] == gaps.max()
    assert stated("a cosine of {} to", said[0])[0] == pytest.approx(met.without[block - 1], abs=0.0051)
    assert stated("against {} as trained", said[0])[0] == pytest.approx(met.trained[block - 1], abs=0.0051)
    assert (f"block {block + 1} then reads" in said[0]) == (block < len(pairs))
    assert ("Nowhere" in said[1]) == (gaps.max() < likeness.FAR)
    assert ("missed most" in said[1]) == (worst == block and gaps.max() >= likeness.FAR)
    if len(said) == 3:
        numbers = (
            said[2]
            .split(" the cosine")[0]
            .removeprefix("Without one of the blocks ")
            .removeprefix("Without block ")
        )
        near = {int(n) for n in numbers.split(", ")}
        assert near == {i + 1 for i, gap in enumerate(gaps) if gap < likeness.FAR}


@given(st.lists(COSINE, min_size=4, max_size=4))
def test_attention_alone_is_blamed_only_where_it_makes_places_most_alike(last):
    found = {name: np.array([0.1, value]) for name, value in zip(WIRINGS, last, strict=True)}
    said = likeness.stacked_said(found)
    for name, value in zip(WIRINGS, last, strict=True):
        assert f"{name} {likeness.cosine(value)}" in said[0]
    blamed = len(said) == 2
    if blamed:
        assert last[-1] == max(last)
        assert likeness.cosine(last[-1]) not in {likeness.cosine(x) for x in last[:-1]}
        assert all(x - last[0] >= 0.05 for x in last[1:])
    clear = last[0] + 0.06 < min(last[1:]) and last[-1] - max(last[:-1]) > 0.011
    assert blamed or not clear


def test_nothing_is_said_of_a_single_place():
    assert likeness.stacked_said({name: np.array([np.nan]) for name in WIRINGS}) == []
    assert likeness.stacked_rows({"as trained": np.array([np.nan])}) == [("as trained", "–")]
