"""Held-out nats: the model's own loss, every token alike."""

import pytest
import torch

from tests import tiny
from training.evaluate import held_out_nats


def some_ids(T, seed):
    return torch.randint(tiny.PIECES, (T,), generator=torch.Generator().manual_seed(seed)).tolist()


@pytest.mark.parametrize("network", [tiny.sprout_network(), tiny.store_network()], ids=["sprout", "store"])
def test_every_token_counts_alike_and_long_texts_are_cut(network):
    context = network.settings.context
    rows = [some_ids(7, 0), some_ids(context + 30, 1)]
    logits = [network(torch.tensor([row[:context]]))[0] for row in rows]
    total = sum(
        torch.nn.functional.cross_entropy(scores[:-1], torch.tensor(row[1:context]), reduction="sum").item()
        for scores, row in zip(logits, rows, strict=True)
    )
    assert held_out_nats(network, rows) == pytest.approx(total / (6 + context - 1), rel=1e-5)


def test_for_one_text_it_is_the_loss_of_the_file_on_display():
    network, row = tiny.sprout_network(), some_ids(30, 2)
    assert held_out_nats(network, [row]) == pytest.approx(network.loss(torch.tensor([row])).item(), rel=1e-5)
