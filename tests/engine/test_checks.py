"""The live checks are green on our models and red on broken ones."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import engine
from engine import checks, experiments, measures, weights
from engine.experiments import Change
from engine.families import store_in_torch


@pytest.fixture(scope="module", params=["gpt-1", "store"])
def model(request):
    return engine.load(request.param)


def test_every_check_is_green_or_says_why_it_can_not_be_run(model):
    for title, check in checks.all_checks(model).items():
        outcome = check(model)
        assert outcome.passed is not False, (title, outcome)
        assert (outcome.kind == "not run") == (outcome.passed is None)


def test_another_base_is_red_against_transformers(model):
    ids = measures.own_rows(model)[0]
    wrong = experiments.runner(model, Change("base", value=500.0))(ids)
    with torch.inference_mode():
        expected = model.in_transformers()(torch.tensor(ids)[None]).logits[0].numpy()
    assert checks._compare(model.logits(ids), expected).passed is True
    assert checks._compare(wrong, expected).passed is False


def test_saved_logits_are_compared_number_by_number(tmp_path):
    model = engine.load("store")
    ids = measures.own_rows(model)[0]
    logits = store_in_torch.logits(model, ids)
    path = tmp_path / "store" / "check.npz"
    path.parent.mkdir()
    title = "NumPy against PyTorch's saved logits"
    assert checks.all_checks(model, tmp_path)[title](model).passed is None

    def compared(seal=True, **arrays):
        np.savez(path, **arrays)
        sealed = {"check.npz": weights.sha256(path)} if seal else {}
        other = replace(model, manifest={"files": {**model.manifest["files"], **sealed}})
        return checks.all_checks(other, tmp_path)[title](other)

    assert compared(ids=ids, logits=logits).passed
    logits[-1, -1] += 0.001
    assert compared(ids=ids, logits=logits).passed is False
    assert compared(ids=ids, logits=logits[:-1]).passed is False
    unsealed = compared(seal=False, ids=ids, logits=logits)
    assert unsealed.passed is None
    assert "check.npz is damaged" in unsealed.facts["why"]


def test_an_untied_model_is_red():
    wrong = engine.load("gpt-1").changed(Change("untied"))
    assert checks.tied(wrong).passed is False
    assert checks.counted(wrong).passed is False


def test_a_model_that_sees_the_future_is_red():
    wrong = engine.load("gpt-1")
    wrong.network.blocks[0].register_forward_hook(lambda _m, _i, out: out + out.mean(1, keepdim=True))
    assert checks.causal(wrong).passed is False


def test_a_missing_transformers_is_no_failure(monkeypatch):
    monkeypatch.setattr(checks, "find_spec", lambda _: None)
    outcome = checks.against_transformers(engine.load("gpt-1"))
    assert outcome.passed is None
    assert "transformers" in outcome.facts["why"]
