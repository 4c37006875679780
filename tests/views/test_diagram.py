"""What the diagram says of each part is right for every model."""

import re

import numpy as np
import pytest

import engine
from engine import counting
from engine.counting.published import BY_ID
from tests import tiny
from views import diagram, diagram_parts, journey_words, walk
from views.numbers import percent

OURS = ("gpt-1", "gpt-4", "sprout", "store")
ALL = (*OURS, "gpt2", "smollm2-360m")
EVERY = sorted(BY_ID)
UNKNOWN = diagram_parts.How(activation=None, marker=False)
HOW = (diagram_parts.OURS, UNKNOWN, diagram_parts.How(functions=True))


def first_number(text):
    return int(re.search(r"[\d,]+", text)[0].replace(",", ""))


@pytest.mark.parametrize("name", OURS)
def test_every_drawn_part_has_lines(name):
    assert {*diagram.drawn(BY_ID[name].architecture)} <= {*engine.parts(name)}


@pytest.mark.parametrize("name", ALL)
def test_every_drawn_part_says_all_there_is_to_say(name):
    for part_id, card in diagram.cards(BY_ID[name].architecture).items():
        for field in ("title", "duty", "formula", "shape", "parameters"):
            assert card[field].strip(), (part_id, field)
        assert re.search(r"\d{4}", card["paper"]) or part_id == "blocks", part_id
        assert not re.search(r"\b[VdHKDF]\b", card["shape"]), card["shape"]
        assert part_id in diagram.IDS


@pytest.mark.parametrize("name", ALL)
def test_the_parts_of_a_model_add_up_to_its_total(name):
    cards, total = (
        diagram.cards(BY_ID[name].architecture),
        counting.count_parameters(BY_ID[name].architecture).total,
    )
    outside = [p for p in ("embedding", "positions", "final_norm") if p in cards]
    assert sum(first_number(cards[p]["parameters"]) for p in (*outside, "blocks")) == total
    inside = ("norm1", "attention", "norm2", "feed_forward")
    assert sum(first_number(cards[p]["parameters"]) for p in inside) == first_number(
        cards["block"]["parameters"]
    )
    assert f"{total:,}" in cards["blocks"]["parameters"]


@pytest.mark.parametrize("name", ALL)
def test_the_parts_of_attention_and_of_the_feed_forward_layer_add_up(name):
    cards = diagram.cards(BY_ID[name].architecture)
    for whole_part, rows in (
        ("attention", diagram.ATTENTION_ROWS),
        ("feed_forward", diagram.FEED_FORWARD_ROWS),
    ):
        inner = [one[0] for row in rows for one in row if one[0] in cards]
        counts = [first_number(cards[i]["parameters"]) for i in inner if cards[i]["parameters"] != "None"]
        assert sum(counts) == first_number(cards[whole_part]["parameters"])


def test_known_numbers():
    assert "17,309,056" in diagram.cards(BY_ID["sprout"].architecture)["embedding"]["parameters"]
    assert (
        first_number(diagram.cards(BY_ID["sprout"].architecture)["feed_forward"]["parameters"]) == 1_179_648
    )
    assert "saves 3,145,728" in diagram.cards(BY_ID["sprout"].architecture)["tie"]["parameters"]
    assert "124,439,808" in diagram.cards(BY_ID["gpt2"].architecture)["blocks"]["parameters"]
    assert (
        diagram.cards(BY_ID["sprout"].architecture)["causal_softmax"]["shape"]
        == "(6, T, 64) → (6, T, T) → (T, 384)"
    )


def test_the_family_is_drawn_the_same():
    pictures = [diagram.picture(BY_ID[n].architecture) for n in ("gpt-1", "gpt-4", "sprout")]
    assert pictures[0] == pictures[1] == pictures[2]


def test_what_a_model_does_not_have_is_not_drawn():
    assert "qk_norm" not in diagram.drawn(BY_ID["store"].architecture)
    gpt2 = diagram.drawn(BY_ID["gpt2"].architecture)
    assert "positions" in gpt2
    assert not {"rope", "qk_norm", "w3", "product"} & {*gpt2}


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_every_drawn_part_has_its_measured_numbers(kind):
    model = tiny.model(kind)
    ids = model.tokenizer.encode("A <b>bold</b> fox & a $5 hen")
    pieces = [model.tokenizer.label(i) for i in ids]
    shown = journey_words.shown(engine.journey_of(model, ids, 4), pieces, model.tokenizer.label)
    L, H = model.architecture.n_layer, model.architecture.n_head
    for part_id in diagram.drawn(BY_ID[kind].architecture):
        part = shown["parts"][part_id]
        blocks = part["values"] if part.get("by_block") else [part["values"]]
        assert len(blocks) == (L if part.get("by_block") else 1)
        for values in blocks:
            assert len(values) == len(part["labels"]), part_id
            for value in values:
                assert isinstance(value, str) or (len(value) == H and all(isinstance(v, str) for v in value))
    assert len(shown["attention"]) == L
    assert all(abs(sum(head) - 1) < 0.01 for block in shown["attention"] for head in block)
    assert shown["pieces"] == pieces


@pytest.mark.parametrize("name", OURS)
def test_the_walk_follows_the_drawn_parts_in_their_order(name):
    a = BY_ID[name].architecture
    steps = walk.steps(a, diagram.cards(a))
    parts = [step["part"] for step in steps]
    assert parts[0] == "tokens"
    assert parts[-1] == "loss"
    order = [part for part in diagram.drawn(a) if part in parts and part != "blocks"]
    assert [part for part in parts if part != "blocks"] == order
    assert not any("{" in step["text"] for step in steps)
    assert f"{a.vocab_size:,} in all" in steps[0]["text"]
    told = " ".join(step["text"] for step in steps)
    share = counting.count_parameters(name)
    assert percent(share["feed_forward"].per_block / share.per_block) in told
    assert ("the model's one block" in told) == (a.n_layer == 1)
    assert ("Move “Block”" in told) == (a.n_layer > 1)


def test_no_attention_weight_is_rounded_to_all_or_nothing():
    weights = np.array([0.0, 0.99999999, 0.00000004], dtype=np.float32)
    assert journey_words._looks(weights) == [1e-6, 1 - 1e-6, 1e-6]
    assert journey_words._looks(np.ones(1)) == [1.0]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", EVERY)
def test_any_architecture_is_drawn_and_told(name, how):
    a = BY_ID[name].architecture
    cards = diagram.cards(a, how)
    picture = diagram.picture(a)
    named = [
        half[key] for half in picture["halves"] for key in ("norm", "part", "after", "add") if key in half
    ]
    assert {*named, *picture["above"], *picture["below"]} <= {*cards} == {*diagram.drawn(a)} <= {*diagram.IDS}
    assert not [one for card in cards.values() for one in card.values() if "None" in one and one[4:5] == "f"]
    steps = walk.steps(a, cards, how)
    assert {step["part"] for step in steps} <= {*cards}
    assert not any("{" in step["text"] for step in steps)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_drawn_of_any_architecture_adds_up_to_its_total(name):
    a = BY_ID[name].architecture
    cards, total = diagram.cards(a), counting.count_parameters(a).total
    outside = [cards[one] for one in ("embedding", "positions", "final_norm", "output") if one in cards]
    outside = [card["parameters"] for card in outside if not card["parameters"].startswith("None")]
    assert sum(map(first_number, (*outside, cards["blocks"]["parameters"]))) == total


def test_what_the_picture_leaves_out_is_said():
    assert not [name for name in ALL if diagram.not_drawn(BY_ID[name].architecture)]
    said = {name: " ".join(diagram.not_drawn(BY_ID[name].architecture)) for name in EVERY}
    assert "the same normed copy" in said["phi-2"]
    assert "In 32 of 32 blocks a token sees the last 4,096 tokens" in said["mistral-7b"]
    four = diagram.picture(BY_ID["gemma-2-2b"].architecture)["halves"]
    assert [half["after"] for half in four] == ["norm1_after", "norm2_after"]


def test_a_layer_norm_is_not_told_as_an_rms_norm():
    a = BY_ID["gpt2"].architecture
    cards, ours = diagram.cards(a, UNKNOWN), diagram.cards(BY_ID["sprout"].architecture)
    for norm in ("norm1", "norm2", "final_norm"):
        assert "mean(x)) / √(var" in cards[norm]["formula"]
        assert cards[norm]["formula"] != ours[norm]["formula"]
    assert cards["queries"]["formula"] == "q = x̂ W_q + b_q"
    assert cards["feed_forward"]["formula"] == "f(x̂ W₁ + b₁) W₂ + b₂"
    assert "silu" not in " ".join(
        f"{card['title']} {card['duty']} {card['formula']}" for card in cards.values()
    )
    told = {step["part"]: step["text"] for step in walk.steps(a, cards, UNKNOWN)}
    assert "mean is taken away" in told["norm1"]
    assert "gate" not in told["w1"]
    assert "a place in the text" in told["positions"] or "each place" in told["positions"]
