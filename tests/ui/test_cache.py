"""What is kept for all readers is kept by the model itself; torch is calm whichever model is loaded."""

import numpy as np
import pytest
import torch

from engine import families
from engine.families import Change
from engine.weights import WeightsError
from tests import tiny
from tests.families import stranger
from ui import cache, held_out, kept
from ui.sizes import size_of


def test_torch_is_calmed_also_when_only_the_store_is_loaded():
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        cache._calm_torch.cache_clear()
        cache.model("store")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(threads)


def test_models_with_one_checksum_are_not_mixed_up():
    sprout, store = tiny.model("sprout"), tiny.model("store")
    assert sprout.checksum == store.checksum
    for model in (sprout, store):
        np.testing.assert_array_equal(cache.trace(model, [1, 2, 3]).logits, model.logits([1, 2, 3]))


def test_a_changed_model_is_kept_beside_the_one_as_trained():
    model = tiny.model("store")
    changed = model.changed(Change("attention", 0))
    assert not cache.trace(changed, [1, 2, 3]).attention_added[0].any()
    assert cache.trace(model, [1, 2, 3]).attention_added[0].any()
    assert cache.trace(model, [1, 2, 3]) is cache.trace(model, np.array([1, 2, 3]))


def test_an_added_model_is_kept_only_as_long_as_it_is_there():
    with families.added(stranger()) as model:
        assert cache.model("stranger") is model
        assert held_out.kind("stranger") == "40 stories"
        assert cache.lens(model, [5, 6, 7]).ids.shape == (4, 3, 5)
    with pytest.raises(WeightsError):
        cache.model("stranger")


def test_a_pass_can_be_kept_with_the_last_rows_scores_alone():
    model = tiny.model("sprout")
    whole, least = cache.trace(model, [4, 5, 6]), cache.trace(model, [4, 5, 6], scores=False)
    assert (whole.logits.shape[0], least.logits.shape[0]) == (3, 1)
    np.testing.assert_array_equal(whole.logits[-1:], least.logits)
    np.testing.assert_array_equal(whole.streams, least.streams)
    lens = cache.lens(model, [4, 5, 7])
    assert cache.trace(model, [4, 5, 7], scores=False).streams.shape[1] == lens.ids.shape[1]


@pytest.mark.parametrize("name", ["sprout", "store"])
def test_a_block_s_attention_is_the_same_for_a_long_text_whose_other_blocks_are_not_kept(name, monkeypatch):
    model = tiny.model(name)
    last = model.architecture.n_layer - 1
    short = cache.attention(model, [1, 2, 3], last)
    kept.clear()
    monkeypatch.setattr(cache, "LARGE", 0)
    long = cache.attention(model, [1, 2, 3], last)
    np.testing.assert_array_equal(long, short)
    assert size_of(long) < 2 * long.nbytes
    assert cache.attention(model, [1, 2, 3], last) is long
