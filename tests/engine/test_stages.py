"""The kept stages of a training: read whole or refused, and a lens like any other."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine import records, stages, weights
from tests import made_stages, tiny


def written(tmp_path, **more):
    path = tmp_path / stages.FILE
    stages.save(made_stages.some(**more), path)
    return path


def test_what_was_saved_is_read_again(tmp_path):
    was, found = made_stages.some(), stages.read(written(tmp_path))
    assert found.about == was.about
    for one, other in zip(stages.apart(found), stages.apart(was), strict=True):
        for name in stages.Stages.__annotations__:
            if name not in ("about", "read"):
                np.testing.assert_array_equal(one[name], other[name])
        for kept, again in zip(one["read"], other["read"], strict=True):
            for name in stages.READ:
                np.testing.assert_array_equal(kept[name], again[name])
    with pytest.raises(ValueError, match="read-only"):
        found.held_out[0] = 0


def test_a_stage_s_lens_is_a_lens(tmp_path):
    found = stages.read(written(tmp_path))
    lens = found.lens(1, 0)
    ids = found.about["texts"][0]["ids"]
    R, T = found.previous.shape[1] + 1, len(ids)
    assert lens.ids.shape == (R, T, found.about["k"])
    assert list(lens.next_ids) == [*ids[1:], -1]
    assert lens.next_rank.dtype == lens.ids.dtype == np.int64
    assert lens.entropy.dtype == np.float32


def test_a_continuation_ends_with_the_marker(tmp_path):
    found = made_stages.some()
    found = replace(
        found, written=np.where(np.arange(found.written.shape[-1]) < 2, 7, -1) + 0 * found.written
    )
    assert found.continuation(0, 0, False) == [7, 7]


@pytest.mark.parametrize(
    "harm",
    ["cut", "text", "pickle", "shape", "order", "missing", "empty", "number", "nan", "share", "untold"],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path, harm):
    path = written(tmp_path)
    with np.load(path) as file:
        arrays = dict(file)
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif harm == "text":
        path.write_text("nonsense")
    elif harm == "empty":
        path.write_bytes(b"")
    else:
        if harm == "pickle":
            arrays["tokens"] = np.array([{"a": 1}] * len(arrays["tokens"]), dtype=object)
        elif harm == "shape":
            arrays["shut"] = arrays["shut"][:, :-1]
        elif harm == "order":
            arrays["tokens"] = arrays["tokens"][::-1]
        elif harm == "nan":
            arrays["held_out"] = np.full_like(arrays["held_out"], np.nan)
        elif harm == "share":
            arrays["second"] = 2 + arrays["second"]
        elif harm == "untold":
            told = {k: v for k, v in made_stages.some().about.items() if k != "seed"}
            arrays["about"] = np.frombuffer(json.dumps(told).encode(), np.uint8)
        elif harm == "number":
            arrays["about"] = np.frombuffer(json.dumps(5).encode(), np.uint8)
        else:
            del arrays["bigram"]
        np.savez(path, **arrays)
    with pytest.raises(weights.WeightsError, match=r"stages\.npz can't be read"):
        stages.read(path)


def test_only_files_that_the_manifest_names_count(tmp_path):
    home = tiny.write_folder(tmp_path / "weights", "gpt-4", tmp_path)
    assert stages.kept("gpt-4", home.parent) == {}
    stages.save(made_stages.some(), home / stages.FILE)
    assert stages.kept("gpt-4", home.parent) == {}
    with pytest.raises(weights.WeightsError, match="is missing"):
        stages.load("gpt-4", folder=home.parent)
    manifest = json.loads((home / "manifest.json").read_text())
    manifest["files"][stages.FILE] = weights.sha256(home / stages.FILE)
    (home / "manifest.json").write_text(json.dumps(manifest))
    assert list(stages.kept("gpt-4", home.parent)) == [stages.FILE]
    assert len(stages.load("gpt-4", folder=home.parent)) == len(made_stages.some())
    stages.save(made_stages.some(seed=2), home / stages.FILE)
    with pytest.raises(weights.WeightsError, match="damaged"):
        stages.load("gpt-4", folder=home.parent)


def off_the_card(found, results, manifest, checksum):
    """What of the last stage is not as the card of the weights has it -> a list of names."""
    last = {"tokens": (found.tokens[-1], manifest["tokens_seen"])}
    last["held_out"] = found.held_out[-1], results["held_out"]["tinystories"]["nats"]
    last["own"] = found.own[-1], results["own_texts"]["nats"]
    last |= {name: (getattr(found, name)[-1], results["copying"][name]) for name in ("first", "second")}
    for kind, told in results["heads"].items():
        block, head = found.strongest(kind)
        last[kind] = getattr(found, kind)[-1].max(), told["score"]
        last[f"{kind}'s place"] = 10 * block + head, 10 * (told["block"] - 1) + told["head"] - 1
    off = [name for name, (one, other) in last.items() if one != pytest.approx(other, abs=2e-4)]
    return off + (["weights"] if found.about["weights"] != checksum else [])


WATCHED = [name for name in weights.available() if stages.FILE in stages.kept(name)]


@pytest.mark.parametrize("name", WATCHED)
def test_the_last_stage_of_shipped_weights_is_their_card(name):
    told = records.read(name)
    checksum = told.manifest["files"]["model.safetensors"]
    assert off_the_card(stages.load(name), told.results, told.manifest, checksum) == []


def test_a_last_stage_unlike_the_card_is_found():
    found = made_stages.some()
    results = {
        "held_out": {"tinystories": {"nats": found.held_out[-1]}},
        "own_texts": {"nats": found.own[-1]},
        "copying": {"first": found.first[-1], "second": found.second[-1]},
        "heads": {},
    }
    for kind in ("previous", "induction"):
        block, head = found.strongest(kind)
        score = float(getattr(found, kind)[-1].max())
        results["heads"][kind] = {"block": block + 1, "head": head + 1, "score": score}
    manifest = {"tokens_seen": int(found.tokens[-1])}
    assert off_the_card(found, results, manifest, None) == []
    assert off_the_card(found, results, manifest, "other") == ["weights"]
    assert off_the_card(found, results, {"tokens_seen": 1}, None) == ["tokens"]
    results["copying"]["second"] += 0.01
    results["heads"]["previous"]["head"] += 1
    assert off_the_card(found, results, manifest, None) == ["second", "previous's place"]


def test_only_the_file_of_the_weights_own_training_names_them():
    for name in weights.available():
        for file in stages.kept(name):
            told = stages.load(name, file).about["weights"]
            own = weights.read_manifest(weights.FOLDER / name)["files"]["model.safetensors"]
            assert (told == own) == (file == stages.FILE)


def test_every_kept_training_of_ours_can_be_read():
    for name in weights.available():
        for file, checksum in stages.kept(name).items():
            assert weights.sha256(weights.FOLDER / name / file) == checksum
            found = stages.load(name, file)
            assert found.about["name"] == name
            assert (weights.FOLDER / name / file).stat().st_size < 1_000_000
