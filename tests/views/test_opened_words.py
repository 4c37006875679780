"""What is said of opened checkpoints: how many are not opened, and why a text is read in part."""

from dataclasses import replace

from engine.families.checkpoints import opened, shelf
from tests import checkpoints
from views import opened as opened_view


def test_only_entries_that_can_not_be_opened_are_counted_beside_the_list(tmp_path):
    made = shelf.Shelf(10**9, "float32", tmp_path / "made")
    made.put(checkpoints.write("llama", tmp_path / "llama"), ())
    assert opened_view.closed(made) is None
    checkpoints.write("gpt2", tmp_path / "odd")
    checkpoints.edit(tmp_path / "odd", model_type="mamba")
    made.put(tmp_path / "odd", ())
    assert opened_view.closed(made) == "1 not opened"
    assert opened_view.sentence(made).startswith("2 entries, of which 1 can be opened")


def test_a_model_that_is_declared_for_longer_texts_says_what_its_attention_would_take():
    model = checkpoints.opened("llama")
    assert opened_view.read_at_most(model) == ""
    longer = replace(model.architecture, context=8192)
    model = replace(model, settings=replace(model.settings, architecture=longer))
    said = opened_view.read_at_most(model)
    assert model.context == opened.LONGEST
    assert "declared for texts of 8,192 tokens. Here the first 512 are read" in said
    assert shelf.size(4 * 3 * 4 * 8192**2) in said  # float32, 3 blocks of 4 heads
