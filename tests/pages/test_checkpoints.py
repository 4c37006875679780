"""Opened checkpoints of every family on every page: all that is shown of ours is shown of them, or what they
lack is said in a sentence."""

import pytest

from engine import families
from engine.families.checkpoints import shelf
from tests import checkpoints
from tests.pages.reader import Reader, page_names
from tests.pages.test_every_page import Walk, short_sweeps

__all__ = ["short_sweeps"]  # a fixture that is used here too

SHORT = {"passage": "own", "own_passage": "Zorbin met Zorbin."}
THOROUGH = ("neox", "qwen3")  # whose tabs are all opened
KINDS = (*THOROUGH, "llama-scaled", "mistral", "gpt2", "neox-serial")


@pytest.fixture(autouse=True, scope="module")
def there(tmp_path_factory):
    """All kinds offered as a server offers them; they are opened when a page asks."""
    home = tmp_path_factory.mktemp("models")
    made = shelf.Shelf(10**9, "float32", home / "made")
    for kind in KINDS:
        library = checkpoints.sentence_pieces() if kind == "llama-scaled" else None
        checkpoints.write(kind, home / kind, begun=kind == "mistral", library=library)
        families.add(made.put(home / kind, ()))
    yield made
    for kind in KINDS:
        families.remove(kind)


class Glance(Walk):
    """A page and its tabs, none of its other controls moved."""

    def leaves(self, reader):
        pass


def opened(page, kind, **chosen):
    return Reader(page, model=kind, **(SHORT | chosen))


def words(reader):
    said = [*reader.at.markdown, *reader.at.caption, *reader.at.info]
    return " ".join(one.value for one in said).replace("\\", "")


def data(reader, part):
    return next(given for _, given in reader.components() if part in (given or {}))


@pytest.mark.parametrize("page", page_names())
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_shows_a_checkpoint(page, kind):
    if kind in THOROUGH:
        walk = Glance(page)
        walk.state({**SHORT, "model": kind}, path=("control.model",))
        assert not walk.troubles, "\n".join(walk.troubles[:20])
    else:
        trouble = opened(page, kind).trouble()
        # A window of five tokens hides what the usual texts of this page differ in.
        assert not trouble or (page, kind) == ("what_if", "mistral"), trouble


def test_the_list_says_which_models_were_opened():
    chosen = opened("depth", "neox").control("control.model")
    assert chosen.now == "Opened · neox"
    assert "Sprout" in chosen.choices


def test_a_tap_shows_the_library_s_lines_under_its_version():
    drawn = data(opened("diagram", "qwen3"), "picture")
    card = drawn["parts"]["qk_norm"]
    assert card["file"].startswith("transformers 5.")
    assert card["file"].endswith("models/qwen3/modeling_qwen3.py")
    assert "self.q_norm(self.q_proj(hidden_states)" in card["text"]
    whole = drawn["files"][card["file"]]
    first = card["lines"][-1][0]
    assert "".join(piece for _, piece in whole[first - 1]).strip() in card["text"]
    assert drawn["parts"]["tokens"]["file"] == "engine/families/checkpoints/pieces.py"


def test_parallel_blocks_are_drawn_as_parallel():
    drawn = data(opened("diagram", "neox"), "picture")
    assert drawn["picture"]["parallel"] is True
    assert "Both read the stream as it came into the block" in drawn["parts"]["block"]["duty"]
    assert "it turns the first 4; the others know no position" in drawn["parts"]["rope"]["duty"]
    assert "mlp_output + attn_output + hidden_states" in drawn["parts"]["addition1"]["text"]
    serial = data(opened("diagram", "neox-serial"), "picture")
    assert serial["picture"]["parallel"] is False
    assert "attn_output + hidden_states" in serial["parts"]["addition1"]["text"]


def test_one_sum_adds_both_parts_of_a_parallel_block():
    reader = opened("diagram", "neox")
    drawn = data(reader, "picture")["parts"]
    assert drawn["addition1"]["depth"] == drawn["addition2"]["depth"] == "leaving"
    assert drawn["norm2"]["depth"] == drawn["norm1"]["depth"] == "entering"


def test_the_library_s_file_can_be_read_whole():
    reader = opened("code", "qwen3")
    files = reader.control("control.file")
    assert "modeling_qwen3.py" in files.choices
    reader.choose((files, "modeling_qwen3.py"))
    shown = data(reader, "outline")
    assert shown["file"].endswith("models/qwen3/modeling_qwen3.py")
    assert "Qwen3Attention.forward" in [one["name"] for one in shown["outline"]]
    assert not reader.trouble()


def test_the_models_page_lists_what_can_be_opened_and_what_is_in_memory(there, monkeypatch):
    from ui import opened as opened_here

    monkeypatch.setitem(opened_here._offers, "shelf", there)
    said = " ".join(one.proto.body for one in opened("models", "gpt2").at.get("html"))
    assert "is loaded when it is chosen" in said or "in memory now" in said
    assert "llama-scaled" in said


def test_models_of_no_one_s_choice_stay_unopened(there):
    before = set(there.held())
    there._held.clear()
    Reader("stream", model="gpt-4", stream="models")
    Reader("models", model="gpt-4")
    Reader("lens", model="gpt-4")
    assert there.held() == []
    assert before <= set(KINDS)


def test_no_row_lies_between_the_parts_of_a_parallel_block():
    assert "Within the blocks too" not in opened("lens", "neox").control("control.rows").choices
    assert "Within the blocks too" in opened("lens", "qwen3").control("control.rows").choices
