"""One interface for every model: what is asked of one can be asked of all, and what it lacks is said."""

import inspect
from contextlib import suppress

import numpy as np
import pytest
import torch

import engine
from engine import (
    checks,
    experiments,
    families,
    gate,
    heads,
    length,
    likeness,
    measures,
    norms,
    precision,
    sampling,
    stream,
    sweeps,
    timing,
    tuned_lens,
    units,
    weights,
    wiring,
)
from engine.errors import LacksError, ReaderError
from engine.families import EXTRAS, Change, Model
from engine.wiring import Wiring
from tests import tiny
from tests.families import stranger

TEXT = "The red bird sat on the gate."


@pytest.fixture(params=["sprout", "store", "stranger"])
def model(request):
    return stranger() if request.param == "stranger" else tiny.model(request.param)


@pytest.fixture
def ids(model):
    return model.tokenizer.encode(TEXT)


def test_a_pass_that_is_watched_gives_the_plain_logits(model, ids):
    trace = engine.run(model, ids, model.extras)
    np.testing.assert_allclose(trace.logits, model.logits(ids), atol=1e-5)
    a, T = model.architecture, len(ids)
    shapes = {
        "attention": (a.n_layer, a.n_head, T, T),
        "gate": (a.n_layer, T, a.d_ff),
        **dict.fromkeys(("queries", "raw_queries"), (a.n_layer, a.n_head, T, a.width_of_head)),
        **dict.fromkeys(("keys", "raw_keys", "head_values"), (a.n_layer, a.kv_heads, T, a.width_of_head)),
        **dict.fromkeys(("norm1", "norm2"), (a.n_layer, T, a.d_model)),
    }
    shapes["value"] = shapes["units"] = shapes["gate"]
    shapes["gathered"] = (a.n_layer, T, a.n_head * a.width_of_head)
    assert {name: getattr(trace, name).shape for name in model.extras} == {n: shapes[n] for n in model.extras}
    sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
    np.testing.assert_allclose(trace.streams[1:], sums, atol=1e-4)
    np.testing.assert_allclose(trace.attention.sum(-1), 1, atol=1e-5)


def test_what_is_kept_is_what_the_weights_make_of_what_they_read(model, ids):
    trace = engine.run(model, ids, model.extras)
    for block in range(model.architecture.n_layer):
        for row, name in (("q", "raw_queries"), ("k", "raw_keys"), ("v", "head_values")):
            made = trace.norm1[block] @ model.part(row, block)
            bias = model.network.transformer.h[block].attn.c_attn.bias if model.name == "stranger" else None
            if bias is not None:
                made = made + bias.split(model.architecture.d_model)["qkv".index(row)].numpy()
            expected = made.reshape(len(ids), -1, model.architecture.width_of_head).swapaxes(0, 1)
            np.testing.assert_allclose(getattr(trace, name)[block], expected, atol=1e-4)


def test_every_head_s_share_sums_to_what_attention_adds(model, ids):
    for block, added in enumerate(engine.run(model, ids).attention_added):
        rest = added - heads.added(model, ids, block).sum(0)
        np.testing.assert_allclose(rest, rest[:1].repeat(len(ids), axis=0), atol=1e-4)  # only a bias is left


def test_the_last_norm_and_the_directions_give_the_logits(model, ids):
    trace = engine.run(model, ids)
    scores = model.normed(trace.streams[-1]) @ model.directions.T
    np.testing.assert_allclose(scores, trace.logits, atol=1e-4, rtol=1e-4)
    lens = engine.logit_lens(model, trace)
    assert lens.ids.shape == (model.architecture.n_layer + 1, len(ids), 5)


def test_a_model_says_what_it_has(model):
    a = model.architecture
    assert model.context == a.context
    assert ("gate" in model.has) == a.gated == ("gate" in model.extras)
    assert ("qk_norm" in model.has) == a.qk_norm
    assert model.stored == engine.count_parameters(a).total
    everything = {"gate", "rotary", "rms_norm", "tied", "qk_norm"}
    assert (
        model.has
        == {"sprout": everything, "store": everything - {"qk_norm"}, "stranger": {"tied", "biases"}}[
            model.name
        ]
    )
    lacking = {"sprout": set(), "store": {"no-qk-norm"}, "stranger": set(families.DETAILS)}[model.name]
    assert set(model.details) == set(families.DETAILS) - lacking


def test_what_a_model_lacks_is_said_in_a_sentence(model, ids):
    for extra in set(EXTRAS) - set(model.extras):
        with pytest.raises(LacksError, match=f"has no {extra} that"):
            engine.run(model, ids, (extra,))
    for detail in set(families.DETAILS) - set(model.details):
        with pytest.raises(LacksError, match=r"\.$"):
            model.changed(Change(detail, value=1.0))
    with pytest.raises(LacksError, match=r"\.$"):
        model.part("no such row", 0)


@pytest.mark.parametrize(
    "change",
    [Change("block", 1), Change("attention", 0), Change("feed-forward", 2), Change("head", 1, 1)],
    ids=str,
)
def test_what_is_left_out_adds_nothing(model, ids, change):
    changed = model.changed(change)
    trace = engine.run(changed, ids)
    if change.kind != "head":
        assert not trace.attention_added[change.block].any() or change.kind == "feed-forward"
        assert not trace.feed_forward_added[change.block].any() or change.kind == "attention"
    assert np.abs(trace.logits - model.logits(ids)).max() > 1e-2
    assert changed.checksum != model.checksum
    assert changed.name == model.name


def test_without_a_head_its_share_is_gone(model, ids):
    whole = engine.run(model, ids).attention_added[0]
    without = engine.run(model.changed(Change("head", 0, 1)), ids).attention_added[0]
    np.testing.assert_allclose(whole - without, heads.added(model, ids, 0)[1], atol=1e-4)


def test_every_change_has_a_checksum_of_its_own(model):
    changes = [*experiments.parts(model), *(Change(d, value=7.0) for d in model.details)]
    assert len({model.changed(change).checksum for change in changes} | {model.checksum}) == len(changes) + 1
    assert model.changed() is model


def test_what_functions_made_of_a_model_is_never_taken_for_it(model):
    made = []
    for make in (
        lambda: model.reaching(model.context - 1),
        lambda: model.wired(Wiring(turned=False)),
        lambda: model.wired(Wiring(skips=False)),
        lambda: model.remade(stream=lambda x: x),
        lambda: model.remade(matrix=lambda x: x),
        lambda: model.at_start(1),
    ):
        with suppress(LacksError):
            made.append(make())
    made = [one for one in made if one is not model]  # long enough as it is
    assert len(made) >= 2
    assert len({model.checksum, *(one.checksum for one in made)}) == len(made) + 1
    assert all(str(change) for one in made for change in one.changes)


def test_every_function_of_the_engine_runs_on_every_model(model, ids, tmp_path):
    outcomes = {title: check(model) for title, check in checks.all_checks(model, tmp_path).items()}
    assert not [title for title, outcome in outcomes.items() if outcome.passed is False]
    journey = engine.journey_of(model, ids, 4)
    assert (journey.gates is None) == ("gate" not in model.has)
    assert len(norms.gains(model)) >= 2 * model.architecture.n_layer + 1
    assert measures.nats_a_token(model, [ids])[1] == len(ids) - 1
    assert measures.copying(model.reaching(160))["pieces"] > 0
    assert measures.own_rows(model)[0][0] == model.tokenizer.marker_id
    assert heads.score_heads(model, 1, 8).previous.shape[0] == model.architecture.n_layer
    assert len(list(sampling.write_on(model, ids, 3))) <= 3
    assert len(experiments.continue_greedily(model, ids, 3)) <= 3
    assert stream.measure(engine.run(model, ids)).tokens == len(ids)
    assert timing.measure(model, 8, passes=1, seconds=0).whole > 0
    *_, (share, found) = sweeps.sweep(model, [ids], [(), (Change("block", 0),)], {})
    assert (share, len(found)) == (1, 2)
    *_, (_, met) = likeness.met(model, [ids], [ids])
    assert len(met.trained) == model.architecture.n_layer
    for how in precision.ROUNDINGS.values():
        assert np.isfinite(precision.runner(model, how)(np.array(ids))).all()
    assert tuned_lens.load(model) is None or model.name != "stranger"
    assert units.load(model) is None


def test_what_needs_rope_or_a_gate_runs_or_is_refused(model, ids):
    for lacking, work in {
        "gate": lambda: gate.peaks(engine.run(model, ids, ("gate", "value"))),
        "rotary": lambda: (
            wiring.logits(model, ids * 9),
            likeness.stacked(model, ids),
            next(length.loss_by_place(model, 2, 1, 2)),
        ),
    }.items():
        if lacking in model.has:
            assert work()
        else:
            with pytest.raises(LacksError, match=r"\.$"):
                work()


# the registry


def test_an_added_model_is_found_like_ours_and_after_them():
    model = stranger()
    before = weights.available()
    with families.added(model):
        assert weights.available() == engine.available() == [*before, "stranger"]
        assert engine.load("stranger") is weights.load("stranger") is model
        assert families.title("stranger") == "A stranger"
        assert families.texts_of("stranger") == "stories"
        with pytest.raises(ReaderError, match="no source"):
            model.lines("attention")
    assert weights.available() == before
    with pytest.raises(weights.WeightsError):
        engine.load("stranger")


def test_our_names_can_not_be_taken():
    with pytest.raises(ValueError, match="ships here"):
        families.add(tiny.model("store"))


def test_a_model_of_a_family_can_stand_under_another_name():
    model = type(tiny.model("sprout"))(
        "mine", tiny.SPROUT, tiny.stories_tokenizer(), tiny.sprout_network(seed=4), tiny.MANIFEST
    )
    with families.added(model):
        assert engine.parts("mine") == engine.parts("sprout") == model.parts()
        assert torch.is_inference_mode_enabled() is False
        assert engine.load("mine").logits([1, 2]).shape == (2, tiny.PIECES)


def test_the_interface_says_of_every_member_what_it_is():
    for name, member in vars(Model).items():
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert inspect.getdoc(member), name
