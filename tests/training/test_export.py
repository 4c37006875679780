"""From a checkpoint to a folder of weights."""

import csv
import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from engine import weights
from tests import tiny
from training import export
from training.loop import LOG_FIELDS


def write(tmp_path, name="gpt-4"):
    return tiny.write_folder(tmp_path / "weights", name, tmp_path)


def test_the_manifest_tells_how_it_was_made_and_signs_every_file(tmp_path):
    home = write(tmp_path)
    manifest = json.loads((home / "manifest.json").read_text())
    assert (manifest["name"], manifest["command"], manifest["steps"]) == ("gpt-4", export.command("gpt-4"), 3)
    assert (manifest["tokens_seen"], manifest["training_window"]) == (900, tiny.SPROUT.context)
    assert manifest["plan"]["tokens"] == 900
    files = {"model.safetensors", "config.json", "tokenizer.json", "log.csv", "train.sh"}
    assert set(manifest["files"]) == files == {path.name for path in home.iterdir()} - {"manifest.json"}
    assert all(weights.sha256(home / name) == digest for name, digest in manifest["files"].items())


def test_sealing_again_signs_what_was_added_and_keeps_what_was_told(tmp_path):
    home = write(tmp_path)
    before = json.loads((home / "manifest.json").read_text())
    (home / "card.md").write_text("# gpt-4")
    export.seal(home, before)
    after = json.loads((home / "manifest.json").read_text())
    assert after["files"] == before["files"] | {"card.md": weights.sha256(home / "card.md")}
    assert {**after, "files": 0} == {**before, "files": 0}


def test_the_log_has_its_header_and_its_rows(tmp_path):
    with open(write(tmp_path) / "log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [tuple(row) for row in rows] == [LOG_FIELDS]
    assert (rows[0]["step"], rows[0]["held_out_nats"]) == ("3", "6.1")


@pytest.mark.parametrize(("name", "dtype"), [("gpt-4", np.float16), ("store", np.float32)])
def test_numbers_are_kept_as_they_should_be(tmp_path, name, dtype):
    home = write(tmp_path, name)
    arrays = load_file(home / "model.safetensors")
    assert {array.dtype for array in arrays.values()} == {np.dtype(dtype)}
    assert "output.weight" not in arrays  # tied: one matrix, stored once
    network = tiny.store_network() if name == "store" else tiny.sprout_network()
    assert sum(array.size for array in arrays.values()) == sum(w.numel() for w in network.parameters())
    settings = json.loads((home / "config.json").read_text())
    assert "norm_eps" not in settings
    assert settings["model_type"] == ("store" if name == "store" else "sprout")


def test_rounding_costs_next_to_nothing(tmp_path):
    home = write(tmp_path)
    shipped, trained = weights.load("gpt-4", home.parent).network, tiny.sprout_network()
    ids = torch.arange(30)[None]
    for name, weight in shipped.named_parameters():
        assert weight.equal(trained.get_parameter(name).half().float()), name
    assert abs(shipped.loss(ids) - trained.loss(ids)) < 0.01


def test_exporting_again_replaces_the_whole_model(tmp_path):
    write(tmp_path)
    home = write(tmp_path)
    assert weights.load("gpt-4", home.parent).architecture.n_layer == 3
