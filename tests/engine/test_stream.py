"""The stream's measurements equal a plain calculation on the model's own numbers."""

import math

import numpy as np
import pytest

import engine
from engine import store, stream


@pytest.fixture(scope="module", params=["gpt-1", "store"])
def trace(request):
    return engine.run(engine.load(request.param), "A red bag\nfor the dog and the red ball")


def length(vector):
    return math.sqrt(sum(float(x) ** 2 for x in vector))


def test_lengths_and_sizes_are_those_of_a_loop(trace):
    found = stream.measure(trace)
    T, d = trace.streams.shape[1:]
    for row, vectors in enumerate(trace.streams):
        assert found.length[row] == pytest.approx(sum(map(length, vectors)) / T)
        assert found.rms[row] == pytest.approx(sum(map(length, vectors)) / T / math.sqrt(d))
        text, token, dimension = found.place[row]
        assert text == 0
        assert abs(vectors[token][dimension]) == pytest.approx(found.largest[row])
        assert found.largest[row] == pytest.approx(max(abs(float(x)) for v in vectors for x in v))
        assert found.held[row].sum() == T
    for block in range(len(trace.attention_added)):
        ours = found.attention_added[block], found.feed_forward_added[block]
        both = trace.attention_added[block], trace.feed_forward_added[block]
        assert ours == pytest.approx([sum(map(length, added)) / T for added in both])
        cosines = [
            sum(float(a) * float(b) for a, b in zip(x, y, strict=True)) / length(x) / length(y)
            for x, y in zip(trace.streams[block], trace.streams[block + 1], strict=True)
        ]
        assert found.cosine[block] == pytest.approx(sum(cosines) / T)


def test_the_stores_lengths_are_those_of_its_own_pass():
    model = engine.load("store")
    trace = engine.run(model, "A red bag\nwith two pockets")
    streams, _ = store.run(trace.ids, model.network, model.settings)
    np.testing.assert_allclose(
        stream.measure(trace).length, np.linalg.norm(streams, axis=-1).mean(-1), rtol=1e-4
    )


def test_two_texts_together_are_all_their_tokens():
    model = engine.load("gpt-1")
    traces = [engine.run(model, text) for text in ("A dog", "The red ball was in the park, and the dog ran.")]
    both = stream.together([stream.measure(one) for one in traces])
    everything = np.concatenate([one.streams for one in traces], axis=1)
    assert both.tokens == everything.shape[1]
    np.testing.assert_allclose(both.length, np.linalg.norm(everything, axis=-1).mean(-1), rtol=1e-5)
    np.testing.assert_allclose(both.largest, np.abs(everything).max((1, 2)), rtol=1e-6)
    assert (both.held.sum(-1) == both.tokens).all()
    for row, (text, token, dimension) in enumerate(both.place):
        assert abs(traces[text].streams[row, token, dimension]) == pytest.approx(both.largest[row])


def test_one_text_together_is_itself(trace):
    alone = stream.measure(trace)
    again = stream.together([alone])
    for name in ("length", "rms", "cosine", "largest", "place", "held", "attention_added"):
        np.testing.assert_allclose(getattr(again, name), getattr(alone, name))


def test_float16_holds_its_largest_number_and_no_larger_one():
    assert np.isfinite(np.float16(stream.FLOAT16_LARGEST))
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(stream.FLOAT16_LARGEST + 16))
