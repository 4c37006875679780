"""The kept gradient lengths are what the script measures, and what they are said to show."""

import numpy as np
import pytest

from engine import gradients
from views import gradients as words

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def kept():
    return gradients.read()


def test_measuring_again_gives_what_is_kept(kept):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    again = gradients.measure(depths=(2,))
    torch.set_num_threads(before)
    for start, kinds in again.items():
        for kind, lengths in kinds.items():
            np.testing.assert_allclose(lengths, kept["lengths"][start][kind][:1], rtol=0.02, err_msg=kind)


def test_the_results_are_of_this_setup(kept):
    assert tuple(kept["depths"]) == gradients.DEPTHS
    assert kept["setup"] == gradients.SETUP
    assert set(kept["lengths"]) == set(gradients.STARTS)


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


def test_adding_keeps_the_gradient_even_and_the_words_say_so(kept):
    plain = kept["lengths"]["plain"]
    assert words.spread(plain["ours"]) < words.spread(plain["post_norm"]) < words.spread(plain["no_addition"])
    said = " ".join(words.sentences(kept))
    assert words.figure(plain["no_addition"][-1] / plain["no_addition"][0], 2) in said
    for start in gradients.STARTS:
        assert words.table(kept, start).count("<tr") == len(gradients.DEPTHS) + 1
