"""The kept stages of a training: read whole or refused, and a lens like any other."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine import stages, weights
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


@pytest.mark.parametrize("harm", ["cut", "text", "pickle", "shape", "order", "missing", "empty", "number"])
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


def test_every_kept_training_of_ours_can_be_read():
    for name in weights.available():
        for file, checksum in stages.kept(name).items():
            assert weights.sha256(weights.FOLDER / name / file) == checksum
            found = stages.load(name, file)
            assert found.about["name"] == name
            assert (weights.FOLDER / name / file).stat().st_size < 1_000_000
