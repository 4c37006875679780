"""The kept list of texts for every unit: equal to measuring anew, and only for these weights and texts."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

import engine
from engine import gate, measures, units, weights
from tests import tiny
from training.export import seal


def home_of(model, tmp_path):
    (tmp_path / model.name).mkdir()
    (tmp_path / model.name / "model.safetensors").write_bytes(b"")
    return tmp_path / model.name


@pytest.fixture(params=["sprout", "store"])
def kept(request, tmp_path):
    """A tiny model and the folder in which the script has kept its list."""
    from training import units as units_script

    model = tiny.model(request.param)
    home_of(model, tmp_path)
    units_script.keep(model, tmp_path)
    return model, tmp_path


def test_what_is_kept_equals_measuring_now(kept):
    model, folder = kept
    live = [gate.peaks(engine.run(model, row, ("gate", "value"))) for row in measures.own_rows(model)]
    now, before = gate.driving(live, units.KEPT), units.load(model, folder)
    for name in ("text", "token", "product"):
        np.testing.assert_array_equal(getattr(before, name), getattr(now, name))
    assert before.of(1, 3) == now.of(1, 3)


def test_each_entry_is_the_largest_product_of_its_text_and_no_better_text_is_left_out(kept):
    model, folder = kept
    found, unit = units.load(model, folder), 5
    strongest = []
    for row in measures.own_rows(model):
        trace = engine.run(model, row, ("gate", "value"))
        column = [
            float(g) * float(v) for g, v in zip(trace.gate[2, :, unit], trace.value[2, :, unit], strict=True)
        ]
        token = max(range(len(column)), key=lambda t: abs(column[t]))
        strongest.append((token, column[token]))
    order = sorted(range(len(strongest)), key=lambda i: -abs(strongest[i][1]))[: units.KEPT]
    for (text, token, product), expected in zip(found.of(2, unit), order, strict=True):
        assert (text, token) == (expected, strongest[expected][0])
        assert product == pytest.approx(strongest[expected][1], rel=1e-6)


def test_the_manifest_holds_the_lists_checksum(kept):
    model, folder = kept
    home = folder / model.name
    files = json.loads((home / "manifest.json").read_text())["files"]
    assert files[units.FILE] == weights.sha256(home / units.FILE)


def test_a_list_for_other_weights_or_other_texts_counts_as_none(kept, tmp_path, monkeypatch):
    model, folder = kept
    other = replace(model, manifest={"files": {"model.safetensors": "x"}})
    assert units.load(other, folder) is None
    changed = tmp_path / "texts.jsonl"
    changed.write_bytes(measures.own_file(model).read_bytes() + b"\n")
    monkeypatch.setattr(measures, "own_file", lambda _: changed)
    assert units.load(model, folder) is None


def test_there_is_none_where_there_is_no_file(tmp_path):
    assert units.load(tiny.model("sprout"), tmp_path) is None


def test_a_damaged_list_is_named_with_what_to_do(kept):
    model, folder = kept
    path = folder / model.name / units.FILE
    arrays = dict.fromkeys(("text", "token", "product"), np.zeros((1, 1, 1), np.float32))
    save_file(arrays, path, units.made_from(model))
    with pytest.raises(weights.WeightsError, match="damaged"):
        units.load(model, folder)
    seal(path.parent, model.manifest)
    with pytest.raises(weights.WeightsError, match=r"does not fit.*Delete it"):
        units.load(model, folder)
    path.write_bytes(b"nothing")
    seal(path.parent, model.manifest)
    with pytest.raises(weights.WeightsError, match=units.FILE):
        units.load(model, folder)


@pytest.mark.parametrize("name", weights.available())
def test_a_list_that_ships_is_of_the_weights_and_texts_that_ship(name):
    if not (weights.FOLDER / name / units.FILE).exists():
        pytest.skip("this model has no list")
    model = engine.load(name)
    found = units.load(model)
    assert found is not None, f"made for other weights or texts: python -m training.units {name}"
    weakest = np.abs(found.product[..., -1])
    for number in (0, 7, 30):
        peaks = gate.peaks(engine.run(model, measures.own_rows(model)[number], ("gate", "value")))
        here = found.text == number
        assert here.any()
        place = np.broadcast_to(peaks.product[..., None], here.shape)[here]
        np.testing.assert_allclose(found.product[here], place, rtol=2e-3, atol=1e-4)
        left_out = ~here.any(-1)
        assert (np.abs(peaks.product) <= weakest * 1.002 + 1e-4)[left_out].all()
