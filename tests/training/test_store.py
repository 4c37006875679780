"""The store's data and its model for training."""

import math

import numpy as np
import pytest
import torch

from tests import tiny
from training import store
from training.corpus import Product
from training.store_model import StoreModel, StoreSettings, turned

PRODUCTS = [
    Product("Red mug", "It holds tea."),
    Product("Blue plate", "It holds cake.\nTwo lines."),
    Product("Long", "word " * 400),
]


def test_a_product_is_start_name_separator_description_end():
    tokenizer = tiny.store_tokenizer()
    row = store.rows(PRODUCTS, tokenizer)[0]
    assert [tokenizer.label(i) for i in range(4)] == list(store.MARKERS)
    name, description = (tokenizer.encode(text, start=False) for text in ("Red mug", "It holds tea."))
    assert row == [0, *name, 1, *description, 2]


def test_a_row_is_cut_at_the_longest_text_and_filled_with_padding_that_does_not_count():
    ids, counted = store.Products(PRODUCTS, tiny.store_tokenizer(), seed=0).rows(0)
    assert ids.shape == counted.shape == (3, 161)
    assert counted.sum(1).max() == 160
    assert (ids[~counted] == store.MARKERS.index(store.PADDING)).all()
    assert (ids[:, 0] == 0).all()


def test_every_product_comes_once_an_epoch_in_an_order_of_its_own():
    products = [Product(f"Mug {i}", "It holds tea.") for i in range(30)]
    source = store.Products(products, tiny.store_tokenizer(), seed=0)
    first, again, second = (source.rows(epoch)[0] for epoch in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, second)
    assert np.array_equal(np.unique(first, axis=0), np.unique(second, axis=0))
    assert len(np.unique(first, axis=0)) == 30


def test_it_has_1_334_144_parameters():
    assert sum(weight.numel() for weight in store.new_model().parameters()) == 1_334_144


def test_what_a_block_adds_starts_out_smaller():
    torch.manual_seed(0)
    for name, weight in StoreModel(StoreSettings(vocab_size=1000)).named_parameters():
        adds = name.rsplit(".", 1)[-1] in ("o", "down")
        if weight.ndim == 2:
            assert weight.std().item() == pytest.approx(0.02 / math.sqrt(8) if adds else 0.02, rel=0.03), name
        else:
            assert weight.eq(1).all(), name


def test_turning_is_the_family_s_rotation():
    from engine.model import rope_tables, rotate

    x = torch.randn(2, 3, 20, 32, generator=torch.Generator().manual_seed(0))
    expected = rotate(x, *rope_tables(20, 32, 10_000.0))
    torch.testing.assert_close(turned(x, 10_000.0), expected, atol=1e-5, rtol=1e-5)


def test_no_token_sees_the_future():
    network, ids = tiny.store_network(), torch.arange(20)[None]
    other = ids.clone()
    other[0, 12] = 99
    moved = (network(ids) - network(other))[0].abs().amax(-1)
    assert moved[:12].max() < 1e-4
    assert moved[12:].min() > 1e-3
