"""A model of a family that no page was written for: no gate, no RoPE, LayerNorm, biases.

Every page of the navigation shows it, and what it lacks is said in a sentence.
"""

import pytest

from engine import families
from tests.families import stranger
from tests.pages.reader import SHORT, Reader, page_names
from tests.pages.test_every_page import Walk, short_sweeps

pytestmark = pytest.mark.no_cover  # the engine's own tests tell what they run; to note each line takes long
__all__ = ["short_sweeps"]  # a fixture that is used here too


@pytest.fixture(autouse=True, scope="module")
def there():
    with families.added(stranger()) as model:
        yield model


def opened(page, **chosen):
    return Reader(page, model="stranger", **(SHORT | chosen))


def words(reader):
    """All sentences on the page."""
    said = [*reader.at.markdown, *reader.at.caption, *reader.at.info]
    return " ".join(one.value for one in said).replace("\\", "")


@pytest.mark.parametrize("page", page_names())
def test_a_page_shows_a_stranger_whatever_is_chosen(page):
    """The parameters' settings are one list whatever is counted: the walk over ours moves each alone."""
    chosen, counted = {"model": "stranger"}, page == "parameters"
    if counted:
        chosen |= {"a": "stranger", "count.timed": "stranger"}
    walk = Walk(page, at_once=counted)
    walk.state({**SHORT, **chosen}, path=("control.model", "control.a"))
    assert walk.steps
    assert not walk.troubles, "\n".join(walk.troubles[:20])


def test_the_chosen_model_is_the_stranger():
    for page in ("depth", "leave_out", "mismatch", "length"):
        assert Reader(page, model="stranger").control("control.model").now == "A stranger"


def test_depth_compares_only_models_that_cut_texts_alike():
    said = words(Reader("depth", model="stranger"))
    assert "Not compared here: gpt-1, gpt-4, Sprout, The store's model (another tokenizer)." in said
    assert "A stranger, 3 blocks: loss" in said.replace("*", "")


def test_what_a_stranger_lacks_is_said_where_the_figure_would_be():
    said = words(Reader("mismatch", model="stranger"))
    assert "A stranger has no RoPE, no gate and no QK-norm to change." in said
    assert "No detail of A stranger can be changed here." in said
    assert "A stranger has no RoPE that could be taken away" in said
    assert "A stranger has positions for 160 tokens and for no more." in words(
        Reader("length", model="stranger")
    )
    assert "can't be put together otherwise here" in words(Reader("leave_out", model="stranger"))


def test_its_lines_are_not_ours_to_show():
    shown = " ".join(one.value for one in opened("checks").at.text)
    assert "A stranger runs with code that is not part of this app, so its lines are not shown." in shown
    assert not opened("checks").at.warning


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
