"""What is written for other programs gives, in their own code, the same ids and the same scores."""

import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

import engine
from engine import export, weights
from engine.errors import LacksError
from engine.export import gguf_file, names
from engine.export.__main__ import main
from engine.families import Change
from engine.families.checkpoints.shelf import Shelf
from tests import tiny
from tests.families import stranger
from tests.test_architecture import ROOT

transformers = pytest.importorskip("transformers")
TEXTS = (
    "Once upon a time, in 1984, Tim's dog ran  away.\n\nIt was 12:30!",
    "",
    " ",
    "ŵ 🦉\t\r\n",
    "<b>$x$</b>",
)
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.fixture(params=["sprout", "store"])
def model(request):
    return tiny.model(request.param)


def opened(folder, **how):
    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **how).eval()


def scores(network, ids):
    with torch.no_grad():
        return network(torch.tensor(ids)[None], use_cache=False).logits[0].numpy()


def some_ids(model):
    return [model.tokenizer.marker_id, 20, 31, 7, 300, 20, 31]


def held_to(model, network, ids):
    ours, theirs = model.logits(ids), scores(network, ids)
    assert np.abs(ours - theirs).max() < 1e-4 * (ours.max() - ours.min())


def test_the_folder_gives_the_same_scores_in_transformers(model, tmp_path):
    export.write_folder(model, tmp_path)
    held_to(model, opened(tmp_path), some_ids(model))


@pytest.mark.parametrize("name", weights.available())
def test_every_model_of_ours_is_opened_with_its_tokenizer(name, tmp_path):
    model = engine.load(name)
    export.write_folder(model, tmp_path, "# A card\n")
    network = opened(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for text in TEXTS:
        if model.tokenizer.separator_id is None or "\n" not in text:
            ids = model.tokenizer.encode(text)
            assert theirs(text).input_ids == ids
            assert theirs.decode(ids, skip_special_tokens=True) == text
    held_to(model, network, model.tokenizer.encode(TEXTS[0].replace("\n", " ")))
    assert sum(one.numel() for one in network.parameters()) == model.stored
    assert (tmp_path / "README.md").read_text("utf-8").count("# A card") == 1


def test_a_typed_marker_is_text_in_their_tokenizer_as_in_ours(tmp_path):
    model = tiny.model("sprout")
    export.write_folder(model, tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs("a<|end|>b").input_ids == model.tokenizer.encode("a<|end|>b")


def test_a_product_s_two_lines_are_written_with_the_separator(tmp_path):
    model = tiny.model("store")
    export.write_folder(model, tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    sign = model.tokenizer.label(model.tokenizer.separator_id)
    assert theirs(f"Red Lamp{sign}It is red.").input_ids == model.tokenizer.encode("Red Lamp\nIt is red.")


def test_the_card_s_lines_of_code_run_as_they_stand(model, tmp_path):
    export.write_folder(model, tmp_path)
    card = (tmp_path / "README.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", card, re.S)[1].replace('"this-folder"', repr(str(tmp_path)))
    exec(compile(code.replace("max_new_tokens=40", "max_new_tokens=3"), "card", "exec"), {})


def test_the_zip_holds_the_folder(model):
    files = export.folder_files(model)
    with zipfile.ZipFile(BytesIO(export.zipped(model))) as archive:
        assert {one.split("/")[1]: archive.read(one) for one in archive.namelist()} == files
    assert json.loads(files["config.json"])["num_hidden_layers"] == model.architecture.n_layer


def test_weights_are_halved_only_where_nothing_is_lost():
    assert names.kept_small(np.float32([1.5, -0.25])).dtype == np.float16
    assert names.kept_small(np.float32([1.5, 0.1])).dtype == np.float32
    assert names.kept_small(np.float32([1e6])).dtype == np.float32


def test_what_is_neither_layout_is_refused(model, tmp_path):
    with pytest.raises(LacksError, match="changed model"):
        export.write_folder(model.changed(Change("base", value=500.0)), tmp_path)
    with pytest.raises(LacksError, match="neither a Qwen3 nor a Llama"):
        export.folder_files(stranger())
    assert not list(tmp_path.iterdir())


def from_gguf(model, folder):
    """What transformers reads from the file; of a Qwen3's file it takes every head to be 128 wide, so the
    settings come from the folder."""
    pytest.importorskip("gguf")
    pytest.importorskip("accelerate")
    export.write_folder(model, folder)
    export.write_gguf(model, folder / "tiny.gguf")
    config = transformers.AutoConfig.from_pretrained(folder)
    return opened(folder, gguf_file="tiny.gguf", config=config)


def test_the_gguf_file_gives_the_same_scores_in_transformers(model, tmp_path):
    held_to(model, from_gguf(model, tmp_path), some_ids(model))


def test_what_was_written_opens_here_as_any_checkpoint(model, tmp_path):
    pytest.importorskip("gguf")
    text = "Once upon a time, in 1984, Tim's dog ran  away."
    export.write_folder(model, tmp_path / "tiny")
    export.write_gguf(model, tmp_path / "tiny.gguf")
    made = Shelf(10**9, "float32", tmp_path / "made")
    for path in (tmp_path / "tiny", tmp_path / "tiny.gguf"):
        again = made.put(path, ()).opened()
        ids = model.tokenizer.encode(text)
        assert again.tokenizer.encode(text) == ids
        ours, theirs = model.logits(ids), again.logits(ids)
        assert np.abs(ours - theirs).max() < 1e-4 * (ours.max() - ours.min())


def test_queries_left_in_halves_would_be_noticed(tmp_path, monkeypatch):
    model = tiny.model("store")
    monkeypatch.setattr(gguf_file, "neighbours_together", lambda weight, width: weight)
    network = from_gguf(model, tmp_path)
    with pytest.raises(AssertionError):
        held_to(model, network, some_ids(model))


def test_the_gguf_file_holds_the_vocabulary_and_the_merges(model, tmp_path):
    gguf = pytest.importorskip("gguf")
    export.write_gguf(model, tmp_path / "tiny.gguf")
    fields = gguf.GGUFReader(tmp_path / "tiny.gguf").fields
    pieces, specials, merges = model.tokenizer.vocabulary()
    kinds = fields["tokenizer.ggml.token_type"].contents()
    assert fields["tokenizer.ggml.tokens"].contents() == pieces
    assert fields["tokenizer.ggml.merges"].contents() == [" ".join(pair) for pair in merges]
    assert {i for i, kind in enumerate(kinds) if kind == 3} == specials
    assert fields["tokenizer.ggml.bos_token_id"].contents() == model.tokenizer.marker_id


LIBRARIES = {}
for name in ("gpt-4", "store"):
    library = engine.load(name).tokenizer.copied()
    library.encode_special_tokens = True
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(GPT2), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    LIBRARIES[name] = library


@given(st.text(max_size=60) | st.text("ab 19٣½.,'s\n\t", max_size=40))
@settings(deadline=None)
def test_gpt_2_s_rule_for_cutting_a_text_gives_our_pieces(text):
    """GGUF names a rule by a word, and has none for ours, which takes digits one at a time."""
    for name, library in LIBRARIES.items():
        ours = engine.load(name).tokenizer.copied()
        ours.encode_special_tokens = True
        assert library.encode(text).ids == ours.encode(text).ids


def test_the_command_writes_folder_and_file_and_says_so(tmp_path, capsys):
    pytest.importorskip("gguf")
    main(["gpt-1", "--to", str(tmp_path / "made"), "--gguf"])
    assert "gpt-1" in capsys.readouterr().out
    assert {one.name for one in (tmp_path / "made").iterdir()} >= {"gpt-1.gguf", "config.json"}
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        main(["gpt-1", "--to", str(tmp_path / "file")])


def test_writing_needs_neither_torch_nor_transformers_for_numpy_s_model():
    code = (
        "import sys, engine; from engine import export; export.folder_files(engine.load('store'));"
        "print({'torch', 'transformers'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
