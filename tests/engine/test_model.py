"""The Sprout family: known answers of every part, and what must hold for any weights."""

import math

import numpy as np
import pytest
import torch

from engine import model as model_file
from engine import presets
from engine.model import Attention, FeedForward, RMSNorm, Settings, Transformer
from tests import tiny


@pytest.fixture(scope="module")
def network():
    return tiny.sprout_network()


def some_ids(T, seed=0, B=1):
    return torch.randint(tiny.PIECES, (B, T), generator=torch.Generator().manual_seed(seed))


def on_paper(settings):
    """A network whose weights exist by shape only."""
    with torch.device("meta"):
        return Transformer(settings)


# RMSNorm


def test_rms_norm_divides_by_the_root_mean_square():
    norm = RMSNorm(2)
    norm.gain.data = torch.tensor([1.0, 10.0])
    expected = torch.tensor([3 / math.sqrt(12.5), 40 / math.sqrt(12.5)])
    torch.testing.assert_close(norm(torch.tensor([3.0, 4.0])), expected)


def test_rms_norm_is_the_library_s():
    x = torch.randn(5, 7, 32, generator=torch.Generator().manual_seed(1)) * 20
    norm = RMSNorm(32)
    norm.gain.data.uniform_(0.5, 2)
    expected = torch.nn.functional.rms_norm(x, (32,), norm.gain, 1e-6)
    torch.testing.assert_close(norm(x), expected, atol=1e-5, rtol=1e-5)


def test_rms_norm_survives_numbers_whose_squares_do_not_fit_in_half_precision():
    made = RMSNorm(8)(torch.full((8,), 60_000.0, dtype=torch.float16))
    torch.testing.assert_close(made.float(), torch.ones(8), atol=1e-3, rtol=0)


def test_rms_norm_of_nothing_is_nothing():
    assert RMSNorm(8)(torch.zeros(8)).eq(0).all()


# RoPE


def test_a_pair_turns_by_its_position_times_its_speed():
    cos, sin = model_file.rope_tables(8, 4, 100.0)  # speeds 1 and 100^(-1/2) = 0.1
    x = torch.tensor([1.0, 0.0, 0.0, 2.0]).expand(8, 4)
    turned = model_file.rotate(x, cos, sin)
    for m in (0, 1, 7):
        expected = [math.cos(m), -2 * math.sin(0.1 * m), math.sin(m), 2 * math.cos(0.1 * m)]
        assert turned[m].tolist() == pytest.approx(expected, abs=1e-6)


def test_rotation_is_multiplication_by_a_complex_number():
    x = np.random.default_rng(0).standard_normal((3, 40, 64)).astype(np.float32)
    turn = np.exp(1j * np.outer(np.arange(40), 10_000.0 ** (-np.arange(32) / 32)))
    pairs = (x[..., :32] + 1j * x[..., 32:]) * turn
    found = model_file.rotate(torch.from_numpy(x), *model_file.rope_tables(40, 64, 10_000.0))
    np.testing.assert_allclose(found, np.concatenate((pairs.real, pairs.imag), -1), atol=2e-5)


def test_the_scores_that_the_facts_quote():
    rng = np.random.default_rng(2026)
    q, k = (torch.tensor(rng.normal(0, 1, 32), dtype=torch.float32).expand(20, 32) for _ in range(2))
    tables = model_file.rope_tables(20, 32, 10_000.0)
    scores = model_file.rotate(q, *tables) @ model_file.rotate(k, *tables).T / math.sqrt(32)
    assert scores[5, 2].item() == pytest.approx(0.217, abs=5e-4)
    assert scores[15, 12].item() == pytest.approx(0.217, abs=5e-4)
    assert scores[8, 2].item() == pytest.approx(-0.765, abs=5e-4)


def test_rotation_keeps_lengths():
    x = torch.randn(40, 64, generator=torch.Generator().manual_seed(2))
    turned = model_file.rotate(x, *model_file.rope_tables(40, 64, 10_000.0))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))


# attention and the feed-forward layer


def test_attention_is_what_its_formula_says():
    """Written out with loops, in float64."""
    net = tiny.loud(Attention(tiny.SPROUT), seed=3)
    T, H, d = 11, 2, 32
    D = d // H
    x = np.random.default_rng(3).standard_normal((T, d))
    found = net(torch.tensor(x[None], dtype=torch.float32), *model_file.rope_tables(T, D, 10_000.0))[0]
    qkv = x @ net.qkv.weight.double().numpy().T
    expected = np.zeros((T, d))
    for h in range(H):
        q, k, v = (qkv[:, part * d + h * D : part * d + (h + 1) * D] for part in range(3))
        heard = []
        for t in range(T):
            scores = []
            for s in range(t + 1):
                sides = []
                for vector, gain, position in ((q[t], net.q_norm.gain, t), (k[s], net.k_norm.gain, s)):
                    vector = vector / np.sqrt((vector**2).mean() + 1e-6) * gain.double().numpy()
                    pair = vector[: D // 2] + 1j * vector[D // 2 :]
                    sides.append(pair * np.exp(1j * position * 10_000.0 ** (-2 * np.arange(D // 2) / D)))
                scores.append((sides[0] * sides[1].conj()).real.sum() / np.sqrt(D))
            weights = np.exp(scores) / np.exp(scores).sum()
            heard.append(weights @ v[: t + 1])
        expected[:, h * D : (h + 1) * D] = heard
    expected = expected @ net.proj.weight.double().numpy().T
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_values_are_not_turned():
    """With no queries and keys all weights are equal: what is gathered is a plain mean, wherever."""
    net = tiny.loud(Attention(tiny.SPROUT), seed=4)
    net.qkv.weight[:64] = 0
    x = torch.randn(1, 9, 32, generator=torch.Generator().manual_seed(4))
    values = x[0] @ net.qkv.weight[64:].T
    means = values.cumsum(0) / torch.arange(1, 10)[:, None]
    found = net(x, *model_file.rope_tables(9, 16, 10_000.0))[0]
    torch.testing.assert_close(found, means @ net.proj.weight.T, atol=1e-5, rtol=1e-5)


def test_the_feed_forward_layer_is_what_its_formula_says():
    net = tiny.loud(FeedForward(tiny.SPROUT), seed=5)
    x = np.random.default_rng(5).standard_normal((6, 32))
    w1, w2, w3 = (layer.weight.double().numpy().T for layer in (net.w1, net.w2, net.w3))
    a = x @ w1
    expected = (a / (1 + np.exp(-a)) * (x @ w3)) @ w2
    np.testing.assert_allclose(net(torch.tensor(x, dtype=torch.float32)), expected, atol=1e-4)


# the whole model


@pytest.mark.parametrize("changed", [1, 10, 29])
def test_no_token_sees_the_future(network, changed):
    ids = some_ids(30)
    other = ids.clone()
    other[0, changed] = (ids[0, changed] + 1) % tiny.PIECES
    before, after = network(ids)[0], network(other)[0]
    torch.testing.assert_close(before[:changed], after[:changed], atol=1e-5, rtol=0)
    moved = (before - after).abs().amax(-1) > 1e-3
    assert moved[changed:].all()  # and every later token does see the change


def test_the_slope_with_respect_to_the_future_is_exactly_zero(network):
    seen = []
    handle = network.embedding.register_forward_hook(
        lambda _m, _i, made: seen.append(made.detach().requires_grad_()) or seen[0]
    )
    try:
        network(some_ids(20))[0, 7].square().sum().backward()
    finally:
        handle.remove()
    lengths = seen[0].grad[0].norm(dim=-1)
    assert lengths[:8].gt(0).all()
    assert lengths[8:].eq(0).all()


def test_texts_of_a_batch_do_not_touch_each_other(network):
    ids = some_ids(20, B=3)
    torch.testing.assert_close(network(ids)[1:2], network(ids[1:2]), atol=1e-4, rtol=1e-5)


def test_the_first_and_the_last_matrix_are_one():
    network = Transformer(tiny.SPROUT)
    assert network.output.weight is network.embedding.weight
    loss = network.loss(some_ids(12))
    loss.backward()
    torch.optim.SGD(network.parameters(), lr=1.0).step()
    assert network.output.weight is network.embedding.weight
    assert (
        sum(name.endswith(("embedding.weight", "output.weight")) for name, _ in network.named_parameters())
        == 1
    )


@pytest.mark.parametrize(("name", "total"), [("sprout", 17_309_056), ("gpt-1", 1_311_168)])
def test_the_number_of_parameters(name, total):
    network = on_paper(Settings(**presets.FAMILY[name]))
    assert sum(weight.numel() for weight in network.parameters()) == total


def test_the_embedding_is_80_percent_of_gpt_1():
    network = on_paper(Settings(**presets.FAMILY["gpt-1"]))
    share = network.embedding.weight.numel() / sum(weight.numel() for weight in network.parameters())
    assert f"{share:.1%}" == "80.0%"


def test_the_defaults_are_sprout_s():
    assert Settings() == Settings(**presets.FAMILY["sprout"])


@pytest.mark.parametrize("L", [1, 2, 8])
def test_what_a_block_adds_starts_out_smaller_by_the_root_of_2L(L):
    torch.manual_seed(0)
    shape = Settings(vocab_size=1000, context=8, n_layer=L, n_head=2, d_model=128, d_ff=256)
    for name, weight in Transformer(shape).named_parameters():
        if weight.ndim == 1:
            assert weight.eq(1).all(), name
            continue
        adds = name.endswith(("proj.weight", "w2.weight"))
        expected = 0.02 / math.sqrt(2 * L) if adds else 0.02
        assert weight.std().item() == pytest.approx(expected, rel=0.03), name
        assert abs(weight.mean().item()) < 0.001, name


def test_a_new_model_is_as_unsure_as_it_can_be():
    torch.manual_seed(0)
    loss = Transformer(tiny.SPROUT).loss(some_ids(40, B=4)).item()
    assert loss == pytest.approx(math.log(tiny.PIECES), abs=0.05)


# the loss


def test_the_loss_is_the_mean_surprise(network):
    ids = some_ids(15, B=2)
    p = network(ids).double().softmax(-1)
    nats = [[-math.log(p[b, t, ids[b, t + 1]]) for t in range(14)] for b in range(2)]
    np.testing.assert_allclose(network.surprise(ids), nats, rtol=1e-4)
    assert network.loss(ids).item() == pytest.approx(np.mean(nats), rel=1e-5)
