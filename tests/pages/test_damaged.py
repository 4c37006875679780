"""One damaged model: it is named where it would stand, and the lens of the others works."""

import json
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from engine import weights
from ui import cache


@pytest.fixture
def damage(tmp_path, monkeypatch):
    """damage(name, file, content): the app then runs on copies of the weights, one file of them like this."""
    folder = tmp_path / "weights"
    shutil.copytree(weights.FOLDER, folder)
    load, read, translators = weights.read, weights.read_manifest, cache.tuned_lens.load
    monkeypatch.setattr(weights, "read", lambda name: load(name, folder))
    monkeypatch.setattr(weights, "read_manifest", lambda home: read(folder / home.name))
    monkeypatch.setattr(cache.tuned_lens, "load", lambda model: translators(model, folder))

    def damage(name, file, content):
        path = folder / name / file
        path.write_bytes(path.read_bytes() + content if content == b"\x00" else content)
        for kept in (cache._shipped, cache._translators):
            kept.clear()

    yield damage
    for kept in (cache._shipped, cache._translators):
        kept.clear()


def lens_page(root, **chosen):
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for name, value in chosen.items():
        at.query_params[name] = value
    at.switch_page("pages/lens.py").run()
    assert not at.exception
    return at


def grids(at):
    boxes = [json.loads(one.proto.json) for one in at.get("bidi_component")]
    return next(one["grids"] for one in boxes if "grids" in one)


def told(at):
    return " ".join(one.value.replace("\\", "") for one in at.warning)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_byte_too_many_in_the_compared_model_costs_its_grid_alone(root, damage, file):
    damage("gpt-1", file, b"\x00")
    at = lens_page(root, model="gpt-4", **{"with": "gpt-1"})
    assert len(grids(at)) == 1
    assert f"weights/gpt-1/{file} is damaged" in told(at)
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
    assert "tuned_lens.safetensors is damaged" in told(at)
    assert "Tuned lens" not in next(one.options for one in at.selectbox if one.label == "Rows")
    assert len(grids(at)) == 1
    assert not at.error


def test_the_damaged_model_itself_is_named_with_the_remedy(root, damage):
    damage("gpt-1", "model.safetensors", b"\x00")
    at = lens_page(root, model="gpt-1")
    assert "git checkout" in at.error[0].value
