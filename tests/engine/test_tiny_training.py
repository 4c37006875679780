"""A tiny model in training: what it reads, what it is asked, and that it learns."""

import numpy as np
import pytest
import torch

import engine
from engine import tiny_training as tiny
from engine.tokenizer import MARKER

SMALL = tiny.Choices(width=32, heads=2, longest=12, steps=100)


def test_a_text_is_the_marker_and_random_pieces_twice():
    ids = tiny.repeated(50, 9, torch.Generator().manual_seed(0))
    assert ids.shape == (50, 19)
    assert ids[:, 0].eq(0).all()
    assert ids[:, 1:10].equal(ids[:, 10:])
    assert set(ids[:, 1:].flatten().tolist()) <= set(tiny.PIECES)
    assert len(set(map(tuple, ids[:, 1:10].tolist()))) == 50


def test_the_pieces_are_letters_of_the_tokenizer():
    tokenizer = tiny.tokenizer()
    assert tokenizer.encode(tiny.LETTERS) == [0, *tiny.PIECES]
    assert (tokenizer.marker_id, tokenizer.end_id, len(tokenizer)) == (0, 0, 65)
    assert tokenizer.decode(tokenizer.encode("AbC9+")) == "AbC9+"
    for text in ("", "AbC AbC", "naïve 😀 \x00 שלום <|end|>", MARKER):  # any other byte is read as "="
        read = tokenizer.encode(text, start=False)
        assert len(read) == len(text.encode())
        assert set(read) <= set(tiny.PIECES)


def test_the_same_choices_train_the_same_model_whatever_else_draws():
    first = [loss for (step, loss, _), _ in zip(tiny.learn(SMALL), range(3), strict=False)]
    torch.manual_seed(5)
    state = torch.get_rng_state()
    again = [loss for (step, loss, _), _ in zip(tiny.learn(SMALL), range(3), strict=False)]
    assert first == again
    assert torch.get_rng_state().equal(state)


def test_looking_changes_nothing():
    looked = {look.step: network for look, network in tiny.looks(SMALL)}
    *_, (step, _, plain) = tiny.learn(SMALL)
    assert sorted(looked) == [*range(0, 101, tiny.LOOK_EVERY)]
    assert step == SMALL.steps
    for name, weight in plain.named_parameters():
        assert weight.equal(looked[100].get_parameter(name)), name


def test_a_model_learns_what_its_texts_are_made_of():
    run = [look for look, _ in tiny.looks(SMALL)]
    assert 4.0 < run[0].loss < 4.5  # 65 pieces alike: 4.17
    assert run[-1].loss < run[0].loss - 0.05
    assert all(0 <= look.copied <= 1 for look in run)
    assert run[0].previous.shape == (SMALL.blocks, SMALL.heads)


def test_a_model_that_copies_by_construction_is_measured_so():
    """A network that always gives the piece that followed 12 places before."""

    class Copier(torch.nn.Module):
        settings = tiny.new_model(SMALL).settings

        def forward(self, ids):
            shown = torch.roll(ids, tiny_half - 1, dims=1)
            return 50.0 * torch.nn.functional.one_hot(shown, 65).float()

    tiny_half = 12
    test = tiny.repeated(4, tiny_half, torch.Generator().manual_seed(1))
    given = Copier()(test[:, :-1])[:, tiny_half + 1 :]
    assert given.argmax(-1).equal(test[:, tiny_half + 2 :])
    assert tiny.copied(Copier(), test) == pytest.approx(1.0)


def test_a_reader_who_leaves_between_two_looks_leaves_no_setting_behind():
    running = tiny.looks(SMALL)
    for _ in range(2):
        next(running)
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
    running.close()


def test_models_race_look_by_look():
    wanted = {"2 blocks": SMALL, "1 block": tiny.Choices(1, 2, 32, 12, steps=100)}
    order = [(title, look.step) for title, look, _ in tiny.race(wanted)]
    assert order[:4] == [("2 blocks", 0), ("1 block", 0), ("2 blocks", 20), ("1 block", 20)]
    assert order[-2:] == [("2 blocks", 100), ("1 block", 100)]


def test_what_was_trained_is_a_model_like_any_other():
    *_, (_, _, network) = tiny.learn(tiny.Choices(width=16, heads=1, longest=10, steps=100))
    model = tiny.as_model(network)
    trace = engine.run(model, "AbCdAbCd", ("attention",))
    assert engine.logit_lens(model, trace, k=3).ids.shape == (3, 9, 3)
    np.testing.assert_allclose(trace.attention.sum(-1), 1, rtol=1e-5)


@pytest.mark.parametrize("name", list(tiny.BOUNDS))
def test_choices_beyond_the_bounds_are_refused(name):
    low, high = tiny.BOUNDS[name]
    for value in (low - 1, high + 1, float("nan")):
        with pytest.raises(ValueError, match="is not possible here"):
            tiny.Choices(**{name: value})


def test_a_width_that_heads_can_t_share_is_refused():
    with pytest.raises(ValueError, match="multiple of 8"):
        tiny.Choices(width=60, heads=4)
