"""The average of several ends of a training."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from training import __main__ as training_main
from training import checkpoint
from training.average import average
from training.plan import Plan, Progress


@pytest.fixture
def ends(tmp_path):
    """Three checkpoints of one shape, whose weights are all 1, 2 and 6 -> their paths."""
    paths = []
    for place, value in enumerate((1.0, 2.0, 6.0), start=1):
        network = tiny.sprout_network()
        with torch.no_grad():
            for weight in network.parameters():
                weight.fill_(value)
        progress = Progress(step=place, tokens=100 * place, log=[(place, 100 * place, 1.0, 3, 0.5, 6.0, 6.1)])
        state = {"settings": network.settings, "plan": Plan(tokens=1000 * place), "progress": progress}
        paths.append(tmp_path / f"{place}.safetensors")
        checkpoint.save({**state, "weights": dict(network.named_parameters())}, paths[-1])
    return paths


def test_every_weight_is_the_mean_and_the_rest_the_last_ones(ends, tmp_path):
    args = training_main.parser().parse_args(["average", *map(str, ends), "--out", str(tmp_path / "mean")])
    args.act(args)
    state = checkpoint.restore(tmp_path / "mean")
    assert all(torch.equal(one, torch.full_like(one, 3.0)) for one in state["weights"].values())
    assert state["plan"] == Plan(tokens=3000)
    assert state["progress"].log[-1][1] == 300


def test_one_alone_or_two_of_different_shape_are_refused(ends, tmp_path):
    with pytest.raises(ValueError, match="two checkpoints or more"):
        average(ends[:1])
    state = checkpoint.restore(ends[0])
    checkpoint.save({**state, "settings": replace(state["settings"], n_layer=9)}, tmp_path / "other")
    with pytest.raises(ValueError, match="same settings"):
        average([ends[0], tmp_path / "other"])
