"""Grouped queries in code without them: errors as they are raised, and the repeated heads that do run."""

import re

import numpy as np
import pytest

from engine import grouped
from engine.grouped import Shapes


def test_the_key_matrix_is_a_third_of_the_query_matrix():
    given = grouped.shapes()
    assert (given.query, given.key) == ((960, 960), (960, 320))
    assert (given.heads, given.groups, given.width) == (15, 5, 64)


def test_both_errors_name_the_shapes():
    given = grouped.shapes()
    assert re.search(
        r"RuntimeError: .*size mismatch.*\[1600, 960\].*\[2880, 960\]", grouped.torch_error(given), re.S
    )
    assert re.match(r"ValueError: .*size 1280 into shape \(4,15,64\)", grouped.numpy_error(given))


def test_a_model_without_groups_raises_none():
    plain = Shapes(d=32, heads=4, groups=4, width=8)
    assert grouped.torch_error(plain) is None
    assert grouped.numpy_error(plain) is None


@pytest.mark.parametrize(("heads", "groups"), [(15, 5), (4, 1), (6, 3), (4, 4)])
def test_repeated_heads_are_what_grouped_attention_computes(heads, groups):
    given = Shapes(d=heads * 8, heads=heads, groups=groups, width=8)
    assert grouped.difference(given) < 1e-5


def test_other_heads_would_not_be(monkeypatch):
    def tiled(layer, given):  # heads in the wrong order: 1 2 3 1 2 3 instead of 1 1 2 2 3 3
        def each(matrix):
            return np.tile(matrix, given.heads // given.groups)

        return {**layer, "k": each(layer["k"]), "v": each(layer["v"])}

    monkeypatch.setattr(grouped, "repeated", tiled)
    assert grouped.difference(Shapes(d=48, heads=6, groups=3, width=8)) > 1e-2
