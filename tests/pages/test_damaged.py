"""One damaged model: it is named where it would stand, and everything else works."""

import json
import os
import shutil
import sys
from types import FunctionType

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from streamlit.testing.v1 import AppTest

from engine import families, weights
from tests import tiny
from tests.pages.reader import Reader
from ui import kept, warm


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the weights that the whole app reads in place of ours."""
    copy = tmp_path / "weights"
    shutil.copytree(weights.FOLDER, copy, copy_function=os.link)
    shutil.copy(weights.FOLDER.parent / "CREDITS.md", tmp_path)
    warm._all_of("engine")
    for name, module in list(sys.modules.items()):
        if not name.startswith("engine."):
            continue
        if getattr(module, "FOLDER", None) == weights.FOLDER and name != "engine.weights":
            monkeypatch.setattr(module, "FOLDER", copy)
        for one in vars(module).values():
            if isinstance(one, FunctionType) and weights.FOLDER in (one.__defaults__ or ()):
                others = tuple(copy if value == weights.FOLDER else value for value in one.__defaults__)
                monkeypatch.setattr(one, "__defaults__", others)
    monkeypatch.setattr(weights, "FOLDER", copy)
    kept.clear()
    yield copy
    kept.clear()


def write(path, content):
    """Put a file in the place of one that is shared with the real folder."""
    path.unlink()
    path.write_bytes(content)


@pytest.fixture
def damage(folder):
    """damage(name, file, content): one file of a model is like this, or has one byte more."""

    def damage(name, file, content):
        path = folder / name / file
        write(path, path.read_bytes() + content if content == b"\x00" else content)

    return damage


def with_nan(home):
    """The weights with a number in them that is none, sealed anew."""
    path = home / "model.safetensors"
    tensors = load_file(path)
    first = min(tensors)
    tensors[first] = np.full_like(tensors[first], np.nan)
    path.unlink()
    save_file(tensors, path)
    sealed(home)


def with_setting(name, value):
    """The settings with another value, sealed anew."""

    def change(home):
        path = home / "config.json"
        write(path, json.dumps({**json.loads(path.read_text()), name: value}).encode())
        sealed(home)

    return change


def sealed(home):
    path = home / "manifest.json"
    content = path.read_bytes()
    write(path, content)
    tiny.sign_again(home)


def with_file(file, content=None):
    """One file with a byte more, or with this content."""

    def change(home):
        path = home / file
        write(path, path.read_bytes() + b" " if content is None else content)

    return change


def unreadable(home):
    """A folder in the place of a file: for the system, what can't be read."""
    (home / "model.safetensors").unlink()
    (home / "model.safetensors").mkdir()


# What can happen to a folder -> the file that is then named.
KINDS = {
    "a byte too many in the weights": (with_file("model.safetensors"), "model.safetensors"),
    "weights that can't be read": (unreadable, "model.safetensors"),
    "weights that are no numbers, sealed anew": (with_nan, "model.safetensors"),
    "a byte too many in the settings": (with_file("config.json"), "config.json"),
    "a billion blocks, sealed anew": (with_setting("n_layer", 10**9), "config.json"),
    "no head, sealed anew": (with_setting("n_head", 0), "config.json"),
    "an endless base, sealed anew": (with_setting("rope_base", float("inf")), "config.json"),
    "an absurd vocabulary, sealed anew": (with_setting("vocab_size", 10**9), "config.json"),
    "an empty tokenizer": (with_file("tokenizer.json", b""), "tokenizer.json"),
    "an empty manifest": (with_file("manifest.json", b""), "manifest.json"),
    "a manifest of another kind": (with_file("manifest.json", b"[]"), "manifest.json"),
}
BESIDE = {  # files that tell of the making, without which the model itself runs
    "results.json": "models",
    "log.csv": "models",
    "card.md": "models",
    "tuned_lens.safetensors": "lens",
    "units.safetensors": "gate",
}
# The pages that look at more than one model, or at a folder of weights without the model.
PAGES = ("start", "diagram", "lens", "guess", "models", "parameters", "how_it_learned", "checks", "stream")


def told(reader):
    at = reader.at
    return " ".join(one.value.replace("\\", "") for one in (*at.warning, *at.error, *at.caption, *at.info))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_one_damaged_model_is_named_and_breaks_no_page_about_another(folder, name, kind):
    change, file = KINDS[kind]
    change(folder / name)
    for page in PAGES:
        reader = Reader(page, model="gpt-4", stream="models", **{"count.timed": "gpt-4"})
        assert not reader.trouble(), page
        assert str(folder.parent) not in told(reader)
    own = Reader("lens", model=name)
    assert not own.at.exception
    assert f"weights/{name}" in told(own)
    assert file in told(own)
    assert "git checkout" in told(own)
    assert str(folder.parent) not in told(own)


@pytest.mark.parametrize("file", BESIDE)
@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_a_damaged_file_beside_the_weights_is_named_and_the_model_is_shown(folder, name, file):
    path = folder / name / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    write(path, bytes(content))
    wanted = {"rows": "tuned"} if BESIDE[file] == "lens" else {"gate": "unit"}
    reader = Reader(BESIDE[file], model=name, **wanted)
    assert not reader.at.exception
    assert f"weights/{name}/{file} is damaged" in told(reader)
    assert str(folder.parent) not in told(reader)
    other = Reader(BESIDE[file], model="gpt-4", **wanted)
    assert not [one for one in other.trouble() if f"weights/{name}/{file}" not in one]
    assert families.load(name)


@pytest.mark.parametrize("file", ["tuned_lens.safetensors", "units.safetensors", "results.json", "log.csv"])
@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_a_file_beside_the_weights_that_the_manifest_does_not_name_is_refused_by_name(folder, name, file):
    path = folder / name / "manifest.json"
    told_by = json.loads(path.read_text())
    del told_by["files"][file]
    write(path, json.dumps(told_by).encode())
    wanted = {"rows": "tuned"} if BESIDE[file] == "lens" else {"gate": "unit"}
    reader = Reader(BESIDE[file], model=name, **wanted)
    assert not reader.at.exception
    assert f"weights/{name}/{file} is not named in manifest.json" in told(reader)
    assert families.load(name)


def lens_page(root, **chosen):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for name, value in chosen.items():
        at.query_params[name] = value
    at.switch_page("pages/lens.py").run()
    assert not at.exception
    return at


def grids(at):
    boxes = [json.loads(one.proto.json or "{}") for one in at.get("bidi_component")]
    return next(one["grids"] for one in boxes if "grids" in one)


def warned(at):
    return " ".join(one.value.replace("\\", "") for one in at.warning)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_byte_too_many_in_the_compared_model_costs_its_grid_alone(root, damage, file):
    damage("gpt-1", file, b"\x00")
    at = lens_page(root, model="gpt-4", **{"with": "gpt-1"})
    assert len(grids(at)) == 1
    assert f"weights/gpt-1/{file} is damaged" in warned(at)
    assert not at.error
    assert any("What to notice" in one.value for one in at.markdown)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"files": {"model.safetensors": 1}}'])
def test_a_model_without_a_usable_manifest_is_not_offered_to_compare_with(root, damage, content):
    damage("gpt-1", "manifest.json", content)
    at = lens_page(root, model="gpt-4")
    others = next(one.options for one in at.selectbox if one.label == "Compare with")
    assert others == ["No other model", "Sprout"]
    assert not at.error


def test_a_flipped_byte_of_the_tuned_lens_is_named_and_the_plain_lens_works(root, damage):
    damage("gpt-4", "tuned_lens.safetensors", b"\x00")
    at = lens_page(root, model="gpt-4", rows="tuned")
    assert "tuned_lens.safetensors is damaged" in warned(at)
    assert "Tuned lens" not in next(one.options for one in at.selectbox if one.label == "Rows")
    assert len(grids(at)) == 1
    assert not at.error


def test_the_damaged_model_itself_is_named_with_the_remedy(root, damage):
    damage("gpt-1", "model.safetensors", b"\x00")
    at = lens_page(root, model="gpt-1")
    assert "git checkout" in at.error[0].value
