"""Attention in blocks gives what torch's own gives, forward and backward, also inside a compiled model."""

import shutil

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from engine.model import Transformer
from tests import tiny
from training.attention import InBlocks, attend


def drawn(T, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(2, 3, T, 16, generator=generator).requires_grad_() for _ in range(3)]


@pytest.mark.parametrize("T", [1, 7, 8, 9, 20])
def test_attention_in_blocks_is_attention(T):
    mine, theirs = drawn(T), drawn(T)
    ours = attend(*mine, block=8)
    whole = scaled_dot_product_attention(*theirs, is_causal=True)
    torch.testing.assert_close(ours, whole, atol=1e-6, rtol=1e-5)
    weights = torch.linspace(-1, 1, ours.numel()).view_as(ours)
    (ours * weights).sum().backward()
    (whole * weights).sum().backward()
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad, atol=1e-5, rtol=1e-5)


def test_no_query_sees_what_comes_later():
    q, k, v = drawn(20)
    before = attend(q, k, v, block=8)
    k.data[..., 13:, :], v.data[..., 13:, :] = 99, 99
    assert attend(q, k, v, block=8)[..., :13, :].equal(before[..., :13, :])


def test_half_precision_stays_and_softmax_is_not_made_in_it():
    q, k, v = (part.detach().bfloat16() for part in drawn(20))
    ours = attend(q, k, v, block=8)
    assert ours.dtype == torch.bfloat16
    exact = scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True)
    assert (ours.double() - exact).abs().max() < 0.03


def test_a_model_goes_through_it_only_while_it_is_active(monkeypatch):
    calls = []

    def counted(q, k, v):
        calls.append(q.shape)
        return attend(q, k, v)

    monkeypatch.setattr("training.attention.attend", counted)
    model = Transformer(tiny.SPROUT)
    ids = torch.arange(40)[None] % tiny.PIECES
    with InBlocks():
        inside = model(ids)
    assert len(calls) == tiny.SPROUT.n_layer
    outside = model(ids)
    assert len(calls) == tiny.SPROUT.n_layer
    torch.testing.assert_close(inside, outside, atol=1e-5, rtol=1e-5)


def test_any_other_attention_is_left_to_torch(monkeypatch):
    monkeypatch.setattr("training.attention.attend", lambda *_: pytest.fail("not asked for"))
    q, k, v = drawn(9)
    with InBlocks():
        scaled_dot_product_attention(q, k, v)
        scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5)


@pytest.mark.filterwarnings("ignore")  # the compiler's own
@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
def test_compiled_it_is_the_same():
    model = Transformer(tiny.SPROUT)
    ids = torch.arange(40)[None] % tiny.PIECES
    plain = model(ids)
    with InBlocks():
        compiled = torch.compile(model)(ids)
    torch.testing.assert_close(compiled, plain, atol=1e-5, rtol=1e-5)
