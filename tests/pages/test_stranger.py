"""A model of a family that no page was written for is shown, and what it lacks is said in a sentence."""

import pytest

from engine import families
from tests.families import stranger
from tests.pages.reader import SHORT, Reader
from tests.pages.test_every_page import Walk, short_sweeps

__all__ = ["short_sweeps"]  # a fixture that is used here too
PAGES = ("depth", "leave_out", "mismatch", "length")  # each asks for a model as it opens
PARTS = ("rope", "norm", "gate", "stream")


@pytest.fixture(autouse=True, scope="module")
def _added():
    with families.added(stranger()):
        yield


def words(reader):
    """All sentences on the page."""
    said = [*reader.at.markdown, *reader.at.caption, *reader.at.info]
    return " ".join(one.value for one in said).replace("\\", "")


@pytest.mark.parametrize("page", [*PAGES, *PARTS])
def test_a_page_shows_a_stranger_whatever_is_chosen(page):
    walk = Walk(page)
    walk.state({**SHORT, "model": "stranger"}, path=("control.model",))
    assert not walk.troubles, "\n".join(walk.troubles[:20])


def test_the_chosen_model_is_the_stranger():
    for page in PAGES:
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
    assert "A stranger has positions for 40 tokens and for no more." in words(
        Reader("length", model="stranger")
    )
    assert "can't be put together otherwise here" in words(Reader("leave_out", model="stranger"))
