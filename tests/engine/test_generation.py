"""Writing on: every token is drawn from the scores of the text before it, within the limits that are set."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.generation import draw, generate, keep_likely
from engine.model import Transformer
from tests import tiny

COLD = (0, 0.0, 1e-3, 1e-7, 1e-30, 1e-45, 5e-324)


@pytest.fixture(scope="module")
def network():
    return tiny.sprout_network()


def some_ids(T, seed=0, B=1):
    return torch.randint(tiny.PIECES, (B, T), generator=torch.Generator().manual_seed(seed))


def written(network, ids, n, temperature=0.8, **options):
    """What a network of the Sprout family writes after ids (T,)."""
    scores = lambda ids: network(torch.tensor(ids)[None])[0]  # noqa: E731
    return generate(scores, ids, n, network.settings.context, temperature, **options)


@pytest.mark.parametrize("temperature", COLD)
def test_a_cold_model_takes_the_likeliest_token_each_time(network, temperature):
    ids = some_ids(5)[0]
    made = list(written(network, ids, 8, temperature=temperature))
    for new in made:
        assert new == network(ids[None])[0, -1].argmax().item()
        ids = torch.cat((ids, torch.tensor([new])))
    assert len(made) == 8


@pytest.mark.parametrize("options", [
    {"top_k": 1}, {"top_k": 0, "top_p": 0.0}, {"top_p": 0.0}, {"top_p": 1e-9, "temperature": 50.0},
])  # fmt: skip
def test_a_choice_of_one_is_greedy(network, options):
    greedy = list(written(network, some_ids(5)[0], 6, temperature=0))
    assert list(written(network, some_ids(5)[0], 6, **options)) == greedy


def test_it_stops_after_a_stop_token(network):
    whole = list(written(network, some_ids(5)[0], 10, temperature=0))
    at = next(i for i in range(1, 10) if whole[i] not in whole[:i])
    assert list(written(network, some_ids(5)[0], 10, temperature=0, stop={whole[at]})) == whole[: at + 1]
    assert list(written(network, some_ids(5)[0], 0)) == []


def test_the_window_slides_over_a_text_that_is_too_long(network):
    context = tiny.SPROUT.context
    long = some_ids(context + 20)[0]
    made = list(written(network, long, 3, temperature=0))
    assert made == list(written(network, long[-context:], 3, temperature=0))
    short = list(written(network, long[: context - 2], 6, temperature=0))  # grows beyond it on the way
    ids = torch.cat((long[: context - 2], torch.tensor(short[:-1])))
    assert short[-1] == network(ids[None, -context:])[0, -1].argmax().item()


def test_the_same_seed_gives_the_same_text(network):
    made = [
        list(
            written(
                network, some_ids(5)[0], 12, 1.5, top_p=1.0, generator=torch.Generator().manual_seed(seed)
            )
        )
        for seed in (1, 1, 2)
    ]
    assert made[0] == made[1] != made[2]
    assert all(type(i) is int for i in made[0])


def test_generating_builds_no_graph():
    network = Transformer(tiny.SPROUT)  # its weights ask for gradients
    seen = []
    handle = network.register_forward_hook(lambda _m, _i, made: seen.append(made.requires_grad))
    assert len(list(written(network, some_ids(3)[0], 2))) == 2
    handle.remove()
    assert seen == [False, False]


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_drawn_tokens_come_as_often_as_they_should(temperature):
    logits = torch.tensor([2.0, 1.0, 0.0, -1.0])
    generator = torch.Generator().manual_seed(0)
    n = 3000
    drawn = torch.cat([draw(logits, temperature, generator=generator) for _ in range(n)])
    p = (logits / temperature).softmax(-1)
    wanted, deviation = p * n, (p * (1 - p) * n).sqrt()
    assert ((drawn.bincount(minlength=4) - wanted).abs() < 4.5 * deviation).all()


def kept_of(logits, **limits):
    """The tokens that stay, checking that their scores do too and that nothing was overwritten."""
    before = logits.clone()
    kept = keep_likely(logits, **limits)
    assert logits.equal(before)
    stays = kept > -math.inf
    assert kept[stays].equal(logits[stays])
    return set(stays.nonzero().flatten().tolist())


SCORES = st.lists(st.integers(-300, 300), min_size=1, max_size=30, unique=True).map(
    lambda tenths: torch.tensor(tenths, dtype=torch.float32) / 10
)


@settings(deadline=None, max_examples=60)
@given(SCORES, st.integers(1, 40))
def test_top_k_keeps_the_k_likeliest(logits, k):
    likeliest = sorted(range(len(logits)), key=lambda i: -logits[i].item())[:k]
    assert kept_of(logits, top_k=k) == set(likeliest)


@settings(deadline=None, max_examples=100)
@given(SCORES, st.floats(0, 0.999))
def test_top_p_keeps_the_fewest_that_hold_the_share(logits, top_p):
    p = logits.double().softmax(-1)
    kept = kept_of(logits, top_p=top_p)
    assert sum(p[i] for i in kept) >= top_p - 1e-5
    assert len(kept) == 1 or sum(p[i] for i in kept) - min(p[i] for i in kept) < top_p + 1e-5
    assert all(logits[i] >= logits[j] for i in kept for j in range(len(logits)) if j not in kept)


def test_no_limit_keeps_every_token_however_unlikely():
    logits = torch.cat((torch.full((8000,), 5.0), torch.tensor([-80.0, -100.0])))
    for limits in ({}, {"top_k": None}, {"top_k": 0}, {"top_p": 1.0}, {"top_k": 9000}):
        assert len(kept_of(logits, **limits)) == 8002, limits


def test_top_p_is_a_share_of_what_top_k_left():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log()
    assert kept_of(logits, top_p=0.55) == {0, 1}
    assert kept_of(logits, top_k=2, top_p=0.55) == {0}  # 0.4 of 0.7 is more than 0.55


def test_of_equal_tokens_only_as_many_stay_as_asked():
    logits = torch.zeros(10)
    assert kept_of(logits, top_k=3) == {0, 1, 2}
    assert kept_of(logits, top_p=0.25) == {0, 1, 2}
    assert kept_of(torch.zeros(4), top_p=0.5) == {0, 1}  # two hold exactly the half
