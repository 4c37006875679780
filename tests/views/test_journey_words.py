"""What the diagram says of one token, held against what was measured, for odd texts and every token."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from tests import tiny
from tests.views.claims import number, share, stated
from views import journey_words

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    ["", " ", "!!! !!! !!!", "<b>$x$</b>", "<|end|>", "שלום", "🦊\x00\x07", "a a a a", "\n\n\n", "1" * 40]
)


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(["sprout", "store"]), text=TEXTS, place=st.integers(0, 99))
def test_what_is_said_of_a_token_is_what_was_measured(kind, text, place):
    model = tiny.model(kind)
    ids = model.tokenizer.encode(text)[:30]
    p = engine.journey_of(model, ids, place % len(ids))
    label = model.tokenizer.label
    journey = journey_words.shown(p, [label(i) for i in ids], label)
    said = " ".join(journey_words.sentences(journey, len(p.between)))
    assert stated("is {} long when it starts and {} at the end", said) == pytest.approx(
        [p.stream[0], p.stream[-1]], rel=0.01
    )
    times = p.stream[1:] / p.stream[:-1]
    block, factor = stated("Block {} changes its length most: after it, it is {} times", said)
    assert abs(math.log(times[int(block) - 1])) == pytest.approx(np.abs(np.log(times)).max())
    assert factor == pytest.approx(times[int(block) - 1], rel=0.01)
    at_the_gate(journey, p)
    in_attention(journey, p)
    at_the_end(journey, p)
    written_right(journey, p)


def at_the_gate(journey, p):
    for block in range(1, len(p.between) + 1):
        [said] = journey_words.sentences(journey, len(p.between), "gate", block)
        assert stated("In block {}, {} of {} gates", said) == [block, p.gates_shut[block - 1], p.gates]
        assert ("is nearly shut" in said) == (p.gates_shut[block - 1] == 1)


def in_attention(journey, p):
    for block, heads in enumerate(np.array(journey["attention"]), start=1):
        said = " ".join(journey_words.sentences(journey, len(p.between), "rope", block))
        if p.token == 0:
            assert "nothing before it" in said
            continue
        head, most = re.search(r"from head (\d+): (.*)\.$", said).groups()
        low, high = share(most)
        assert low <= heads.max() <= high
        assert heads[int(head) - 1].max() == heads.max()
        if len(heads) > 1:
            assert (
                f"Of {len(heads)} heads in block {block}, {sum(h.argmax() == 0 for h in heads)} look" in said
            )


def at_the_end(journey, p):
    [said] = journey_words.sentences(journey, len(p.between), "loss")
    top = p.read[:, 0]
    settled = len(top) - 1
    while settled and top[settled - 1] == top[-1]:
        settled -= 1
    if settled == len(top) - 1:
        assert "only at the very end" in said
    elif settled == 0:
        assert "from the embedding on" in said
    else:
        assert f"from block {(settled + 1) // 2} on" in said


def written_right(journey, p):
    """The probabilities and shares that stand in the picture."""
    shown = journey["parts"]["loss"]["values"][:5]
    for value, true in zip(shown, p.probabilities, strict=True):
        low, high = share(value)
        assert low <= true <= high
        assert value not in ("0 %", "100 %")
    for shown, true in zip(journey["attention"], p.attention, strict=True):
        assert np.abs(np.array(shown) - true).max() < 2e-6
        if p.token:
            assert all(0 < weight < 1 for head in shown for weight in head)
    for block, said in enumerate(journey["parts"]["gate"]["values"]):
        assert number(said[0].split(" of ")[0]) == p.gates_shut[block]


def test_nothing_is_named_the_largest_change_of_a_single_block():
    journey = {
        "lengths": {"stream": [1.0, 2.0], "said": {"stream": ["1.00", "2.00"]}},
        "shut": [1],
        "gates": 352,
    }
    assert "changes its length most" not in " ".join(journey_words.sentences(journey, 1))
    [said] = journey_words.sentences(journey, 1, "gate", 7)
    assert "In block 1, 1 of 352 gates is nearly shut" in said


@pytest.mark.parametrize("token", [1, 2, 5])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_what_is_said_of_heads_counts_them(token, heads):
    at = [(h * 2) % (token + 1) for h in range(heads)]
    weights = [[0.9 if place == most else 0.1 / token for place in range(token + 1)] for most in at]
    journey = {"attention": [weights], "token": token, "gates": None}
    said = " ".join(journey_words.sentences(journey, 1, "attention", 1))
    assert "from head 1: 90 %" in said
    if heads > 1:
        assert f"Of {heads} heads in block 1, {at.count(0)} look" in said
        assert f"{at.count(token)} at this token itself" in said
        assert (f"{at.count(token - 1)} at the one just before" in said) == (token > 1)
        assert ("1 looks" in said) == (at.count(0) == 1)


def test_a_single_token_looks_at_itself_alone_and_so_it_is_written():
    model = tiny.model("sprout")
    journey = journey_words.shown(engine.journey_of(model, [0], 0), ["x"], model.tokenizer.label)
    assert all(head == [1.0] for block in journey["attention"] for head in block)
    assert journey["parts"]["causal_softmax"]["values"][0] == ["1 token, itself included"]


def test_one_token_that_does_not_fit_is_one_token():
    assert journey_words.left_out(1, 512) == (
        "The last token does not fit this model, which reads 512, and is left out."
    )
    assert journey_words.left_out(2, 512) == (
        "The last 2 tokens do not fit this model, which reads 512, and are left out."
    )
