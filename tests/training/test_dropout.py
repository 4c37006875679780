"""Dropout: in training mode alone, and only on what is added to the stream."""

import pytest
import torch

from engine.model import Transformer
from tests import tiny
from training import dropout


def network(share):
    torch.manual_seed(0)
    model = Transformer(tiny.SPROUT)
    dropout.install(model, share)
    return model


IDS = torch.arange(40)[None] % tiny.PIECES


def test_in_evaluation_mode_nothing_changes():
    assert network(0.5).eval()(IDS).equal(network(0.0).eval()(IDS))


def test_share_zero_changes_nothing_in_training_either():
    assert network(0.0).train()(IDS).equal(network(0.0).eval()(IDS))


def test_every_addition_to_the_stream_loses_its_share_and_keeps_its_mean():
    model = network(0.3).train()
    layers = [model.embedding, *(p for b in model.blocks for p in (b.attention, b.feed_forward))]
    outputs = []
    for layer in layers:  # called after the hook of dropout
        layer.register_forward_hook(lambda module, _, out: outputs.append(out.detach()))
    for _ in range(30):
        model(IDS)
    assert len(outputs) == 30 * len(layers)
    for index, layer in enumerate(layers):
        values = torch.cat([out.flatten() for out in outputs[index :: len(layers)]])
        assert (values == 0).float().mean().item() == pytest.approx(0.3, abs=0.02), layer
    whole = model.embedding.weight.detach()[IDS]
    mean = torch.stack(outputs[0 :: len(layers)]).mean(0)
    kept = (mean * whole).sum() / whole.square().sum()
    assert kept.item() == pytest.approx(1, abs=0.03)


def test_two_steps_drop_different_values_and_a_seed_repeats_them():
    model = network(0.3).train()
    torch.manual_seed(5)
    first, second = model(IDS), model(IDS)
    torch.manual_seed(5)
    assert model(IDS).equal(first)
    assert not second.equal(first)


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ValueError, match="from 0 to below 1"):
        network(share)
