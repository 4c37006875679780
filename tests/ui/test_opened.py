"""What a server offers is told by who starts it, on the command line or in the environment alone."""

import os
import subprocess
import sys

import pytest

from engine import families
from engine.errors import ReaderError
from tests import checkpoints
from ui import choice, opened
from views import opened as opened_view


@pytest.fixture
def models(tmp_path):
    """A folder with a checkpoint that works and one that does not."""
    checkpoints.write("llama", tmp_path / "models" / "sprout")
    checkpoints.write("gpt2", tmp_path / "models" / "half")
    (tmp_path / "models" / "half" / "model.safetensors").unlink()
    return tmp_path / "models"


@pytest.fixture
def put(tmp_path):
    """A function that offers folders, and takes them back when the test is done."""
    before, kept = families.available(), {"SPROUT_CACHE": str(tmp_path / "made")}

    def put(*named, **environment):
        return opened.offer([str(one) for one in named], kept | environment)

    yield put
    for name in set(families.available()) - set(before):
        families.remove(name)


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (["--models", "a", "--models", "hub"], {"SPROUT_MODELS": "b"}, ["a", "hub"]),
        (["--other", "--models=a"], {"SPROUT_FROM": "/from"}, ["/from/a"]),
        ([], {"SPROUT_MODELS": os.pathsep.join(("a", "/b"))}, ["a", "/b"]),
        ([], {}, []),
    ],
)
def test_folders_are_named_by_the_command_line_or_else_the_environment(arguments, environment, expected):
    assert opened.folders(arguments, environment) == expected


def test_what_can_be_opened_joins_the_list_and_what_can_not_is_only_told(put, models):
    shelf = put(models, models / "nowhere")
    assert [*shelf.offers] == ["half", "sprout-2"]
    assert "sprout-2" in families.available()
    assert "half" not in families.available()
    assert choice.listed("sprout-2") == "Opened · sprout"
    assert choice.listed("sprout") == "Sprout"
    said = opened_view.html(shelf)
    assert "No .safetensors file lies in it." in said
    assert opened_view.sentence(shelf).startswith("2 entries, of which 1 can be opened.")


def test_a_reader_waits_for_it_once_and_then_has_it(put, models):
    put(models)
    model = opened.model("sprout-2")
    assert model is opened.model("sprout-2")
    assert model.title == "sprout"
    assert families.offered("sprout-2").shelf.held() == ["sprout-2"]


def test_a_setting_that_makes_no_sense_is_refused(put, models):
    assert 0 < opened.memory(None) < 1e15
    assert opened.memory("8000") == 8e9
    with pytest.raises(ReaderError, match="whole number of MB, such as 8000"):
        put(models, SPROUT_MODELS_MB="a lot")
    with pytest.raises(ReaderError, match="float32 or bfloat16"):
        put(models, SPROUT_DTYPE="int8")


def test_conversions_go_outside_the_repository(root):
    assert not opened.cache_folder({}).is_relative_to(root)
    assert opened.cache_folder({"SPROUT_CACHE": "/x"}).name == "x"
    assert opened.hub_folder({"HF_HOME": "/home"}).parts[-2:] == ("home", "hub")


def test_nothing_is_offered_where_nothing_was_named():
    assert opened.shelf() is None
    assert not [name for name in families.available() if families.offered(name)]


def test_a_server_without_opened_models_starts_no_later_for_them():
    ask = "import sys, ui.opened; print({'torch', 'transformers', 'safetensors', 'gguf'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_who_waits_is_told_what_for(put, models):
    kept = put(models).offers["sprout-2"]
    assert "being converted from GGUF" in opened_view.waiting(kept, "converting")
    assert "it takes 195 kB of memory" in opened_view.waiting(kept, "loading")
    assert "waits for its turn" in opened_view.waiting(kept, "waiting")
