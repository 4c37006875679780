"""The loss in pieces is PyTorch's own cross-entropy, and so are its gradients."""

import shutil

import pytest
import torch
from torch.nn.functional import cross_entropy

from engine.model import Transformer
from tests import tiny
from training.output_loss import tied_loss

N, D, V = 37, 24, 300


def draw(dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(N, D, generator=generator).to(dtype).requires_grad_()
    weight = torch.randn(V, D, generator=generator).requires_grad_()
    target = torch.randint(V, (N,), generator=generator)
    scale = torch.rand(N, generator=generator) * (torch.arange(N) % 4 > 0)  # some do not count
    return hidden, weight, target, scale


def plain(hidden, weight, target, scale):
    return (cross_entropy(hidden.float() @ weight.T, target, reduction="none") * scale).sum()


def both(chunk, dtype=torch.float32, upstream=1.0, compiled=False):
    """(loss, slope of hidden, slope of weight) made in pieces, and by PyTorch."""
    for loss in (lambda *a: tied_loss(*a, chunk=chunk, compiled=compiled), plain):
        hidden, weight, target, scale = draw(dtype)
        made = loss(hidden, weight, target, scale)
        (made * upstream).backward()
        assert hidden.grad.dtype == dtype
        yield made.detach(), hidden.grad.float(), weight.grad


@pytest.mark.parametrize("chunk", [1, 16, 37, 1024])
def test_value_and_gradients_are_pytorch_s(chunk):
    mine, theirs = both(chunk)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_gradients_grow_with_what_comes_from_above():
    mine, theirs = both(16, upstream=-3.0)
    torch.testing.assert_close(mine[1], theirs[1], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(mine[2], theirs[2], atol=1e-5, rtol=1e-5)


def test_in_bfloat16_they_are_near():
    mine, theirs = both(16, dtype=torch.bfloat16)
    for a, b in zip(mine, theirs, strict=True):
        assert ((a - b).norm() / b.norm()).item() < 0.02


@pytest.mark.training
@pytest.mark.filterwarnings("ignore")  # the compiler's own
@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
def test_compiled_it_is_the_same():
    mine, theirs = both(37, compiled=True)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_numbers_far_apart_do_not_overflow():
    hidden = torch.tensor([[200.0], [-200.0]], requires_grad=True)
    weight = torch.tensor([[5.0], [-5.0]], requires_grad=True)
    loss = tied_loss(hidden, weight, torch.tensor([1, 1]), torch.ones(2), compiled=False)
    loss.backward()
    assert loss.item() == pytest.approx(2000)
    assert torch.isfinite(hidden.grad).all()
    assert torch.isfinite(weight.grad).all()


def test_it_is_the_loss_of_the_file_on_display():
    torch.manual_seed(0)
    model = Transformer(tiny.SPROUT)
    ids = torch.randint(tiny.PIECES, (3, 20))
    loss = model.loss(ids)
    loss.backward()
    wanted = {name: weight.grad.clone() for name, weight in model.named_parameters()}
    model.zero_grad()
    hidden = model.stream(ids[:, :-1]).flatten(0, 1)
    target, scale = ids[:, 1:].flatten(), torch.full((57,), 1 / 57)
    mine = tied_loss(hidden, model.embedding.weight, target, scale, compiled=False)
    mine.backward()
    torch.testing.assert_close(mine, loss)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(weight.grad, wanted[name], atol=1e-6, rtol=1e-4)
