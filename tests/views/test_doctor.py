"""What the doctor says follows from what was measured, whatever that is."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import doctor
from engine.doctor import Broken, Compared, Sizes
from engine.families import Change
from tests import tiny
from tests.families import stranger
from views import doctor as doctor_view

KINDS = [Change("base", value=1000.0), Change("epsilon", value=0.1)]
KINDS += [
    Change(kind) for kind in ("neighbours", "no-rope", "no-qk-norm", "untied", "tied", "spare", "unscaled")
]
compared = st.builds(
    Compared, st.sampled_from(KINDS), st.floats(1, 1e9), st.floats(-5, 5), st.floats(0, 2)
)  # fmt: skip


@given(st.lists(compared, max_size=9, unique_by=lambda one: one.change), st.floats(0, 12))
def test_a_finding_names_what_does_better_and_nothing_else(others, nats):
    model, read = tiny.model("sprout"), {None: (np.array([nats]),)}
    found = {one.change: one for one in others}
    said = doctor_view.findings(model, read, found, [], None)
    better = sorted((one for one in others if one.better), key=lambda one: one.extra)
    text = " ".join(f"{what} {remedy}" for what, remedy in said)
    for one in others:
        assert (f"“{doctor_view.name(one.change)}”" in text) == one.better
    if better:
        gained = re.search(r"costs (\S+) nats less", text)[1]
        assert float(gained) == pytest.approx(-better[0].extra, rel=0.01)
    assert ("no better than guessing" in text) == (np.exp(nats) >= model.architecture.vocab_size)
    assert not re.search(r"\b(nan|inf|None)\b|\{|\}|  ", text)


@given(st.floats(0, 1e30) | st.just(float("inf")) | st.just(float("nan")), st.integers(0, 8))
def test_a_stream_beyond_float16_is_a_finding(largest, row):
    sizes = Sizes(largest, row, 1, 32)
    said = doctor_view.findings(tiny.model("sprout"), {}, {}, None, sizes)
    assert bool(said) == (not largest <= 65_504)
    noticed = doctor_view.sizes_said(sizes)
    assert ("float16 holds" in noticed) == (largest <= 65_504)
    assert ("entering block 1" in noticed) == (row == 0)
    assert "1 of 32 dimensions holds" in noticed


def test_a_broken_weight_is_named_by_its_title_and_block():
    model = tiny.model("sprout")
    broken = [Broken("norm2", 1, "zeros", 32), Broken("embedding.matrix", None, "not finite", 1)]
    (first, _), (second, _) = doctor_view.findings(model, {}, {}, broken, None)
    assert first == "Norm 2, gain of block 2: all its numbers are zero."
    assert second == "Token embedding: 1 number is infinite or no number."


@pytest.mark.parametrize("model", [tiny.model("sprout"), tiny.model("store"), stranger()])
def test_what_is_declared_is_the_models_own(model):
    told = dict(doctor_view.declared(model))
    assert told["QK-norm"] == ("yes" if "qk_norm" in model.has else "no")
    assert ("RoPE, base 10,000" in told["Positions"]) == (model.rope_base == 10_000)
    assert told["Output matrix"].startswith("the embedding") == model.architecture.tied
    assert "500" in told["Vocabulary"]
    assert str(model.architecture.n_head) in told["Heads"]


def test_each_setting_that_is_tried_has_a_remedy():
    for model in (tiny.model("sprout"), tiny.model("store"), stranger()):
        for change in doctor.alternatives(model):
            assert doctor_view._LOOK[change.kind]
            assert doctor_view._CALLED[change.kind]
            assert doctor_view.name(change)


@given(compared)
def test_a_difference_is_written_with_its_sign(one):
    bar = doctor_view._bar(one.change, one)
    assert bar.note.startswith("−" if one.extra < 0 else "+")
    assert (bar.mark == "accent") == one.better


def test_what_agrees_and_what_differs_is_said():
    agree = doctor_view.apart_said(doctor.Apart(1, 1e-5, 20.0, 1, None), 5)
    assert "Over 1 position of 5 tokens" in agree
    assert "the same there" in agree
    differ = doctor_view.apart_said(doctor.Apart(4, 3.0, 20.0, 3, 2), 4)
    assert "the same at 3 of 4" in differ
    assert "position 2" in differ
