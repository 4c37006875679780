"""What the page of mismatched details says, held against the figures it speaks of."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.experiments import Change
from engine.likeness import ORDERS, Order
from engine.sweeps import Result
from tests import tiny
from tests.families import stranger
from tests.views.claims import number, stated
from views import bars, mismatch

TRIES = [(), *((Change(kind),) for kind in ("neighbours", "no-rope", "untied", "no-gate"))]
EVEN = 4142
NATS = st.one_of(
    st.floats(0, 15), st.sampled_from([3.0, 3.0000001, 3.00001, 3.004, 3.02, math.log(EVEN), 800.0])
)


def results(nats):
    return {one: Result(value, 0.3, 1000) for one, value in zip(TRIES, nats, strict=False)}


def said_ratio(words):
    """What "1.09 times as trained" claims -> (the ratio, its rounding); exactly: (1, 0)."""
    if words.startswith("exactly"):
        return 1.0, 0.0
    if words.startswith("all but exactly"):
        return 1.0, 1e-5
    return number(words.split(" times")[0]), 0.005


@given(st.lists(NATS, min_size=1, max_size=5))
def test_every_row_says_how_many_times_the_perplexity_is(nats):
    found = results(nats)
    for bar, one in zip(mismatch.rows(TRIES, found, EVEN), TRIES, strict=True):
        if not one or one not in found:
            assert bar.note == ""
            continue
        ratio, rounding = said_ratio(bar.note)
        true = found[one].nats - found[()].nats
        true = math.exp(true) if true < 700 else math.inf
        assert ratio == true or abs(ratio / true - 1) <= rounding or (true < 1e-3 and ratio < 2e-3)
        assert (ratio == 1 and rounding == 0) == (found[one].nats == found[()].nats)
        assert ("no better than even guessing" in bar.note) == (found[one].perplexity >= EVEN)


@given(st.lists(NATS, min_size=1, max_size=5))
def test_the_nearest_the_farthest_and_the_hopeless_are_named_rightly(nats):
    found = results(nats)
    said = " ".join(mismatch.sentences(TRIES, found, EVEN))
    others = {mismatch.name(one): r for one, r in found.items() if one}
    assert ("ran without any error" in said) == bool(others)
    if not others:
        return
    assert stated("{} mistake", said) == [len(others)]
    far = {name: abs(r.nats - found[()].nats) for name, r in others.items()}
    nearest = said.split("The nearest to it is ")[1].split(" (")[0]
    assert far[nearest] == min(far.values())
    if len(others) > 1:
        assert far[said.split("the farthest ")[1].split(" (")[0]] == max(far.values())
    for words, true in (
        (
            "On these texts better than as trained: ",
            {n for n, r in others.items() if r.nats < found[()].nats},
        ),
        (f"even guessing among {EVEN:,}: ", {n for n, r in others.items() if r.perplexity >= EVEN}),
    ):
        named = said.split(words)[1].split(".")[0] if words in said else ""
        assert {name for name in others if name in named} == true


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_what_is_as_trained_is_no_mistake(kind):
    model = tiny.model(kind)
    epsilon = {"sprout": 1e-6, "store": 1e-5}[kind]
    kinds = [one[0].kind for one in mismatch.tries(model, 10_000, epsilon) if one]
    assert not {"base", "epsilon"} & {*kinds}
    assert {"base", "epsilon"} <= {one[0].kind for one in mismatch.tries(model, 500, 0.1) if one}


@pytest.mark.parametrize("kind", ["sprout", "store", "stranger"])
def test_only_details_that_a_model_can_have_are_offered_and_the_others_are_named(kind):
    model = stranger() if kind == "stranger" else tiny.model(kind)
    offered = [one[0].kind for one in mismatch.tries(model, 500, 0.1) if one]
    assert offered == list(model.details)
    for one in mismatch.tries(model, 500, 0.1):
        model.changed(*one)
    assert (
        mismatch.not_offered(model)
        == {
            "sprout": "",
            "store": "The store's model has no QK-norm to change.",
            "stranger": "A stranger has no RoPE, no gate and no QK-norm to change. "
            "Not to be changed here: ε in the norms, norms after the parts and another output matrix.",
        }[kind]
    )
    assert (
        mismatch.trained_said(model)
        == {
            "sprout": "Trained with base 10,000 and ε = 0.000001.",
            "store": "Trained with base 10,000 and ε = 0.00001.",
            "stranger": "",
        }[kind]
    )


IDS = st.lists(st.integers(0, 3), max_size=6)


@given(IDS, IDS)
def test_a_continuation_is_compared_token_by_token(ids, trained):
    said = mismatch.alike(ids, trained)
    assert (said == "token for token as trained") == (ids == trained)
    same = stated("as trained for {} token", said)
    if same:
        count = int(same[0])
        assert ids[:count] == trained[:count]
        assert ids[count : count + 1] != trained[count : count + 1]
    elif ids != trained:
        assert ids[:1] != trained[:1]


def test_the_figure_stands_beside_the_words():
    found = results([3.0, 4.0])
    (name, times), (words, compared) = mismatch.reading(TRIES[1], [1, 2], [1, 3], "a \n b", found)
    assert (name, words, compared) == (
        "RoPE pairs neighbours",
        "a b",
        "as trained for 1 token, then another way",
    )
    assert said_ratio(times)[0] == pytest.approx(math.e, abs=0.005)
    assert mismatch.reading((), [1, 2], [1, 2], "", {}) == ("as trained", "(blank)")
    assert mismatch.reading(TRIES[1], [0], None, "", {}) == ("RoPE pairs neighbours", "(the end, at once)")


DISTANCE = st.one_of(st.floats(0, 2), st.sampled_from([0.0, 1e-7, 9.9e-5, 1e-4]))


@given(st.lists(st.builds(Order, DISTANCE, DISTANCE, DISTANCE), min_size=4, max_size=4), st.integers(1, 8))
def test_two_texts_are_called_the_same_only_where_they_are(found, blocks):
    orders = dict(zip(ORDERS, found, strict=True))
    said = " ".join(mismatch.orders_said(orders, blocks))
    blind, masked = orders["no mask, no RoPE"], orders["the mask alone"]
    assert ("the same set of vectors" in said) == (blind.sets < mismatch.ROUNDING)
    if "after block 1 is the same" in said:
        assert masked.first_block < mismatch.ROUNDING <= masked.sets
        assert ("tell the two apart" in said) == (masked.last_block >= mismatch.ROUNDING)
    for row, order in zip(mismatch.orders_table(orders), found, strict=True):
        for cell, value in zip(row[1:], (order.sets, order.first_block, order.last_block), strict=True):
            assert number(cell) == pytest.approx(value, rel=0.06, abs=mismatch.ROUNDING)


@pytest.mark.parametrize("name", ["gpt-1", "gpt-4", "sprout", "store"])
def test_the_pair_holds_the_same_tokens_and_ends_alike(name):
    encode = engine.load(name).tokenizer.encode
    first, second = map(encode, mismatch.PAIR)
    assert mismatch.same_tokens(first, second)


def test_two_texts_are_comparable_only_when_the_order_alone_tells_them_apart():
    assert mismatch.same_tokens([0, 1, 2, 3], [0, 2, 1, 3])
    for other in ([0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 2, 3]):
        assert not mismatch.same_tokens([0, 1, 2, 3], other)


@given(st.floats(0, 800), st.floats(0, 15))
def test_a_ratio_is_never_rounded_to_one(nats, base):
    said = bars.times(nats, base)
    assert (said == "exactly") == (nats == base)
    if said.endswith(" times"):
        assert number(said.removesuffix(" times")) != 1
