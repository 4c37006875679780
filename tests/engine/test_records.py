"""What a folder of weights says about its making."""

import json

import pytest

from engine import records, weights


@pytest.mark.parametrize("name", weights.available())
def test_every_shipped_model_has_its_record(name):
    found = records.read(name)
    assert found.log
    assert found.log[-1]["tokens"] == found.manifest["tokens_seen"]
    assert found.results["own_texts"]["tokens"] > 1000
    assert found.card.startswith("# ")
    assert str(found.results["held_out"].popitem()[1]["perplexity"]) in found.card


@pytest.mark.parametrize("name", weights.available())
def test_every_file_of_a_shipped_model_is_the_one_that_was_sealed(name):
    home = weights.FOLDER / name
    sealed = records.read(name).manifest["files"]
    assert {path.name for path in home.iterdir()} - {"manifest.json"} == set(sealed)
    assert all(weights.sha256(home / file) == checksum for file, checksum in sealed.items())


def test_a_damaged_record_is_a_sentence(tmp_path):
    home = tmp_path / "gpt-1"
    with pytest.raises(weights.WeightsError, match="no weights of gpt-1 came with this copy"):
        records.read("gpt-1", tmp_path)
    home.mkdir()
    with pytest.raises(weights.WeightsError, match=r"manifest.json is missing"):
        records.read("gpt-1", tmp_path)
    (home / "manifest.json").write_text(json.dumps({"files": {"model.safetensors": "0"}}))
    with pytest.raises(weights.WeightsError, match="can't be read"):
        records.read("gpt-1", tmp_path)
