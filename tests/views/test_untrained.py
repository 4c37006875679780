"""What is said of a model before its training holds for any measurement, and the measurement is right."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine import untrained
from engine.lens import row_names
from tests import tiny
from tests.views.claims import share, stated
from views import untrained as untrained_view

SHARE, NATS = st.floats(0, 1), st.floats(0.001, 30)
MEASURED = st.builds(
    lambda rows, nats, apart: untrained.Measured(*np.array(rows).T, nats, apart),
    st.lists(st.tuples(SHARE, SHARE, SHARE), min_size=3, max_size=3),
    NATS,
    NATS,
)


@given(MEASURED, MEASURED, st.integers(2, 9999))
def test_what_is_said_of_the_start_is_what_was_measured(start, trained, vocabulary):
    loss, own, apart, *near = untrained_view.sentences(start, trained, vocabulary, 3)
    wanted = [start.nats, vocabulary, math.log(vocabulary), trained.nats, 3]
    pattern = "is {} nats a token, where even guessing among {} tokens costs {}; after it, {} "
    assert stated(pattern + "(before: the mean of {} start", loss) == pytest.approx(wanted, abs=0.006)
    low, high = share(own.removeprefix("In ").partition(" of the columns")[0])
    assert low <= start.echoes[-1] <= high
    assert ("where it came from" in own) == (start.echoes[-1] > 0.5)
    assert stated("lies {} nats", apart) == pytest.approx([start.apart], rel=0.01)
    assert stated("after training, {}.", apart) == pytest.approx([trained.apart], rel=0.01)
    assert bool(near) == (start.apart < untrained_view.NEAR * trained.apart)
    assert untrained_view.rows_table(start, trained, row_names(2)).count("<tr") == 4


def test_a_start_is_the_model_s_own_initialisation_and_seeds_repeat_it():
    model = tiny.model("sprout")
    one, again, other = (model.at_start(seed).network.state_dict() for seed in (0, 0, 1))
    assert all((one[name] == again[name]).all() for name in one)
    assert any((one[name] != other[name]).any() for name in one)
    L = model.architecture.n_layer
    assert float(one["embedding.weight"].std()) == pytest.approx(0.02, rel=0.1)
    deep = float(one["blocks.0.feed_forward.w2.weight"].std())
    assert deep == pytest.approx(0.02 / math.sqrt(2 * L), rel=0.1)


def test_what_a_token_gives_alone_is_a_pass_over_it_alone():
    model = tiny.model("sprout")
    ids = model.tokenizer.encode("The moon was bright.")
    trace = engine.run(model, ids)
    expected = []
    for t, token in enumerate(ids[1:], start=1):
        alone = engine.run(model, [token]).logits[0].astype(np.float64)
        p, q = (
            np.exp(x - x.max()) / np.exp(x - x.max()).sum() for x in (trace.logits[t].astype(float), alone)
        )
        expected.append((p * (np.log(p) - np.log(q))).sum())
    np.testing.assert_allclose(untrained.from_alone(model, trace), expected, rtol=1e-3, atol=1e-6)


def test_a_start_is_nearer_to_a_bigram_model_than_the_trained_one():
    model = engine.load("gpt-4")
    ids = model.tokenizer.encode("Once upon a time there was a little girl who had a red ball.")
    start, trained = untrained.before_training(model, ids), untrained.measure(model, ids)
    assert start.apart < untrained_view.NEAR * trained.apart
    assert start.echoes[-1] > 0.9 > trained.echoes[-1]
    assert start.nats == pytest.approx(math.log(model.architecture.vocab_size), abs=0.5)


def test_a_single_token_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match="type some text"):
        untrained.measure(tiny.model("sprout"), [0])
