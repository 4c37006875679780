"""The page on which a model writes, driven without a browser."""

from functools import partial

import pytest

from engine import sampling, weights
from tests.pages import reader

opened = partial(reader.opened, page="story")


def test_what_is_written_is_the_models_own_continuation(root):
    at = opened(root, model="gpt-1", temperature="0.0", prompt="Once upon a time")
    reader.press(at, "Write")
    model = weights.load("gpt-1")
    ids = model.tokenizer.encode("Once upon a time")
    written = [*ids, *sampling.continuation(model, ids, 150, 0)]
    assert at.text[0].value == model.tokenizer.decode(written)


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", "NaN"), ("seed", "-1"), ("model", "<b>"), ("prompt", "\ufffd\u202e$x$<|end|>" * 9)],
)
def test_odd_addresses_get_a_page(root, name, value):
    at = opened(root, **{name: value})
    assert at.title[0].value == "Write a story"
    assert not at.error


@pytest.mark.parametrize(("words", "said"), [(512, "1 token too long"), (513, "2 tokens too long")])
def test_how_much_of_a_beginning_is_left_out_is_well_said(root, monkeypatch, words, said):
    monkeypatch.setattr(sampling, "continuation", lambda *_, **__: iter([]))
    at = opened(root, model="gpt-1", prompt=" cat" * words)
    reader.press(at, "Write")
    assert any(said in one.value for one in at.info)
