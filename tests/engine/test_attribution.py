"""Who wrote a score: the parts sum to it, in every family, at every place, whatever the text is."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import attribution, heads
from engine.attribution import Question
from engine.errors import LacksError, ReaderError
from engine.families import Change
from tests import checkpoints, every_family, tiny

TEXT = "One day Zorbin Plax met Zorbin"
ODD = ("", " ", "‮abc\x00", "🙂" * 9, "$x$ <|end|> [a](b) <b>", "a " * 60, "!!! !!! !!!", "مرحبا")


@pytest.fixture(params=every_family.KINDS)
def model(request):
    return every_family.model(request.param)


def passed(model, text=TEXT):
    return engine.run(model, every_family.ids_of(model, text), attribution.keep(model))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(every_family.KINDS), st.one_of(st.sampled_from(ODD), st.text()), st.data())
def test_the_parts_sum_to_the_score_whatever_is_asked(kind, text, data):
    model = every_family.model(kind)
    trace, L = passed(model, text), model.architecture.n_layer
    token = st.integers(0, model.architecture.vocab_size - 1)
    asked = Question(
        data.draw(st.integers(0, len(trace.ids) - 1)),
        data.draw(st.integers(0, L)),
        data.draw(token),
        data.draw(st.none() | token),
    )
    found = attribution.direct(model, trace, asked)
    assert found.attention.shape == found.feed_forward.shape == (asked.row,)
    assert abs(found.total - found.score) < 1e-4


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(("gpt-1", "gpt-4", "sprout", "store")), st.one_of(st.sampled_from(ODD), st.text()))
def test_the_parts_of_a_trained_model_sum_to_its_score(name, text):
    model = engine.load(name)
    trace = passed(model, text)
    for against in (None, 5):
        asked = Question(
            len(trace.ids) - 1, model.architecture.n_layer, int(trace.logits[-1].argmax()), against
        )
        found = attribution.direct(model, trace, asked)
        assert abs(found.total - found.score) < 1e-4


def test_the_score_is_that_of_the_plain_pass(model):
    trace, L = passed(model), model.architecture.n_layer
    scores = model.logits(trace.ids)[3].astype(float)
    found = attribution.score(model, trace, Question(3, L, 8))
    assert found == pytest.approx(scores[8] - scores.mean(), abs=1e-4)
    assert attribution.score(model, trace, Question(3, L, 8, 9)) == pytest.approx(
        scores[8] - scores[9], abs=1e-4
    )


def test_a_row_within_is_what_the_lens_reads_there(model):
    trace = passed(model)
    scores = engine.lens.readout(model, trace.streams[1, 2:3])[0].astype(float)
    found = attribution.direct(model, trace, Question(2, 1, 8, 30))
    assert found.total == pytest.approx(scores[8] - scores[30], abs=1e-4)


def test_heads_and_units_sum_to_their_part_up_to_its_bias(model):
    trace, L = passed(model), model.architecture.n_layer
    found = attribution.direct(model, trace, Question(4, L, 8))
    m = getattr(model, "modules", None)
    attention = m and m.projection
    feed_forward = m and model._last_of_feed_forward
    np.testing.assert_allclose(found.attention_bias, biases(model, trace, found, attention), atol=1e-5)
    if model.family == "parallel":  # its last matrix is in no table
        assert found.feed_forward_bias is None
    else:
        np.testing.assert_allclose(
            found.feed_forward_bias, biases(model, trace, found, feed_forward), atol=1e-5
        )


def biases(model, trace, found, name):
    """What the biases of a module of each block write; 0 without one."""
    L = model.architecture.n_layer
    if name is None:
        return np.zeros(L)
    out, _ = attribution.output_direction(model, found.question)
    along = attribution.reading(model, trace.streams[L, 4]).direction(out)
    blocks = model.network.get_submodule(model.modules.blocks)
    found = [getattr(block.get_submodule(name), "bias", None) for block in blocks]
    return np.array([0 if bias is None else bias.numpy() @ along for bias in found])


def test_biases_are_parts_of_their_own():
    model = every_family.model("untied")
    asked = Question(4, 3, 8, 9)
    found = attribution.direct(model, passed(model), asked)
    head, norm = model.network.lm_head, model.network.transformer.ln_f
    assert found.output_bias == pytest.approx(float(head.bias[8] - head.bias[9]), abs=1e-5)
    assert found.norm_bias == pytest.approx(float(norm.bias @ (head.weight[8] - head.weight[9])), abs=1e-5)
    assert abs(found.norm_bias) > 0.01
    assert np.abs(found.attention_bias).min() > 1e-4
    for kind in ("sprout", "store"):
        plain = attribution.direct(every_family.model(kind), passed(every_family.model(kind)), asked)
        assert (plain.norm_bias, plain.output_bias) == (0, 0)


def test_a_reading_is_the_norm_of_the_pass(model):
    stream = passed(model).streams[2]
    for x in (stream[1], stream[-1], 1000 * stream[2]):
        how = attribution.reading(model, x)
        assert how.centred == (model.architecture.norm == "layer")
        np.testing.assert_allclose(how.normed(x) + how.offset, model.normed(x[None])[0], rtol=1e-4, atol=1e-4)


def test_what_a_head_adds_is_what_zeroing_it_takes_away(model):
    trace, block, head = passed(model), 1, model.architecture.n_head - 1
    without = engine.run(model.changed(Change("head", block, head)), trace.ids)
    own = attribution.added(model, trace, 4, "attention", block, head)
    expected = trace.attention_added[block, 4] - without.attention_added[block, 4]
    np.testing.assert_allclose(own, expected, atol=1e-4)
    np.testing.assert_allclose(heads.added(model, trace.ids, block)[head, 4], expected, atol=1e-4)


def test_a_part_s_addition_is_that_of_the_trace(model):
    trace = passed(model)
    for part, kept in (("attention", trace.attention_added), ("feed-forward", trace.feed_forward_added)):
        np.testing.assert_array_equal(attribution.added(model, trace, 3, part, 2), kept[2, 3])
    if trace.units is not None:
        units = [
            attribution.added(model, trace, 3, "feed-forward", 2, u) for u in range(trace.units.shape[-1])
        ]
        if model.runs_in == "PyTorch":
            block = model.network.get_submodule(model.modules.blocks)[2]
            bias = getattr(block.get_submodule(model._last_of_feed_forward), "bias", None)
        bias = 0 if model.runs_in != "PyTorch" or bias is None else bias.numpy()
        np.testing.assert_allclose(np.sum(units, 0) + bias, trace.feed_forward_added[2, 3], atol=1e-4)


def test_what_the_parts_say_of_every_token_sums_to_all_scores(model):
    trace, L, t = passed(model), model.architecture.n_layer, 5
    said = attribution.says(model, trace, L, t, trace.streams[L, t])
    how, bias = attribution.reading(model, trace.streams[L, t]), model.output_bias
    rest = how.offset @ model.directions.T + (0 if bias is None else bias)
    scores = trace.logits[t].astype(float)
    np.testing.assert_allclose(said + rest - rest.mean(), scores - scores.mean(), atol=1e-4)


def test_an_untold_units_model_is_told_by_its_layers():
    model = every_family.model("parallel")
    found = attribution.direct(model, passed(model), Question(2, 2, 8))
    assert found.units is None
    assert found.feed_forward.shape == (2,)


@pytest.mark.parametrize(
    "asked",
    [Question(99, 1, 1), Question(-1, 1, 1), Question(1, 9, 1), Question(1, 1, 10**6), Question(1, 1, 1, -1)],
)
def test_what_is_not_there_is_said(model, asked):
    with pytest.raises(ReaderError, match=r"\.$"):
        attribution.direct(model, passed(model), asked)


def test_a_norm_of_another_kind_is_refused():
    class Odd(type(tiny.model("store"))):
        def normed(self, x):
            return np.tanh(x)

    model = tiny.model("store")
    odd = Odd(**{name: getattr(model, name) for name in model.__dataclass_fields__})
    with pytest.raises(LacksError, match=r"does not scale a vector as a whole\.$"):
        attribution.direct(odd, passed(model), Question(1, 2, 8))


def test_a_stream_that_is_no_sum_is_refused():
    model = tiny.model("sprout").changed(Change("norms-after"))
    with pytest.raises(LacksError, match=r"does not sum to its stream\.$"):
        attribution.direct(model, passed(model), Question(1, 2, 8))


def test_in_half_the_bits_the_parts_sum_as_far_as_the_bits_go():
    model = checkpoints.opened("qwen3", "bfloat16")
    found = attribution.direct(model, passed(model), Question(4, 3, 8, 9))
    assert abs(found.total - found.score) < 0.03 * np.ptp(passed(model).logits[4])


def test_a_gap_is_a_ratio_of_probabilities(model):
    trace, L = passed(model), model.architecture.n_layer
    gap = attribution.direct(model, trace, Question(3, L, 8, 30)).total
    p = torch.tensor(trace.logits[3].tolist()).double().softmax(-1)
    assert np.exp(gap) == pytest.approx(float(p[8] / p[30]), rel=1e-3)
