"""What is said of fewer bits, each number computed again from the readings."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from engine.precision import ROUNDINGS, Reading
from tests.said import close, numbers
from views import precision as precision_view


def reading(nats, top):
    return Reading(np.array(nats, float), np.full(len(nats), 0.25), np.array(top, int))


@st.composite
def found(draw):
    """Readings of some of the roundings, all of the same text."""
    N = draw(st.integers(0, 6))
    names = draw(st.sets(st.sampled_from(list(ROUNDINGS))))
    nats = st.lists(st.integers(1, 900).map(lambda n: n / 100), min_size=N, max_size=N)
    top = st.lists(st.integers(0, 3), min_size=N, max_size=N)
    return {name: reading(draw(nats), draw(top)) for name in names}


def rise(one, plain):
    return np.exp(one.nats.mean()) / np.exp(plain.nats.mean()) - 1


def shown_change(text):
    """ "+0.3 %" -> 0.003, "0 %" -> 0.0"""
    return float(text.replace(",", "").replace("−", "-").removesuffix(" %")) / 100


@given(found(), st.integers(0, 900))
@example({"float32": reading([], [])}, 0)
@example({"float32": reading([1.0], [1]), "stream-8": reading([1.0], [1])}, 1)
def test_costs_are_those_of_the_readings(found, apart):
    said = " ".join(precision_view.sentences(found, 123.0, apart))
    plain = found.get("float32")
    if plain is None:
        assert said == "Nothing is measured yet."
        return
    if not len(plain.nats):
        assert "no next token" in said
        return
    for name, words in (("stream-8", "Rounding the stream to 8 bits"), ("weights-8", "Rounding the weights")):
        assert (words in said) == (name in found)
        if name in found:
            told, true = said.split(words)[1].split("%")[0] + "%", rise(found[name], plain)
            if true > 1:
                assert close(numbers("multiplies the perplexity by #", said.split(words)[1])[0], true + 1)
            elif "leaves the perplexity as it is" in told:
                assert true == 0
            else:
                assert abs(shown_change(told.split("changes the perplexity by ")[1]) - true) <= 0.006 * (
                    abs(true) + 0.1
                )
    both = {"stream-4", "stream-4-apart"} <= found.keys()
    assert ("large dimensions kept apart" in said) == (both and apart > 0)
    assert ("nothing to keep apart" in said) == (both and not apart)
    if "kept apart" in said:
        assert numbers("apart (# dimension", said) == [apart]
        assert ("dimension of the stream is" in said) == (apart == 1)
    assert f"over {len(plain.nats):,} predicted token" in precision_view.what_was_read(found, None)
    for bar, name in zip(precision_view.rows(found), ROUNDINGS, strict=True):
        assert bar.name == precision_view.NAMES[name]
        assert (bar.value is None) == (name not in found)
        if "first choice" in bar.note:
            share = np.mean(found[name].top == plain.top)
            assert abs(numbers("first choice: # %", bar.note)[0] / 100 - share) < 0.006
    table = precision_view.columns(found)
    assert {len(values) for values in table.values()} == {len(found)}


def test_a_number_beyond_float16_is_said_to_be_that():
    broken = {"float32": reading([1.0, 2.0], [1, 2]), "stream-16": reading([np.nan, np.nan], [0, 0])}
    said = " ".join(precision_view.sentences(broken, 70_000.0, 0))
    assert "70,000, is beyond float16's 65,504" in said
    assert precision_view.rows(broken)[1].value is None
    assert "too large for float16" in precision_view.rows(broken)[1].note
    assert (
        "holds up to 65,504"
        in precision_view.sentences({**broken, "stream-16": broken["float32"]}, 7.0, 0)[0]
    )
