"""Checkpoints with one detail of their files wrong, opened as anyone's are: the doctor finds and names it.

They are our own store's model, written for Hugging Face's libraries, since it is trained and small.
"""

import json
from functools import cache

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import engine
from engine import doctor, export, measures
from engine.export.gguf_file import neighbours_together
from engine.families import Change
from engine.families.checkpoints import folder, loading
from tests import checkpoints
from views import doctor as doctor_view

TIE = "tie_word_embeddings"


@cache
def texts():
    return measures.own_rows(engine.load("store"))[:12]


def written(home, weights=None, **settings):
    """The store's model as a folder, its weights put through a function, lines of its config changed."""
    export.write_folder(engine.load("store"), home)
    if weights is not None:
        found = load_file(home / "model.safetensors")
        weights(found)
        save_file(
            {k: np.ascontiguousarray(v) for k, v in found.items()},
            home / "model.safetensors",
            {"format": "pt"},
        )
    if settings:
        checkpoints.edit(home, **settings)
    return loading.load(folder.look(home), "opened", "Opened")


def last(steps):
    *_, (_, found) = steps
    return found


def findings(model, kinds=None):
    """What the doctor says of a model: [(what, remedy)], and the change that did best, if one did better."""
    tried = [one for one in doctor.alternatives(model) if kinds is None or one.kind in kinds]
    read = {one: last(doctor.reading(model, one, texts())) for one in (None, *tried)}
    compared = doctor_view.compared(tried, read)
    broken = last(doctor.broken_weights(model))
    said = doctor_view.findings(model, read, compared, broken, None)
    better = sorted((one for one in compared.values() if one.better), key=lambda one: one.extra)
    return said, better[0].change if better else None


def test_a_healthy_file_gets_no_finding(tmp_path):
    assert findings(written(tmp_path)) == ([], None)


def test_queries_and_keys_that_were_left_permuted(tmp_path):
    def permute(found):
        for name in found:
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                found[name] = neighbours_together(found[name], 32)

    said, best = findings(written(tmp_path, permute), {"neighbours", "base", "epsilon"})
    assert best == Change("neighbours")
    assert said[0][0].startswith("The pairs that RoPE turns")
    assert "convert the file anew" in said[0][1]


def test_a_base_that_was_edited(tmp_path):
    wrong = {"rope_type": "default", "rope_theta": 100_000.0}
    model = written(tmp_path, rope_theta=100_000.0, rope_parameters=wrong)
    said, best = findings(model, {"base", "neighbours"})
    assert best == Change("base", value=10_000.0)
    assert "rope_theta" in said[0][1]


def test_a_tie_that_is_declared_though_the_file_has_an_output_matrix_of_its_own(tmp_path):
    def untie(found):  # what the final gain does is taken out of the output matrix again: the same scores
        scale = np.random.default_rng(0).uniform(0.2, 5, 128).astype(np.float32)
        found["lm_head.weight"] = found["model.embed_tokens.weight"] / scale
        found["model.norm.weight"] = found["model.norm.weight"] * scale

    said, best = findings(written(tmp_path, untie), {"spare", "base"})
    assert best == Change("spare")
    assert "the file's own output matrix" in said[0][0]
    assert f"{TIE} to false" in said[0][1]


def test_a_tie_that_was_broken(tmp_path):
    def another(found):
        found["lm_head.weight"] = np.roll(found["model.embed_tokens.weight"], 1, axis=0)

    model = written(tmp_path, another, **{TIE: False})
    said, best = findings(model, {"tied", "base"})
    assert best == Change("tied")
    assert f"Set {TIE} to true" in said[0][1]


def test_the_embedding_once_more_is_no_output_matrix_of_its_own(tmp_path):
    def twice(found):
        found["lm_head.weight"] = found["model.embed_tokens.weight"]

    assert written(tmp_path, twice, **{TIE: True}).spare_output is None


def test_a_gain_of_zeros(tmp_path):
    def zero(found):
        found["model.layers.2.post_attention_layernorm.weight"][:] = 0

    said, _ = findings(written(tmp_path, zero), {"epsilon"})
    assert said[0][0] == "Norm 2, gain of block 3: all its numbers are zero."


def test_stretched_angles_are_tried_unstretched():
    model = checkpoints.opened("llama-scaled")
    assert Change("unscaled") in doctor.alternatives(model)
    other = model.unscaled()
    assert other.checksum != model.checksum
    ids = [0, 5, 9, 30, 5, 9, 31, 7] * 4
    assert np.abs(other.logits(ids) - model.logits(ids)).max() > 1e-3
    plain = checkpoints.opened("llama")
    assert plain.unscaled() is None
    assert Change("unscaled") not in doctor.alternatives(plain)


@pytest.mark.parametrize("kind", checkpoints.KINDS)
def test_every_setting_that_is_tried_runs_on_every_family(kind):
    model = checkpoints.opened(kind)
    ids = [[0, 5, 9, 30, 5, 9, 31]]
    for change in doctor.alternatives(model):
        (nats,) = last(doctor.reading(model, change, ids))
        assert nats.shape == (6,)
        assert np.isfinite(nats).all()
    assert doctor_view.declared(model)
    assert json.loads(model.config)["model_type"]
