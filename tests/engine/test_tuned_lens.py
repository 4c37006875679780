"""The tuned lens changes what is below the output, never the output."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

import engine
from engine import tuned_lens, weights
from engine.lens import logit_lens
from tests import tiny
from training.export import seal


@pytest.fixture(scope="module")
def model():
    return tiny.model("sprout")


@pytest.fixture
def home(model, tmp_path):
    (tmp_path / model.name).mkdir()
    (tmp_path / model.name / "model.safetensors").write_bytes(b"")
    return tmp_path


def keep(home, model, checksum=None, **tensors):
    L, d = model.architecture.n_layer, model.architecture.d_model
    rng = np.random.default_rng(0)
    tensors = {"matrix": rng.normal(size=(L, d, d)) / d, "shift": rng.normal(size=(L, d)), **tensors}
    tensors = {name: array.astype(np.float16) for name, array in tensors.items()}
    save_file(tensors, home / model.name / tuned_lens.FILE, {"weights": checksum or model.checksum})
    seal(home / model.name, model.manifest)
    return tensors


def test_each_row_goes_through_its_own_map(model, home):
    kept = keep(home, model)
    trace = engine.run(model, "Once upon a time")
    moved = tuned_lens.translate(tuned_lens.load(model, home), trace.streams)
    for r in range(model.architecture.n_layer):
        for t in range(len(trace.ids)):
            x = trace.streams[r, t]
            expected = x + kept["matrix"][r].astype(np.float32) @ x + kept["shift"][r]
            np.testing.assert_allclose(moved[r, t], expected, atol=1e-3)
    np.testing.assert_array_equal(moved[-1], trace.streams[-1])
    logit_lens(model, trace, streams=moved)  # asserts that the last row is the output


def test_there_is_none_where_there_is_no_file_or_it_is_for_other_weights(model, home):
    assert tuned_lens.load(model, home) is None
    keep(home, model, checksum="another")
    assert tuned_lens.load(model, home) is None


def test_a_damaged_file_is_named(model, home):
    keep(home, model, shift=np.zeros((1, 1)))
    with pytest.raises(weights.WeightsError, match="does not fit"):
        tuned_lens.load(model, home)
    (home / model.name / tuned_lens.FILE).write_bytes(b"nothing")
    with pytest.raises(weights.WeightsError, match="damaged"):
        tuned_lens.load(model, home)
    seal(home / model.name, model.manifest)
    with pytest.raises(weights.WeightsError, match=tuned_lens.FILE):
        tuned_lens.load(model, home)


def test_a_file_that_no_manifest_names_is_refused(model, home):
    keep(home, model)
    path = home / model.name / "manifest.json"
    path.write_text(json.dumps({**model.manifest, "files": {"model.safetensors": "0" * 64}}))
    with pytest.raises(weights.WeightsError, match=r"not named in manifest.json.*Delete it"):
        tuned_lens.load(model, home)
    path.unlink()
    with pytest.raises(weights.WeightsError, match=r"manifest.json is missing"):
        tuned_lens.load(model, home)


@pytest.mark.training
@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_training_brings_the_rows_nearer_to_the_output_and_leaves_the_model_alone(kind, tmp_path):
    from training import tuned_lens as tuned_lens_training

    model = tiny.model(kind)
    name = model.name
    texts = ["Once upon a time there was a dog.\nThe dog liked to run."] * 2
    trace = engine.run(model, texts[0])
    before = logit_lens(model, trace)
    maps, losses = tuned_lens_training.train(model, texts, 2000, columns=30)
    assert losses[-1] < losses[0]
    (tmp_path / name).mkdir()
    (tmp_path / name / "model.safetensors").write_bytes(b"")
    tuned_lens_training.save(maps, model, tmp_path)
    moved = tuned_lens.translate(tuned_lens.load(model, tmp_path), trace.streams)
    with torch.inference_mode():
        np.testing.assert_allclose(maps(torch.from_numpy(trace.streams.copy())).numpy(), moved, atol=2e-2)
    after = logit_lens(model, trace, streams=moved)
    assert after.divergence[:-1].mean() < before.divergence[:-1].mean()
    np.testing.assert_array_equal(engine.run(model, texts[0]).logits, trace.logits)
