"""The kept gradient lengths are what the script measures, start by start."""

import numpy as np
import pytest
import torch

from engine import gradients as kept_gradients
from training import gradients


@pytest.fixture(scope="module")
def kept():
    return kept_gradients.read()


def test_measuring_again_gives_what_is_kept(kept):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    again = gradients.measure((2,), {**gradients.SETUP, "seeds": 4})
    torch.set_num_threads(before)
    for start, kinds in again.items():
        for kind, (lengths,) in kinds.items():
            np.testing.assert_allclose(lengths, kept["lengths"][start][kind][0][:4], rtol=2e-3, err_msg=kind)


def test_the_results_are_of_this_setup(kept):
    assert tuple(kept["depths"]) == gradients.DEPTHS
    assert kept["setup"] == gradients.SETUP
    assert set(kept["lengths"]) == set(gradients.STARTS)
    seeds = gradients.SETUP["seeds"]
    for kinds in kept["lengths"].values():
        assert set(kinds) == set(gradients.KINDS)
        assert all([len(one) for one in by_depth] == [seeds] * 5 for by_depth in kinds.values())


def test_the_same_seed_gives_the_same_length():
    one, same, other = (gradients.length("ours", "plain", 2, gradients.SETUP, seed) for seed in (3, 3, 4))
    assert one == same != other


def test_ours_is_the_models_own_code():
    torch.manual_seed(0)
    network = gradients.stack("ours", "ours", 2, gradients.SETUP)
    assert {type(block).__qualname__ for block in network.blocks} == {"Block"}
    assert type(network.blocks[0]).__module__ == "engine.model"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("no_addition", lambda b, x, t: b.feed_forward(b.norm2(b.attention(b.norm1(x), *t)))),
        ("post_norm", lambda b, x, t: b.norm2((y := b.norm1(x + b.attention(x, *t))) + b.feed_forward(y))),
    ],
)
def test_the_other_ways_join_the_same_parts(kind, expected):
    torch.manual_seed(0)
    network = gradients.stack(kind, "plain", 1, gradients.SETUP)
    x, tables = torch.randn(1, 5, 64), (network.cos[:5], network.sin[:5])
    block = network.blocks[0]
    assert torch.equal(block(x, *tables), expected(block, x, tables))
