"""A detail that is declared wrongly is found and named; a healthy model gets no finding."""

import io
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine import doctor
from engine.doctor.other_settings import _read_out
from engine.doctor.weights import _fault
from engine.errors import ReaderError
from engine.export.gguf_file import neighbours_together
from engine.families import Change, hooks
from engine.model import rope_tables
from tests import tiny
from tests.families import stranger


def last(steps):
    *_, (share, found) = steps
    assert share == 1
    return found


def examined(model, only=None):
    """{change: Compared} of a model's alternatives, or of those whose kinds are named."""
    texts = doctor.rows(model)
    declared = last(doctor.reading(model, None, texts))
    tried = [one for one in doctor.alternatives(model) if only is None or one.kind in only]
    return {one: doctor.compare(one, declared, last(doctor.reading(model, one, texts))) for one in tried}


def with_network(model, alter):
    """A model whose weights were altered in its file, so to say: nothing tells of it."""
    network = hooks.twin(model.network)
    alter(network)
    return replace(model, network=network)


def with_store(model, alter):
    weights = {name: array.copy() for name, array in model.network.items()}
    alter(weights)
    return replace(model, network=weights)


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_a_healthy_model_gets_no_finding(name):
    model = engine.load(name)
    assert not [one for one in examined(model).values() if one.better]
    assert not last(doctor.broken_weights(model))


def test_a_base_that_was_edited_is_found():
    model = engine.load("gpt-1")

    def edit(network):
        network.cos, network.sin = rope_tables(len(network.cos), 32, 100_000.0)

    wrong = with_network(replace(model, settings=replace(model.settings, rope_base=100_000.0)), edit)
    found = examined(wrong, {"base"})
    assert found[Change("base", value=10_000.0)].better
    assert not found[Change("base", value=1_000_000.0)].better


def test_queries_and_keys_left_permuted_are_found():
    model = engine.load("store")
    width = model.architecture.width_of_head

    def permute(weights):
        for name in weights:
            if name.endswith((".q", ".k")):
                weights[name] = neighbours_together(weights[name].T, width).T

    found = examined(with_store(model, permute), {"neighbours", "base"})
    assert found[Change("neighbours")].better
    assert min(found.values(), key=lambda one: one.extra).change == Change("neighbours")


def test_a_gain_of_zeros_is_named_with_its_block():
    def zero(network):
        network.blocks[1].norm2.gain = torch.nn.Parameter(torch.zeros(32), requires_grad=False)

    (one,) = last(doctor.broken_weights(with_network(tiny.model("sprout"), zero)))
    assert (one.row, one.block, one.fault, one.count) == ("norm2", 1, "zeros", 32)


def test_numbers_that_are_none_are_counted():
    def spoil(weights):
        weights["blocks.2.gate"][3, :2] = np.nan, np.inf

    (one,) = last(doctor.broken_weights(with_store(tiny.model("store"), spoil)))
    assert (one.row, one.block, one.fault, one.count) == ("w1", 2, "not finite", 2)


def test_biases_of_zeros_are_no_fault():
    assert _fault(np.zeros(3), bias=True) is None
    assert _fault(np.zeros(3), bias=False) == ("zeros", 3)
    assert _fault(np.array([0.0, np.nan]), bias=True) == ("not finite", 1)


def test_the_embedding_as_output_is_tried_where_the_output_has_a_matrix_of_its_own():
    model = stranger()
    kinds = {one.kind for one in doctor.alternatives(model)}
    assert ("tied" in kinds) == (not model.architecture.tied)
    assert ("untied" in {one.kind for one in doctor.alternatives(tiny.model("store"))}) is True


def test_the_embedding_in_the_outputs_place_is_the_tied_model_s_own_reading():
    """For a tied model it changes nothing: the same product by another way."""
    model = tiny.model("sprout")
    ids = np.array(doctor.rows(model)[0])
    np.testing.assert_allclose(
        _read_out(model, model.part("embedding.matrix"), ids), model.surprises(ids), atol=1e-3
    )


def test_a_comparison_is_what_a_hand_computes():
    declared = (np.array([1.0, 2.0]), np.array([3.0]))
    other = (np.array([0.5, 1.5]), np.array([3.0]))
    one = doctor.compare(Change("neighbours"), declared, other)
    assert one.extra == pytest.approx(-1 / 3)  # three tokens, two of which cost half a nat less
    assert one.error == pytest.approx(np.hypot(2 * (-0.5 + 1 / 3), 1 / 3) / 3)
    assert one.perplexity == pytest.approx(np.exp(5 / 3))
    assert not one.better  # within its error


@given(st.lists(st.lists(st.floats(0, 20), min_size=1, max_size=5), min_size=1, max_size=5))
@settings(deadline=None)
def test_a_model_is_never_better_than_itself(texts):
    read = tuple(np.array(one) for one in texts)
    one = doctor.compare(Change("no-rope"), read, read)
    assert one.extra == one.error == 0
    assert not one.better


def test_the_streams_largest_number_is_the_largest_of_every_row():
    model = tiny.model("store")
    texts = doctor.rows(model)[:2]
    streams = [engine.run(model, ids).streams for ids in texts]
    sizes = last(doctor.stream_sizes(model, texts))
    assert sizes.largest == max(np.abs(one).max() for one in streams)
    assert any(np.abs(one[sizes.row]).max() == sizes.largest for one in streams)
    assert sizes.width == 32


# a reference


def file_of(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def test_the_model_s_own_scores_agree_with_itself():
    model = tiny.model("sprout")
    ids = np.array([0, 5, 9, 5])
    scores = model.logits(ids)
    given = doctor.read_reference(file_of(ids=ids, logits=scores[2:] + 7))  # scores have no zero
    apart = doctor.hold(model, *given)
    assert apart.largest < 1e-4
    assert (apart.positions, apart.same_top, apart.first) == (2, 2, None)


def test_another_model_s_scores_are_told_apart_and_where():
    model = tiny.model("sprout")
    ids = np.array([0, 5, 9, 5])
    scores = model.logits(ids)
    scores[3, 17] += 1000
    apart = doctor.hold(model, *doctor.read_reference(file_of(ids=ids, logits=scores)))
    assert apart.first == 3
    assert apart.same_top == 3
    assert apart.largest == pytest.approx(1000, rel=0.01)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no .npz"),
        (b"PK\x03\x04 damaged", "no .npz"),
        (file_of(ids=[1, 2]), "no .npz"),
        (file_of(ids=np.array([{}], dtype=object), logits=np.zeros((1, 500))), "no .npz"),
        (file_of(ids=[0.5], logits=np.zeros((1, 500))), "whole numbers"),
        (file_of(ids=[[1, 2], [3, 4]], logits=np.zeros((1, 500))), "whole numbers"),
        (file_of(ids=[1], logits=np.zeros((2, 500))), "2 positions"),
        (file_of(ids=[1], logits=np.zeros((1, 500), dtype=int)), "table of numbers"),
        (file_of(ids=[1], logits=np.full((1, 500), np.nan)), "not finite"),
        (file_of(ids=[1], logits=np.zeros((1, 499))), "499 pieces"),
        (file_of(ids=[500], logits=np.zeros((1, 500))), "go from 500"),
        (file_of(ids=[-1], logits=np.zeros((1, 500))), "go from -1"),
        (file_of(ids=[1] * 49, logits=np.zeros((1, 500))), "at most 48"),
    ],
)
def test_what_can_t_be_compared_is_said(content, said):
    with pytest.raises(ReaderError, match=said):
        doctor.hold(tiny.model("sprout"), *doctor.read_reference(content))


def test_a_file_that_unfolds_to_gigabytes_is_refused_unread():
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ids.npy", b"\0" * 70_000_000)
    with pytest.raises(ReaderError, match="MB"):
        doctor.read_reference(out.getvalue())
