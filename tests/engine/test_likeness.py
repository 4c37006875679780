"""How alike vectors are: known answers, what reordering leaves, and what a left-out block leaves."""

import numpy as np
import pytest

import engine
from engine import likeness, wiring
from tests import tiny

IDS = [0, 7, 9, 1, 20, 3, 11, 30, 2]


@pytest.fixture(params=["sprout", "store"])
def model(request):
    return tiny.model(request.param)


def test_the_mean_cosine_between_places_is_that_of_all_pairs():
    streams = np.random.default_rng(0).standard_normal((2, 5, 8)) * 3
    unit = streams / np.linalg.norm(streams, axis=-1, keepdims=True)
    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    expected = [np.mean([row[a] @ row[b] for a, b in pairs]) for row in unit]
    np.testing.assert_allclose(likeness.between_places(streams), expected)


def test_places_that_hold_one_direction_are_alike():
    streams = np.arange(1, 4)[None, :, None] * np.ones((1, 3, 4))
    assert likeness.between_places(streams) == pytest.approx([1])
    assert np.isnan(likeness.between_places(streams[:, :1])).all()


def test_every_stack_starts_from_the_same_embedding(model):
    found = likeness.stacked(model, IDS)
    assert len({round(float(alike[0]), 9) for alike in found.values()}) == 1
    np.testing.assert_allclose(found["as trained"], likeness.between_places(engine.run(model, IDS).streams))


def test_equal_sets_lie_nowhere_apart():
    a = np.random.default_rng(1).standard_normal((6, 4))
    assert likeness.apart(a, a[::-1]).max() < 1e-12
    assert likeness.apart(a[:1], 2 * a[:1]) == pytest.approx([1, 0.5])  # by its own length


def test_the_order_of_tokens_is_told_by_mask_and_rope_alone(model):
    second = [IDS[0], *IDS[1:-1][::-1], IDS[-1]]
    found = likeness.orders(model, IDS, second)
    blind, masked = found["no mask, no RoPE"], found["the mask alone"]
    assert max(blind.sets, blind.first_block, blind.last_block) < 1e-4
    assert masked.first_block < 1e-4  # the last token sees the same tokens, and nothing of their order
    assert masked.last_block > 0.01  # but they had seen different ones
    assert all(found[name].first_block > 0.01 for name in ("RoPE alone", "both, as trained"))


def test_what_follows_a_left_out_block_is_what_it_would_have_read(model):
    known, new = [[0, 5, 6, 7, 8], [0, 9, 4, 33]], [[0, 7, 6, 50, 4, 3]]
    *_, (share, met) = likeness.met(model, known, new)
    assert share == 1
    assert (met.known, met.tokens) == (9, 6)
    for block in range(model.architecture.n_layer):
        after = np.concatenate([engine.run(model, row).streams[block + 1] for row in known])
        x = engine.run(model, new[0]).streams
        for given, expected in ((met.trained, x[block + 1]), (met.without, x[block])):
            cosines = (likeness.unit(expected) @ likeness.unit(after).T).max(1)
            assert given[block] == pytest.approx(cosines.mean())


def test_texts_that_are_known_are_met_again(model):
    *_, (_, met) = likeness.met(model, [IDS], [IDS])
    np.testing.assert_allclose(met.trained, 1)
    assert (met.without < 0.999).any()


def test_a_single_token_has_no_other_place():
    assert np.isnan(likeness.stacked(tiny.model("store"), [0])["as trained"]).all()
    assert len(wiring.streams(tiny.model("store"), [0])) == 4
