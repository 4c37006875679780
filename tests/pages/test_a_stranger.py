"""A model of a family that no page knows: no gate, no RoPE, LayerNorm, biases."""

import pytest

from engine import families
from tests.families import stranger
from tests.pages.reader import SHORT, Reader

PAGES = ("diagram", "lens", "models", "checks", "parameters")


@pytest.fixture(autouse=True)
def there():
    with families.added(stranger()) as model:
        yield model


def opened(page, **chosen):
    return Reader(page, model="stranger", **(SHORT | chosen))


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_is_shown_by_a_page_and_all_its_folds(page):
    reader = opened(page)
    assert not reader.trouble()
    for control in [one for one in reader.controls() if one.kind in ("expander", "button")]:
        again = reader.control(control.key)
        if again is not None and control.key not in ("stop", "reset"):
            reader.choose((again, True))
            assert not reader.trouble(), control.label


def data(reader, part):
    return next(given for _, given in reader.components() if part in (given or {}))


def test_the_diagram_draws_its_true_shape():
    drawn = data(opened("diagram", compare="gpt2"), "picture")
    assert not {"rope", "qk_norm", "w3", "product"} & {*drawn["parts"]}
    assert "positions" in drawn["parts"]
    assert "LayerNorm" in drawn["parts"]["final_norm"]["label"]
    assert drawn["name"] == "A stranger, from text to prediction"


def test_its_way_before_training_is_said_not_to_be_known():
    reader = opened("lens")
    reader.choose((reader.control("lens-untrained"), True))
    assert "A stranger began is not in the file that runs" in " ".join(
        one.value for one in reader.at.markdown
    )


def test_the_lens_compares_it_with_whatever_cuts_texts_alike(there):
    with families.added(
        there.__class__("twin", there.settings, there.tokenizer, there.network, there.manifest)
    ):
        grids = data(opened("lens", **{"with": "twin"}), "grids")["grids"]
    assert [grid["title"] for grid in grids] == ["A stranger", "A stranger"]
    assert len(data(opened("lens", **{"with": "gpt-4"}), "grids")["grids"]) == 1


def test_it_is_not_asked_what_it_does_not_have():
    listed = " ".join(one.proto.body for one in opened("checks").at.get("html"))
    assert "RoPE by hand" not in listed
    assert "No token sees the future" in listed


def test_its_parameters_are_counted_and_its_time_is_measured(there):
    reader = opened("parameters", a="stranger", count="time", **{"count.timed": "stranger"})
    assert not reader.trouble()
    assert f"<dd>{there.stored:,}</dd>" in " ".join(one.proto.body for one in reader.at.get("html"))
    reader.choose((reader.control("measure"), True))
    assert not reader.trouble()
    assert "Processor time of one pass" in " ".join(one.proto.body for one in reader.at.get("html"))
