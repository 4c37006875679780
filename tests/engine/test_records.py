"""What a folder of weights says about its making."""

import json
import shutil
from pathlib import Path

import pytest

from engine import records, weights
from tests.tiny import sign_again, write_folder


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


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A folder with everything that is told of a model, small and whole."""
    folder = tmp_path_factory.mktemp("weights")
    home = write_folder(folder, "gpt-1", tmp_path_factory.mktemp("work"))
    score = {"nats": 2.5, "perplexity": 12.18, "tokens": 10}
    results = {"held_out": {"tinystories": score}, "own_texts": score, "copying": {"second": 0.5}}
    (home / "results.json").write_text(json.dumps(results))
    (home / "card.md").write_text("# gpt-1")
    manifest = json.loads((home / "manifest.json").read_text())
    manifest["files"] |= dict.fromkeys(("results.json", "card.md"))
    (home / "manifest.json").write_text(json.dumps(manifest))
    sign_again(home)
    return folder


WHOLE = ("settings", "results", "log", "card")
FILES = {"settings": "config.json", "results": "results.json", "log": "log.csv", "card": "card.md"}


def test_a_whole_folder_has_no_fault(sealed):
    found = records.read("gpt-1", sealed)
    assert found.faults == ()
    assert all(getattr(found, field) for field in WHOLE)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("part", WHOLE)
@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe\x00", b"[]", b"null", b"{}", b"[" * 5000, b'{"held_out": {"a": {"nats": NaN}}}',
     b"step,tokens\n1,x\n", b'{"model_type": "sprout", "n_layer": "8"}', None],
)  # fmt: skip
def test_one_damaged_file_is_named_and_the_others_are_read(sealed, tmp_path, part, damage, signed):
    folder = shutil.copytree(sealed, tmp_path / "weights")
    path = folder / "gpt-1" / FILES[part]
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
        if signed:
            sign_again(folder / "gpt-1")
    found = records.read("gpt-1", folder)
    others = [field for field in WHOLE if field != part]
    assert all(getattr(found, field) for field in others)
    if getattr(found, part):  # whatever can be decoded is a card
        assert (part, signed) == ("card", True)
        assert not found.faults
    elif (part, signed, damage) != ("card", True, b""):
        assert len(found.faults) == 1
        assert FILES[part] in found.faults[0]
        assert len(found.faults[0]) < 500


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"files": []}', "\x00", '{"files": {"model.safetensors": 1}}']
)
def test_a_damaged_manifest_is_named_and_nothing_is_raised(sealed, tmp_path, text):
    folder = shutil.copytree(sealed, tmp_path / "weights")
    (folder / "gpt-1" / "manifest.json").write_text(text)
    found = records.read("gpt-1", folder)
    assert found.faults
    assert all(isinstance(fault, str) for fault in found.faults)
    assert found.manifest.get("tokens_seen") is None


def test_a_folder_that_is_not_there_is_said(tmp_path):
    (fault,) = records.read("gpt-1", tmp_path).faults
    assert "no weights of gpt-1 came with this copy" in fault
    (tmp_path / "gpt-1").mkdir()
    (fault,) = records.read("gpt-1", tmp_path).faults
    assert "manifest.json is missing" in fault


def test_a_file_that_may_not_be_read_is_named(sealed, tmp_path, monkeypatch):
    """Refused as the system refuses it, since root may read everything."""
    folder = shutil.copytree(sealed, tmp_path / "weights")
    read = Path.read_bytes

    def refused(path):
        if path.name == "log.csv":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    (fault,) = records.read("gpt-1", folder).faults
    assert "log.csv can't be read (Permission denied)" in fault
