"""How well a model predicts: the same numbers as PyTorch's own loss, and mentions found where they are."""

import json
import math

import numpy as np
import pytest
import torch

from engine import measures, weights
from engine.errors import LacksError
from engine.tokenizer import Tokenizer
from tests import tiny

NAMES = json.loads((measures.TEXTS / "names.json").read_text("utf-8"))


@pytest.fixture(params=["sprout", "store"])
def model(request):
    return tiny.model(request.param)


def some_ids(T, seed=0):
    return np.random.default_rng(seed).integers(tiny.PIECES, size=T).tolist()


def test_surprises_are_pytorch_s_cross_entropy(model):
    ids = some_ids(30)
    scores = torch.tensor(model.logits(ids))
    expected = torch.nn.functional.cross_entropy(scores[:-1], torch.tensor(ids[1:]), reduction="none")
    np.testing.assert_allclose(model.surprises(ids), expected, rtol=1e-4)
    if model.name == "sprout":
        assert model.network.loss(torch.tensor(ids)[None]).item() == pytest.approx(
            expected.mean().item(), rel=1e-5
        )


def test_every_token_counts_alike_in_the_mean(model):
    rows = [some_ids(5), some_ids(30, seed=1)]
    nats, count = measures.nats_a_token(model, rows)
    parts = [model.surprises(row) for row in rows]
    assert count == 4 + 29
    assert nats == pytest.approx((parts[0].sum() + parts[1].sum()) / 33)


def test_our_texts_start_with_the_marker_and_fit(model):
    rows = measures.own_rows(model)
    assert len(rows) == (100 if model.name == "store" else 40)
    assert {row[0] for row in rows} == {model.tokenizer.marker_id}
    assert max(map(len, rows)) <= model.context


def test_a_product_is_closed_by_its_end_and_holds_its_separator():
    model = tiny.model("store")
    whole = [row for row in measures.own_rows(model) if len(row) < model.context]
    assert all(row[-1] == model.tokenizer.end_id for row in whole)
    assert all(row.count(model.tokenizer.separator_id) <= 1 for row in whole)
    assert {text.count("\n") for text in measures.own_products()} == {1}


def tokenizers():
    yield "tiny", tiny.stories_tokenizer()
    for name in weights.available():
        if name != "store":
            yield name, Tokenizer.from_file(weights.FOLDER / name / "tokenizer.json")


@pytest.mark.parametrize("tokenizer", [t for _, t in tokenizers()], ids=[n for n, _ in tokenizers()])
def test_a_mention_is_split_as_in_the_whole_text(tokenizer):
    for opening in NAMES["openings"]:
        for name in NAMES["names"]:
            ids, spans = measures.mentions(tokenizer, opening.split("{name}"), name)
            assert ids == tokenizer.encode(opening.format(name=name))
            assert [tokenizer.decode(ids[slice(*span)]).strip() for span in spans] == [name, name]


def test_a_name_that_opens_the_text_is_found():
    tokenizer = tiny.stories_tokenizer()
    ids, spans = measures.mentions(tokenizer, ["", " met ", "."], "Bo Li")
    assert ids == tokenizer.encode("Bo Li met Bo Li.")
    assert [tokenizer.decode(ids[slice(*span)]) for span in spans] == ["Bo Li", " Bo Li"]


def test_copying_asks_for_the_second_and_later_pieces_at_each_mention(monkeypatch):
    """With a model that gives every token a probability told by its place."""
    model = tiny.model("sprout").reaching(160)
    asked = []

    def surprises(_, ids):
        first, second = (set(range(*span)) for span in asked[-1])
        p = [0.25 if t in first else 0.75 if t in second else 1e-9 for t in range(1, len(ids))]
        return -np.log(p)

    def mentions(tokenizer, parts, name, whole=measures.mentions):
        ids, spans = whole(tokenizer, parts, name)
        asked.append([(start + 1, end) for start, end in spans])  # a name's first piece does not count
        return ids, spans

    monkeypatch.setattr(type(model), "surprises", surprises)
    monkeypatch.setattr(measures, "mentions", mentions)
    found = measures.copying(model)
    assert found["first"] == pytest.approx(0.25)
    assert found["second"] == pytest.approx(0.75)
    assert len(asked) == 5 * 40
    assert found["pieces"] == sum(end - start for spans in asked for start, end in spans[1:])


def test_every_name_has_the_four_pieces_that_it_should():
    for name, tokenizer in tokenizers():
        if name != "tiny":
            assert all(len(tokenizer.encode(" " + each, start=False)) >= 4 for each in NAMES["names"])


@pytest.mark.parametrize("name", weights.available())
def test_the_card_s_figure_on_our_own_texts_comes_out_again(name):
    path = weights.FOLDER / name / "results.json"
    if not path.exists():
        pytest.skip(f"{name} has no results yet")
    model, recorded = weights.load(name), json.loads(path.read_text("utf-8"))["own_texts"]
    nats, count = measures.nats_a_token(model, measures.own_rows(model))
    assert count == recorded["tokens"]
    assert nats == pytest.approx(recorded["nats"], abs=2e-4)
    assert f"{recorded['nats']:.3f}" in (weights.FOLDER / name / "card.md").read_text("utf-8")


def test_no_model_is_surprised_by_less_than_nothing(model):
    nats, _ = measures.nats_a_token(model, measures.own_rows(model)[:3])
    assert 0 < nats < math.inf


def test_a_model_with_too_short_a_context_is_not_asked_to_copy(model):
    with pytest.raises(LacksError, match=f"reads {model.context} tokens"):
        measures.copying(model)
