"""A folder sealed anew over files that no model of ours has is refused by name, at once."""

import json
import resource
import time

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from engine import weights
from engine.weights import WeightsError
from tests import tiny

FIRST = {"gpt-4": "blocks.0.attention.proj.weight", "store": "blocks.0.o"}
SETTINGS = {
    "a billion blocks": {"n_layer": 10**9},
    "no block": {"n_layer": 0},
    "fewer blocks than there are": {"n_layer": 1},
    "more blocks than there are": {"n_layer": 900},
    "blocks in words": {"n_layer": "2"},
    "blocks yes": {"n_layer": True},
    "blocks and a half": {"n_layer": 2.5},
    "no head": {"n_head": 0},
    "heads that share nothing": {"n_head": 5},
    "heads below nothing": {"n_head": -4},
    "no width": {"d_model": 0},
    "another width": {"d_model": 64},
    "an endless width": {"d_model": 10**18},
    "a layer of no width": {"d_ff": 0},
    "an absurd vocabulary": {"vocab_size": 10**9},
    "no vocabulary": {"vocab_size": None},
    "an absurd context": {"context": 10**12},
    "no base": {"rope_base": 0},
    "a base that is none": {"rope_base": float("nan")},
    "an endless base": {"rope_base": float("inf")},
    "a base below nothing": {"rope_base": -10_000.0},
    "a base in words": {"rope_base": "10000"},
    "a base of thousands of digits": {"rope_base": 10**400},
}
TENSORS = {
    "NaN": lambda one: np.full_like(one, np.nan),
    "an endless number": lambda one: np.where(np.arange(one.size).reshape(one.shape) == 3, np.inf, one),
    "whole numbers": lambda one: one.astype(np.int8),
    "doubles": lambda one: one.astype(np.float64),
    "another shape": lambda one: one[:-1],
    "one more dimension": lambda one: one[None],
    "nothing in it": lambda one: one[:0],
    "missing": lambda one: None,
}
MANIFESTS = {
    "no files": {"files": None},
    "files in a list": {"files": ["model.safetensors"]},
    "a checksum that is none": {"files": {"model.safetensors": 1}},
    "a file outside": {"files": {"model.safetensors": "0" * 64, "../../secret": "0" * 64}},
    "an absurd window": {"training_window": 10**18},
    "a window in words": {"training_window": "512"},
}


@pytest.fixture(params=["gpt-4", "store"])
def name(request):
    return request.param


@pytest.fixture
def home(tmp_path, name):
    tiny.write_folder(tmp_path / "weights", name, tmp_path)
    return tmp_path / "weights" / name


def refused(home, remedy="git checkout"):
    """The refusal, which comes at once, takes no memory, and names no folder of this machine."""
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(WeightsError) as caught:
        weights.load(home.name, home.parent)
    assert time.process_time() - began < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
    said = str(caught.value)
    assert f"weights/{home.name}" in said
    assert remedy in said
    assert str(home.parent.parent) not in said
    return said


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings_that_no_model_of_ours_has_are_refused(home, kind):
    path = home / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **SETTINGS[kind]}))
    tiny.sign_again(home)
    said = refused(home)
    name = next(iter(SETTINGS[kind]))
    told = {"n_layer": "blocks", "n_head": "heads", "d_model": "embedding"}.get(name, name)
    assert name in said or told in said


@pytest.mark.parametrize("content", ["[]", "null", "3", "[" * 10_000, '{"n_layer": ' + "9" * 5000 + "}"])
def test_settings_that_are_none_are_refused(home, content):
    (home / "config.json").write_text(content)
    tiny.sign_again(home)
    refused(home)


@pytest.mark.parametrize("kind", TENSORS)
def test_tensors_that_no_model_of_ours_has_are_refused_by_name(home, kind):
    path = home / "model.safetensors"
    tensors = load_file(path)
    odd = TENSORS[kind](tensors.pop(FIRST[home.name]))
    if odd is not None:
        tensors[FIRST[home.name]] = np.ascontiguousarray(odd)
    save_file(tensors, path)
    tiny.sign_again(home)
    assert FIRST[home.name] in refused(home)


def test_a_tensor_too_many_is_refused_by_name(home):
    path = home / "model.safetensors"
    save_file({**load_file(path), "extra": np.zeros(3, np.float32)}, path)
    tiny.sign_again(home)
    assert "extra" in refused(home)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 7, b"\xff" * 8 + b"{}", b"\x02" + b"\x00" * 7 + b"[]", b"\x05" + b"\x00" * 7 + b'{"a":'],
)
def test_a_header_that_is_none_is_refused(home, content):
    (home / "model.safetensors").write_bytes(content)
    tiny.sign_again(home)
    assert (
        "header of model.safetensors" in refused(home) or content[:1] == b"\x00" or "header" in refused(home)
    )


@pytest.mark.parametrize("kind", MANIFESTS)
def test_a_manifest_that_makes_no_sense_is_refused(home, kind):
    path = home / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **MANIFESTS[kind]}))
    assert "manifest.json can't be read" in refused(home)


@pytest.mark.parametrize("file", ["manifest.json", "config.json", "model.safetensors"])
def test_a_file_that_may_not_be_read_is_named_with_what_to_do(home, monkeypatch, file):
    """Whoever runs the tests may be allowed everything, so the refusal is the system's in name only."""
    real, text = open, type(home).read_text

    def refuse(path, *rest, **options):
        if str(path) == str(home / file):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *rest, **options)

    def refuse_text(path, *rest, **options):
        if path == home / file:
            raise PermissionError(13, "Permission denied", str(path))
        return text(path, *rest, **options)

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(type(home), "read_text", refuse_text)
    said = refused(home, f"chmod -R a+rX weights/{home.name}")
    assert f"weights/{home.name}/{file} can't be read (Permission denied)" in said


def test_a_folder_that_may_not_be_looked_into_is_offered_and_named(home, monkeypatch):
    def refuse(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(home), "stat", refuse)
    monkeypatch.setattr(type(home), "read_text", refuse)
    assert home.name in weights.shipped(home.parent)
    refused(home, "chmod -R a+rX")
