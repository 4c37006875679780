"""The optimiser: what orthogonalising does, what is stepped by which half, and that its state comes back."""

import pytest
import torch

from engine.model import Transformer
from engine.muon import Muon, orthogonalise
from tests import tiny
from training.muon import Optimiser


def matrix(rows, columns, low=0.1, seed=0):
    """A matrix whose singular values go from low to 1, and its two sides."""
    generator = torch.Generator().manual_seed(seed)
    n = min(rows, columns)
    left, _ = torch.linalg.qr(torch.randn(rows, n, generator=generator))
    right, _ = torch.linalg.qr(torch.randn(columns, n, generator=generator))
    return left @ torch.diag(torch.linspace(low, 1, n)) @ right.T, left @ right.T


@pytest.mark.parametrize(("rows", "columns"), [(32, 32), (80, 32), (32, 96)])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_every_singular_value_comes_near_one_and_the_directions_stay(rows, columns, size):
    made, sides = matrix(rows, columns)
    x = orthogonalise(made[None] * size)[0]
    values = torch.linalg.svdvals(x)
    assert x.shape == made.shape
    assert 0.6 < values.min() <= values.max() < 1.3
    assert (x * sides).sum() / (x.norm() * sides.norm()) > 0.97


def test_a_stack_is_as_good_as_one_by_one():
    stack = torch.stack([matrix(32, 48, seed=seed)[0] * 10.0**seed for seed in range(3)])
    one_by_one = torch.cat([orthogonalise(each[None]) for each in stack])
    torch.testing.assert_close(orthogonalise(stack), one_by_one, atol=0.02, rtol=0.02)


def test_both_precisions_give_nearly_the_same_directions():
    stack = torch.stack([matrix(32, 48, seed=seed)[0] for seed in range(3)])
    exact = orthogonalise(stack, precision=torch.float32)
    torch.testing.assert_close(orthogonalise(stack), exact, atol=0.03, rtol=0.03)


def test_no_gradient_gives_no_direction():
    assert orthogonalise(torch.zeros(1, 8, 4)).eq(0).all()


def test_the_three_parts_of_qkv_are_made_orthogonal_each_by_itself():
    weight = torch.nn.Parameter(torch.zeros(96, 32))
    weight.grad = torch.cat([matrix(32, 32, seed=seed)[0] * 10.0**seed for seed in range(3)])
    Muon({"qkv.weight": weight}, lr=1.0, momentum=0.0, decay=0.0, split={"qkv.weight": 3}).step(1.0)
    for part, seed in zip(weight.detach().chunk(3), range(3), strict=True):
        sides = matrix(32, 32, seed=seed)[1]
        assert (-part * sides).sum() / (part.norm() * sides.norm()) > 0.97
        assert torch.linalg.svdvals(part).min() > 0.6


def test_momentum_looks_ahead():
    """Two steps by hand, from the definition: v = 0.9 v + 0.1 g, direction of 0.1 g + 0.9 v."""
    weight = torch.nn.Parameter(torch.zeros(4, 4))
    muon, velocity = Muon({"w": weight}, lr=0.5, momentum=0.9, decay=0.0), torch.zeros(4, 4)
    expected = torch.zeros(4, 4)
    for seed in (0, 1):
        weight.grad = matrix(4, 4, seed=seed)[0]
        velocity = 0.9 * velocity + 0.1 * weight.grad
        expected -= 0.5 * 0.2 * orthogonalise((0.1 * weight.grad + 0.9 * velocity)[None])[0]
        muon.step(0.2)
    torch.testing.assert_close(weight.detach(), expected, atol=2e-3, rtol=0)


def network_with_gradients(seed=0):
    torch.manual_seed(seed)
    network = Transformer(tiny.SPROUT)
    network.loss(torch.randint(tiny.PIECES, (2, 20))).backward()
    return network


def test_every_weight_is_stepped_by_one_half():
    network = network_with_gradients()
    before = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    optimiser = Optimiser(network, 0.02, 0.004)
    matrices, others = set(optimiser.muon.named), set(optimiser.others)
    assert matrices | others == set(before)
    assert not matrices & others
    assert "embedding.weight" in others
    assert {"blocks.0.attention.qkv.weight", "blocks.2.feed_forward.w2.weight"} <= matrices
    assert all(before[name].ndim == 1 for name in others - {"embedding.weight"})
    assert optimiser.muon.split == {f"blocks.{number}.attention.qkv.weight": 3 for number in range(3)}
    optimiser.step(1.0)
    unmoved = [name for name, weight in network.named_parameters() if weight.equal(before[name])]
    assert unmoved == []


def test_at_rate_zero_nothing_moves():
    network = network_with_gradients()
    before = {name: weight.detach().clone() for name, weight in network.named_parameters()}
    Optimiser(network, 0.02, 0.004).step(0.0)
    assert all(weight.equal(before[name]) for name, weight in network.named_parameters())


def test_the_embedding_shrinks_by_its_share_and_gains_never():
    trained, plain = network_with_gradients(), network_with_gradients()
    before = trained.embedding.weight.detach().clone()
    Optimiser(trained, 0.02, 0.004, other_decay=0.5).step(0.5)
    Optimiser(plain, 0.02, 0.004).step(0.5)
    expected = plain.embedding.weight - 0.004 * 0.5 * 0.5 * before
    torch.testing.assert_close(trained.embedding.weight, expected, atol=1e-7, rtol=0)
    for (name, weight), other in zip(trained.named_parameters(), plain.parameters(), strict=True):
        assert weight.equal(other) == (name != "embedding.weight"), name


def test_state_that_comes_back_goes_on_alike_and_is_nobody_else_s():
    one = network_with_gradients()
    first = Optimiser(one, 0.02, 0.004)
    first.step(1.0)
    two = network_with_gradients()
    two.load_state_dict(one.state_dict())
    second = Optimiser(two, 0.02, 0.004)
    second.restore(first.state())
    kept = {name: {k: v.clone() for k, v in state.items()} for name, state in first.state().items()}
    second.step(0.5)  # must not touch the first one's state
    for name, state in first.state().items():
        assert all(value.equal(kept[name][key]) for key, value in state.items()), name
    first.step(0.5)
    for (name, a), b in zip(one.named_parameters(), two.parameters(), strict=True):
        assert a.equal(b), name
