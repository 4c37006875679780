"""The residual-stream page, driven without a browser."""

from functools import partial

import numpy as np
import pytest

import engine
from engine import measures, stream, weights
from tests.pages import reader
from views.numbers import figure

opened = partial(reader.sound, page="stream")


def said(at):
    return " ".join(one.value for one in [*at.markdown, *at.caption])


@pytest.mark.parametrize("idea", ["added", "numbers", "direction"])
@pytest.mark.parametrize("model", ["gpt-1", "store"])
def test_every_idea_says_what_to_notice(root, idea, model):
    assert "What to notice" in said(opened(root, stream=idea, model=model))


def test_the_average_is_over_all_tokens_of_all_held_out_texts(root):
    at = opened(root, model="gpt-1", held="1")
    rows = measures.own_rows(engine.load("gpt-1"))
    assert f"over {sum(map(len, rows)):,} tokens of our 40 stories" in said(at)


def test_the_sentence_holds_the_measured_length(root):
    at = opened(root, model="store", product="own", own_product="A bag\nfor you")
    model = engine.load("store")
    trace = engine.run(model, "A bag\nfor you")
    entering = float(np.linalg.norm(trace.streams[0], axis=-1).mean())
    assert stream.measure(trace).length[0] == pytest.approx(entering)
    assert f"enters with a length of {figure(entering)} and" in said(at)


@pytest.mark.parametrize("held", ["0", "1"])
def test_all_models_are_compared_on_the_same_measures(root, held):
    at = opened(
        root, stream="models", held=held, text="own", own="A dog.", product="own", own_product="A bag"
    )
    table = at.table[0].value
    here = weights.available()
    assert list(table["model"]) == [engine.load(name).title for name in here]
    for name, shown in zip(here, table["length"], strict=True):
        model = engine.load(name)
        rows = [model.tokenizer.encode("A bag" if name == "store" else "A dog.")]
        if held == "1":
            rows = measures.own_rows(model)
        lengths = [np.linalg.norm(engine.run(model, row).streams, axis=-1) for row in rows]
        first, last = np.concatenate(lengths, axis=-1).mean(-1)[[0, -1]]
        assert shown == f"{figure(float(first))} → {figure(float(last))}"
        assert f"{sum(map(len, rows)):,}" in said(at)
    assert "What to notice" in said(at)
    at.selectbox(key="control.side").set_value("cosine").run()
    assert not at.exception


@pytest.mark.parametrize("own", ["", "\u202eabc\u0000\ud800", "🙂" * 900, "$x$ <|end|> [a](b) <b>"])
@pytest.mark.parametrize("idea", ["numbers", "$<b>"])
def test_odd_texts_and_addresses_are_measured_too(root, own, idea):
    own = own.encode("utf-8", "replace").decode()
    assert "What to notice" in said(opened(root, model="gpt-1", text="own", own=own, stream=idea, held="x"))
