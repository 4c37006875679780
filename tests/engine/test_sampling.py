"""What temperature, top-k and top-p keep, against counting by hand; and writing on."""

import numpy as np
import pytest
import torch

import engine
from engine import sampling
from engine.generation import draw
from engine.sampling import BY_TEMPERATURE, BY_TOP_K, BY_TOP_P, KEPT
from tests import tiny

LOGITS = np.random.default_rng(5).normal(size=400).astype(np.float32) * 3


def softmax(x):
    grown = np.exp(x - x.max())
    return grown / grown.sum()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [None, 1, 30, 400, 5000])
@pytest.mark.parametrize("top_p", [0.01, 0.5, 0.95, 1.0])
def test_the_cuts_are_those_counted_by_hand(temperature, top_k, top_p):
    found = sampling.before_draw(LOGITS, temperature, top_k, top_p)
    order = np.argsort(-LOGITS, kind="stable")
    p = softmax(LOGITS.astype(np.float64)[order] / temperature)
    in_k = np.arange(400) < (top_k or 400)
    again = np.where(in_k, p, 0) / p[in_k].sum()
    before = np.cumsum(again) - again
    kept = in_k & ((before < top_p) | (np.arange(400) == 0))
    np.testing.assert_array_equal(found.ids, order)
    np.testing.assert_array_equal(found.fate == BY_TOP_K, ~in_k)
    assert p[(found.fate == KEPT) != kept].sum() < 1e-5  # float32 may part from this at the very edge
    np.testing.assert_allclose(found.plain, softmax(LOGITS.astype(np.float64)[order]), rtol=1e-5)
    np.testing.assert_allclose(found.tempered, p, rtol=1e-4)
    np.testing.assert_allclose(found.drawn_from.sum(), 1)
    assert (found.drawn_from[found.fate != KEPT] == 0).all()


def test_nothing_outside_what_is_kept_is_ever_drawn():
    found = sampling.before_draw(LOGITS, 1.5, 20, 0.8)
    generator = torch.Generator().manual_seed(1)
    seen = {draw(torch.from_numpy(LOGITS), 1.5, 20, 0.8, generator).item() for _ in range(500)}
    assert seen <= set(found.ids[found.fate == KEPT].tolist())
    assert (found.fate == BY_TOP_P).any()


def test_temperature_0_keeps_the_likeliest_alone():
    found = sampling.before_draw(LOGITS, 0)
    assert found.ids[0] == LOGITS.argmax()
    assert found.drawn_from[0] == 1
    assert (found.fate[1:] == BY_TEMPERATURE).all()


@pytest.mark.parametrize(
    "settings", [(-1, None, 0.9), (0.8, 0, 0.9), (0.8, None, 0), (0.8, None, 1.1), (11, 1, 1)]
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(ValueError, match=r"choose|keep"):
        sampling.before_draw(LOGITS, *settings)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_writing_on_follows_the_output_and_the_seed(kind):
    model = tiny.model(kind)
    ids = model.tokenizer.encode("Once upon a time")
    greedy = list(sampling.write_on(model, ids, 3, temperature=0))
    so_far = [*ids, *greedy[:-1]]
    assert greedy[-1] == engine.run(model, so_far).logits[-1].argmax()
    one, two = (list(sampling.write_on(model, ids, 5, seed=4)) for _ in range(2))
    assert one == two


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_writing_on_ends_where_the_context_ends(kind):
    model = tiny.model(kind)
    limit = model.context
    dog = model.tokenizer.encode(" dog", start=False)[0]
    assert len(list(sampling.write_on(model, [dog] * (limit - 2), 10, seed=1))) <= 2
    assert list(sampling.write_on(model, [dog] * limit, 10)) == []
