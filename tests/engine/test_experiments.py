"""Changed models: every figure against a second implementation, and no trace of the change afterwards."""

import numpy as np
import pytest
import torch

import engine
from engine import experiments, generation, store
from engine.experiments import Change
from engine.families.changes import other_matrix
from engine.families.sprout import Sprout
from engine.families.store import Store
from engine.model import Settings, Transformer
from tests.engine import plain_pass

IDS = [3, 7, 7, 1, 20, 3, 11, 30, 2, 7]
SIZES = {"vocab_size": 40, "context": 16, "n_layer": 2, "n_head": 2, "d_model": 16, "d_ff": 24,
         "rope_base": 10_000.0}  # fmt: skip
CHANGES = [
    Change("block", 1), Change("attention", 0), Change("feed-forward", 1), Change("head", 1, 0),
    Change("neighbours"), Change("base", value=100_000.0), Change("no-rope"), Change("epsilon", value=0.5),
    Change("norms-after"), Change("no-gate"), Change("untied"), Change("no-qk-norm"),
]  # fmt: skip


def small_sprout():
    torch.manual_seed(5)
    network = Transformer(Settings(**SIZES)).eval().requires_grad_(False)
    for name, weight in network.named_parameters():
        weight.copy_(torch.randn(weight.shape) * 0.3 + (1 if name.endswith("gain") else 0))
    return Sprout("sprout", network.settings, None, network, {"files": {"model.safetensors": "small"}})


def small_store():
    draw = np.random.default_rng(5).standard_normal
    d, f = SIZES["d_model"], SIZES["d_ff"]
    shapes = {
        "q": (d, d),
        "k": (d, d),
        "v": (d, d),
        "o": (d, d),
        "gate": (d, f),
        "up": (d, f),
        "down": (f, d),
    }
    weights = {"embedding": draw((40, d)), "final_gain": 1 + 0.3 * draw(d)}
    for i in range(SIZES["n_layer"]):
        weights |= {f"blocks.{i}.{n}": 0.4 * draw(shape) for n, shape in shapes.items()}
        weights |= {f"blocks.{i}.{n}_gain": 1 + 0.3 * draw(d) for n in ("attention", "feed_forward")}
    weights = {n: w.astype(np.float32) for n, w in weights.items()}
    return Store("store", SIZES, None, weights, {"files": {"model.safetensors": "small"}})


MODELS = {"sprout": small_sprout, "store": small_store}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]()


def plain(model, *changes):
    """The logits by the second implementation."""
    is_store = model.name == "store"
    arrays = model.network if is_store else plain_pass.sprout_arrays(model.network)
    switches = {"eps": 1e-5 if is_store else 1e-6, "without": []}
    for change in changes:
        if change.kind in experiments.PARTS:
            named = (change.kind, change.block, change.head)
            switches["without"].append(named if change.kind == "head" else named[:2])
        switches |= {
            "neighbours": {"pairing": "neighbours"},
            "base": {"base": change.value},
            "no-rope": {"turn": False},
            "epsilon": {"eps": change.value},
            "no-gate": {"gated": False},
            "norms-after": {"norms_after": True},
            "no-qk-norm": {"qk_norm": False},
            "untied": {"output": other_matrix(arrays["embedding"])},
        }.get(change.kind, {})
    return plain_pass.logits(IDS, arrays, 2, 2, **switches)


@pytest.mark.parametrize("change", [None, *CHANGES], ids=str)
def test_a_changed_model_equals_a_second_implementation(model, change):
    changes = [] if change is None else [change]
    if model.name == "store" and change == Change("no-qk-norm"):
        pytest.skip("the store's model has no QK-norm")
    found = experiments.runner(model, *changes)(IDS)
    np.testing.assert_allclose(found, plain(model, *changes), atol=2e-4)
    if changes:
        assert np.abs(found - plain(model)).max() > 1e-2, "the change changes nothing"


def test_changes_add_up(model):
    changes = [Change("head", 0, 0), Change("head", 0, 1), Change("base", value=500.0), Change("no-gate")]
    found = experiments.runner(model, *changes)(IDS)
    np.testing.assert_allclose(found, plain(model, *changes), atol=2e-4)
    both_heads = experiments.runner(model, *changes[:2])(IDS)
    np.testing.assert_allclose(both_heads, experiments.runner(model, Change("attention", 0))(IDS), atol=1e-5)


def state(model):
    """Everything that a change could leave behind."""
    if model.name == "store":
        return {n: w.copy() for n, w in model.network.items()}
    network = model.network
    held = {n: w.numpy().copy() for n, w in [*network.named_parameters(), *network.named_buffers()]}
    for name, module in network.named_modules():
        hooks = len(module._forward_hooks) + len(module._forward_pre_hooks)
        held[f"{name}."] = np.array([hooks, id(module), getattr(module, "eps", 0)])
    return held


def test_a_change_leaves_no_trace_even_after_an_exception(model):
    before, plain_before = state(model), experiments.runner(model)(IDS)
    for change in CHANGES:
        if model.name == "store" and change.kind == "no-qk-norm":
            continue
        with pytest.raises((IndexError, RuntimeError)):
            experiments.runner(model, change)([3, 999])
        experiments.runner(model, change)(IDS)
    after = state(model)
    assert before.keys() == after.keys()
    assert all((before[n] == after[n]).all() for n in before)
    assert (experiments.runner(model)(IDS) == plain_before).all()


def test_unchanged_is_the_very_same_pass(model):
    if model.name == "store":
        expected = store.forward(IDS, model.network, model.settings)
    else:
        expected = model.network(torch.tensor(IDS)[None])[0].numpy()
    assert (experiments.runner(model)(IDS) == expected).all()


def test_a_changed_model_can_be_traced():
    model = small_sprout()
    model = model.changed(Change("attention", 1))
    object.__setattr__(model, "tokenizer", type("Names", (), {"label": staticmethod(str)}))
    trace = engine.run(model, IDS)
    assert not trace.attention_added[1].any()
    assert trace.attention_added[0].any()


@pytest.mark.parametrize(
    "change",
    [Change("block", 2), Change("block", -1), Change("attention"), Change("head", 0, 2), Change("head", 0),
     Change("nonsense"), Change("base", value=0.0), Change("base"), Change("epsilon", value=float("inf"))],
)  # fmt: skip
def test_what_can_not_be_changed_is_refused_in_a_sentence(model, change):
    with pytest.raises(ValueError, match=r"\.$"):
        experiments.runner(model, change)


def test_the_store_has_no_qk_norm():
    with pytest.raises(ValueError, match="QK-norm"):
        experiments.runner(small_store(), Change("no-qk-norm"))


def test_every_part_is_listed_once(model):
    listed = experiments.parts(model)
    assert len(listed) == len(set(listed)) == 2 * 3 + 2 * 2
    assert len({str(change) for change in listed}) == len(listed)


def test_surprise_and_top_are_those_of_the_softmax(model):
    logits = experiments.runner(model)(IDS)
    nats, top = experiments.measure(logits, IDS)
    np.testing.assert_allclose(nats, store.surprise(logits, IDS), atol=1e-5)
    np.testing.assert_allclose(top, store.softmax(logits[:-1].astype(np.float64)).max(-1), atol=1e-6)


def test_a_hopeless_token_has_a_finite_surprise():
    nats, top = experiments.measure(np.array([[0, 1000.0], [0, 0]], np.float32), [1, 0])
    assert (nats[0], top[0]) == (1000.0, 1.0)


def test_the_greedy_continuation_is_that_of_the_loop_that_is_shown():
    model = engine.load("gpt-1")
    ids = model.tokenizer.encode("Once upon a time")
    scores = lambda ids: model.network(torch.tensor(ids)[None])[0]  # noqa: E731
    expected = list(generation.generate(scores, ids, 12, 512, 0, stop=(model.tokenizer.end_id,)))
    assert experiments.continue_greedily(model, ids, 12) == expected
