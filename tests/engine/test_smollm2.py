"""A real checkpoint, SmolLM2-135M-Instruct from a GGUF file: what is known of it comes out."""

import numpy as np
import pytest
import torch

import engine
from engine import doctor, experiments, measures
from engine.families import Change
from tests import smollm2

TEXT = "The capital of France is"


@pytest.fixture(scope="module")
def model():
    smollm2.gguf_file()
    return smollm2.model()


@pytest.fixture(scope="module")
def seen(model):
    trace = engine.run(model, TEXT, model.extras)
    return trace, engine.logit_lens(model, trace)


def test_it_is_the_model_that_was_published(model):
    a = model.architecture
    assert model.stored == engine.count_parameters(a).total == 134_515_008
    assert (a.n_layer, a.n_head, a.kv_heads, a.d_model, a.vocab_size) == (30, 9, 3, 576, 49_152)
    assert (model.rope_base, round(model.epsilon, 9), model.window) == (100_000, 1e-5, 8192)


def test_it_knows_the_capital_of_france(model, seen):
    trace, lens = seen
    assert trace.pieces == ("The", "·capital", "·of", "·France", "·is")
    assert model.tokenizer.label(lens.ids[-1, -1, 0]) == "·Paris"
    assert lens.probabilities[-1, -1, 0] == pytest.approx(0.773, abs=0.005)


def test_the_answer_comes_up_in_the_last_two_of_thirty_blocks(model, seen):
    _, lens = seen
    paris = lens.ids[-1, -1, 0]
    top = lens.ids[:, -1, 0]
    assert top[30] == paris
    assert not (top[:30] == paris).any()
    among = [row for row in range(31) if paris in lens.ids[row, -1, :3]]
    assert among == [29, 30]


def test_its_pass_is_the_library_s_plain_pass(model, seen):
    trace, _ = seen
    with torch.inference_mode():
        plain = model.network(
            torch.tensor(trace.ids[None]), output_hidden_states=True, output_attentions=True
        )
    spread = float(plain.logits.std())
    assert np.abs(trace.logits - plain.logits[0].numpy()).max() < 1e-4 * spread
    streams = torch.stack(plain.hidden_states)[:-1, 0].numpy()
    assert np.abs(trace.streams[:-1] - streams).max() < 1e-4 * streams.std()
    assert np.abs(trace.attention - torch.stack(plain.attentions)[:, 0].numpy()).max() < 1e-5


def test_every_label_of_its_vocabulary_is_one_and_no_piece_is_lost(model):
    labels = [model.tokenizer.label(i) for i in range(len(model.tokenizer))]
    assert len(labels) == 49_152
    assert labels[1:3] == ["<|im_start|>", "<|im_end|>"]
    text = "Zoë's naïve café: 12 🙂 مرحبا\n\tdef f(x):\n"
    assert model.tokenizer.decode(model.tokenizer.encode(text)) == text


def test_a_typed_marker_is_text(model):
    assert 1 not in model.tokenizer.encode("<|im_start|>")
    assert model.tokenizer.encode("") == [1]


def test_what_is_silent_on_a_short_prompt_shows_in_the_loss(model):
    rows = [model.tokenizer.encode(text) for text in measures.own_plain()[:4]]
    usual = measures.nats_a_token(model, rows)[0]
    for change, least in ((Change("base", value=10_000.0), 0.01), (Change("neighbours"), 0.5)):
        assert measures.nats_a_token(model.changed(change), rows)[0] > usual + least
    assert 3.5 < usual < 5.0
    assert experiments.parts(model)


def test_the_doctor_finds_a_base_that_was_edited(model):
    """Declared 10,000 where it was trained with 100,000: no error, a little worse, and the silent kind."""
    texts = [row[:64] for row in doctor.rows(model)[:8]]
    declared = Change("base", value=10_000.0)

    def last(change):
        *_, (_, read) = doctor.reading(model, change, texts)
        return read

    trained, edited = last(None), last(declared)
    found = doctor.compare(Change("base", value=100_000.0), edited, trained)
    assert found.better
    assert 0.01 < -found.extra < 0.5
    assert not doctor.compare(declared, trained, edited).better
