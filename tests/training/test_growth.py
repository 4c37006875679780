"""Growing a model: copies of its blocks, under the right names, sharing nothing."""

from dataclasses import replace

import torch

from engine.model import Transformer
from tests import tiny
from training import growth
from training.muon import Optimiser

IDS = torch.arange(20)[None]


def small():
    return Transformer(replace(tiny.SPROUT, n_layer=2)).requires_grad_(False)


def test_a_grown_model_has_its_blocks_again_and_again():
    model = tiny.loud(small())
    taller = growth.grow(model, 5)
    assert taller.settings == replace(model.settings, n_layer=5)
    assert taller.embedding.weight.equal(model.embedding.weight)
    assert taller.final_norm.gain.equal(model.final_norm.gain)
    for number, block in enumerate(taller.blocks):
        for name, weight in block.named_parameters():
            assert weight.equal(model.blocks[number % 2].get_parameter(name)), (number, name)
    assert taller.output.weight is taller.embedding.weight


def test_a_grown_model_trains_on():
    taller = growth.grow(small().requires_grad_(True), 4)
    assert all(weight.requires_grad for weight in taller.parameters())


def test_growing_to_the_same_height_changes_nothing():
    model = tiny.loud(small())
    assert growth.grow(model, 2)(IDS).equal(model(IDS))


def test_blocks_that_add_nothing_add_nothing_however_many():
    """The new model computes the old one's function where the copied blocks are silent."""
    model = tiny.loud(small())
    for block in model.blocks:
        block.attention.proj.weight.zero_()
        block.feed_forward.w2.weight.zero_()
    assert growth.grow(model, 6)(IDS).equal(model(IDS))


def test_a_shorter_model_keeps_the_first_blocks():
    model = tiny.loud(Transformer(tiny.SPROUT))
    shorter = growth.grow(model, 1)
    assert shorter.blocks[0].attention.qkv.weight.equal(model.blocks[0].attention.qkv.weight)
    assert len(shorter.blocks) == 1


def test_stacked_names_are_those_of_the_taller_model():
    model, taller = small(), Transformer(replace(tiny.SPROUT, n_layer=5))
    assert set(growth.stacked(model.state_dict(), 2, 5)) == set(taller.state_dict())


def test_many_blocks_are_told_apart_by_their_whole_number():
    values = {f"blocks.{i}.w": i for i in range(12)} | {"embedding": -1}
    assert growth.stacked(values, 12, 14) == {**values, "blocks.12.w": 0, "blocks.13.w": 1}


def test_copies_share_nothing():
    state = {"blocks.0.w": {"velocity": torch.zeros(2)}, "embedding": {"step": torch.zeros(())}}
    grown = growth.stacked(state, 1, 3)
    places = {value.data_ptr() for part in (*grown.values(), *state.values()) for value in part.values()}
    assert len(places) == 4 + 2


def test_the_optimiser_s_state_grows_with_the_model():
    torch.manual_seed(0)
    model = Transformer(replace(tiny.SPROUT, n_layer=2))
    model.loss(IDS).backward()
    optimiser = Optimiser(model, 0.02, 0.004)
    optimiser.step(1.0)
    taller = growth.grow(model, 4)
    grown = Optimiser(taller, 0.02, 0.004)
    grown.restore(growth.stacked(optimiser.state(), 2, 4))
    old, new = optimiser.state(), grown.state()
    assert set(new) == {name for name, _ in taller.named_parameters()}
    assert new["blocks.3.attention.proj.weight"]["velocity"].equal(
        old["blocks.1.attention.proj.weight"]["velocity"]
    )
    assert new["blocks.2.norm1.gain"]["exp_avg"].equal(old["blocks.0.norm1.gain"]["exp_avg"])
    assert new["embedding.weight"]["exp_avg_sq"].equal(old["embedding.weight"]["exp_avg_sq"])
