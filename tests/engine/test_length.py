"""Past the training length: the same model with longer tables, and the loss where it belongs."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import engine
from engine import length, measures
from engine.model import Transformer


@pytest.fixture(scope="module")
def model():
    return engine.load("gpt-1")


def longer(model, context):
    """The same weights in a model that was built for a longer context."""
    network = Transformer(replace(model.settings, context=context))
    network.load_state_dict(model.network.state_dict())
    return network.requires_grad_(False)


def test_a_longer_table_is_that_of_a_model_built_for_it(model):
    row = length.joined_rows(model, 700, 1)[0]
    expected = longer(model, 700)(torch.tensor(row)[None])[0]
    np.testing.assert_allclose(length.reader(model, 700)(row), expected.numpy(), atol=1e-5)
    assert model.network.cos.shape[0] == model.settings.context


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_within_the_training_length_it_is_the_usual_pass(name):
    model = engine.load(name)
    row = measures.own_rows(model)[0]
    np.testing.assert_allclose(length.reader(model, 700)(row), measures.logits(model, row), atol=1e-5)


def test_loss_by_place_is_pytorchs(model):
    (share, found), *more = length.loss_by_place(model, times=2, rows=1, bins=4)
    assert (share, more, found.rows) == (1, [], 1)
    limit = length.window(model)
    row = torch.tensor(length.joined_rows(model, 2 * limit + 1, 1)[0])

    def nats(ids):
        return cross_entropy(longer(model, len(ids))(ids[None])[0, :-1], ids[1:], reduction="none")

    np.testing.assert_allclose(found.whole, nats(row).view(4, -1).mean(1), rtol=1e-4)
    pieces = torch.cat([nats(row[: limit + 1]), nats(row[limit:])])
    np.testing.assert_allclose(found.pieces, pieces.view(4, -1).mean(1), rtol=1e-4)
    assert (found.starts[0], found.ends[-1]) == (1, 2 * limit + 1)


def test_every_row_starts_with_another_text(model):
    rows = length.joined_rows(model, 400, 4)
    assert [len(row) for row in rows] == [400] * 4
    assert len({tuple(row[:20]) for row in rows}) == 4
    assert all(row[0] == model.tokenizer.marker_id for row in rows)
