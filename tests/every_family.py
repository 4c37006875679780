"""A tiny loud model of every kind there is, for claims that have to hold whatever a model is made of."""

import copy
from dataclasses import replace
from functools import cache

import torch
from torch import nn

from tests import checkpoints, tiny
from tests.engine import test_parallel
from tests.families import stranger

KINDS = ("sprout", "store", "stranger", "biased", "untied", "parallel", *checkpoints.KINDS)


@cache
def model(kind):
    """A Model: ours, a stranger with LayerNorm, one whose biases are loud, one with an output of its own, one
    whose two parts of a block read the same stream, and every opened checkpoint; never change it."""
    if kind in checkpoints.KINDS:
        return checkpoints.opened(kind)
    if kind in ("sprout", "store"):
        return tiny.model(kind)
    if kind == "parallel":
        return test_parallel.model()
    return stranger() if kind == "stranger" else _biased(kind == "untied")


def _biased(untied):
    """The stranger with gains and biases that matter, and perhaps an output matrix and bias of its own."""
    network, generator = copy.deepcopy(stranger().network), torch.Generator().manual_seed(5)
    if untied:
        V, d = network.lm_head.weight.shape
        network.lm_head = nn.Linear(d, V).requires_grad_(False)
    for name, weight in network.named_parameters():
        if weight.ndim == 1 or (untied and name.startswith("lm_head")):
            weight.data = weight + 0.5 * torch.randn(weight.shape, generator=generator)
    kind = "untied" if untied else "biased"
    return replace(stranger(), name=kind, network=network, manifest={"files": {"model.safetensors": kind}})


def ids_of(one, text):
    """A text as a model reads it, as far as it fits."""
    return one.tokenizer.encode(text)[: one.context]
