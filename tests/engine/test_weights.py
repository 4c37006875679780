"""Loading a model: what was exported comes back, and what is damaged is refused with a clear word."""

import json

import numpy as np
import pytest
import torch

import engine
from engine import weights
from engine.families import sprout
from engine.weights import CHECKED, WeightsError
from tests import tiny

NAMES = ("gpt-4", "store")  # one of each family


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def folder(tmp_path, name):
    """A folder of weights/ that holds one complete tiny model."""
    tiny.write_folder(tmp_path / "weights", name, tmp_path)
    return tmp_path / "weights"


def refused(folder, name, file):
    """The message of the refusal, which must name a file and a remedy."""
    with pytest.raises(WeightsError) as caught:
        weights.load(name, folder)
    message = str(caught.value)
    assert f"weights/{name}" in message
    assert str(folder.parent) not in message
    assert file in message
    assert f"git checkout -- weights/{name}" in message
    return message


# what is whole


def test_what_was_exported_comes_back(folder, name):
    model = weights.load(name, folder)
    ids = [0, 5, 17, 300, 42]
    if name == "store":
        expected = tiny.store_network()(torch.tensor(ids)[None])[0]
    else:
        network = tiny.sprout_network()
        with torch.no_grad():
            for weight in network.parameters():
                weight.copy_(weight.half())  # the family ships in float16
        expected = network(torch.tensor(ids)[None])[0]
    np.testing.assert_allclose(engine.run(model, ids).logits, expected, atol=1e-4, rtol=1e-5)
    assert model.tokenizer.encode("Hello.\nHi") == (
        tiny.store_tokenizer() if name == "store" else tiny.stories_tokenizer()
    ).encode("Hello.\nHi")
    assert model.architecture.d_model == 32
    assert model.checksum == weights.sha256(folder / name / "model.safetensors")
    assert model.title
    assert model.name == name


def test_a_loaded_model_is_ready_to_run_and_not_to_train(folder, name):
    model = weights.load(name, folder)
    if name == "store":
        assert all(
            array.dtype == np.float32 and not array.flags.writeable for array in model.network.values()
        )
    else:
        assert not model.network.training
        assert not any(weight.requires_grad for weight in model.network.parameters())
        assert {weight.dtype for weight in model.network.parameters()} == {torch.float32}
        assert model.network.output.weight is model.network.embedding.weight


def test_a_model_can_be_a_key_and_prints_as_its_name(folder, name):
    model = weights.load(name, folder)
    assert {model: 1}[model] == 1
    assert repr(model) == f"Model({name!r})"


def test_what_is_available_is_listed_in_the_usual_order(tmp_path):
    assert weights.available(tmp_path / "nothing") == []
    for name in ("store", "gpt-4", "stranger"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text("{}")
    (tmp_path / "sprout").mkdir()
    assert weights.available(tmp_path) == ["gpt-4", "store"]


@pytest.mark.parametrize("shipped", weights.available())
def test_every_model_here_loads_and_runs(shipped):
    model = engine.load(shipped)
    trace = engine.run(model, "Once upon a time there was a cup.")
    assert np.isfinite(trace.logits).all()
    assert len(model.tokenizer) == model.architecture.vocab_size == trace.logits.shape[1]
    assert weights.read_manifest(weights.FOLDER / shipped)["name"] == shipped


# what is not


@pytest.mark.parametrize("name", [
    "", "gpt-2", "SPROUT", "../weights/store", "store/", None, 3, ["store"], "x" * 10**6,
], ids=lambda name: repr(name)[:20])  # fmt: skip
def test_an_unknown_name_is_answered_with_the_known_ones(name):
    with pytest.raises(WeightsError, match="The models are gpt-1, gpt-4, sprout, store") as caught:
        engine.load(name)
    assert len(str(caught.value)) < 200


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(WeightsError, match="no weights of Sprout came with this copy"):
        weights.load("sprout", tmp_path)


@pytest.mark.parametrize("file", [*CHECKED, "manifest.json"])
def test_a_missing_file_is_named(folder, name, file):
    (folder / name / file).unlink()
    assert f"weights/{name}/{file} is missing" in refused(folder, name, file)


@pytest.mark.parametrize("file", CHECKED)
def test_a_damaged_file_is_named(folder, name, file):
    path = folder / name / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert f"weights/{name}/{file} is damaged" in refused(folder, name, file)


@pytest.mark.parametrize("file", CHECKED)
@pytest.mark.parametrize("left", [0, 0.5])
def test_a_truncated_file_is_named(folder, name, file, left):
    path = folder / name / file
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * left)])
    assert f"weights/{name}/{file} is damaged" in refused(folder, name, file)


@pytest.mark.parametrize("file", [*CHECKED, "manifest.json"])
def test_a_folder_in_place_of_a_file_is_refused(folder, name, file):
    (folder / name / file).unlink()
    (folder / name / file).mkdir()
    refused(folder, name, file)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"5", b"null", b'{"files": []}', b'{"files": {}}', b"\xff\xfe"]
)
def test_a_manifest_that_is_none_is_refused(folder, name, content):
    (folder / name / "manifest.json").write_bytes(content)
    assert "can't be read" in refused(folder, name, "manifest.json")


@pytest.mark.parametrize("file", CHECKED)
@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"not what it should be", b"\xff\xfe\x00"])
def test_files_that_were_written_wrong_are_refused_though_their_checksums_match(folder, name, file, content):
    (folder / name / file).write_bytes(content)
    tiny.sign_again(folder / name)
    assert len(refused(folder, name, file)) < 700


def test_truncated_weights_are_refused_though_their_checksum_matches(folder, name):
    path = folder / name / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    tiny.sign_again(folder / name)
    refused(folder, name, "model.safetensors")


@pytest.mark.parametrize("change", [
    {"n_layer": 2}, {"n_layer": 4}, {"n_layer": 0}, {"d_model": 64}, {"d_ff": 79}, {"vocab_size": 501},
    {"d_model": None}, {"vocab_size": "500"}, {"n_layer": 2.5},
], ids=repr)  # fmt: skip
def test_settings_that_do_not_fit_the_weights_are_refused(folder, name, change):
    path = folder / name / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    tiny.sign_again(folder / name)
    refused(folder, name, "config.json")


@pytest.mark.parametrize("change", [{"n_head": 0}, {"n_head": 3}, {"n_head": 4}, {"heads": 2}], ids=repr)
def test_settings_that_are_none_of_the_family_are_refused(tmp_path, change):
    home = tiny.write_folder(tmp_path / "weights", "gpt-4", tmp_path)
    path = home / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    tiny.sign_again(home)
    refused(tmp_path / "weights", "gpt-4", "config.json")


def test_a_missing_setting_of_the_store_is_refused(tmp_path):
    home = tiny.write_folder(tmp_path / "weights", "store", tmp_path)
    path = home / "config.json"
    path.write_text(json.dumps({"n_layer": 3}))
    tiny.sign_again(home)
    assert "vocab_size" in refused(tmp_path / "weights", "store", "config.json")


def test_a_tokenizer_of_another_size_is_refused(folder, name):
    from training.data import train_tokenizer
    from training.store import MARKERS

    specials = MARKERS if name == "store" else MARKERS[2:3]
    train_tokenizer(["a few words", "and a few more words"], 270, specials).save(
        folder / name / "tokenizer.json"
    )
    tiny.sign_again(folder / name)
    assert "270" in refused(folder, name, "tokenizer.json")


def test_the_shapes_that_a_file_is_held_to_are_the_networks_own():
    network = tiny.model("sprout").network
    own = {name: tuple(weight.shape) for name, weight in network.state_dict().items()}
    own.pop("output.weight")  # the embedding once more
    assert sprout.shapes(network.settings) == own
