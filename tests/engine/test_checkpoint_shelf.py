"""What a server offers, and what of it is in memory: within a limit, and GGUF files converted once."""

import json
import os
import pathlib
import struct
import subprocess
import sys

import gguf
import numpy as np
import pytest
import torch

from engine import families
from engine.counting.architecture import differences
from engine.errors import ReaderError
from engine.families.checkpoints import convert, gguf_header, loading, shelf
from tests import checkpoints, tiny


def make_shelf(tmp_path, limit=10**9, dtype="float32"):
    return shelf.Shelf(limit, dtype, tmp_path / "made")


@pytest.fixture
def models(tmp_path):
    """A folder with two checkpoints that work, one that does not, and a file beside them."""
    root = tmp_path / "models"
    for kind in ("llama", "gpt2", "mistral"):
        checkpoints.write(kind, root / kind)
    checkpoints.edit(root / "mistral", model_type="mamba")
    (root / "notes").mkdir()
    (root / "notes" / "read.txt").write_text("nothing")
    return root


def test_every_sub_folder_with_a_checkpoint_is_an_entry_and_bad_ones_do_not_spoil_the_others(
    tmp_path, models
):
    made = make_shelf(tmp_path)
    for path in shelf.entries(models):
        made.put(path, ())
    assert [*made.offers] == ["gpt2", "llama", "mistral"]
    assert "mamba" in made.offers["mistral"].obstacle
    assert [offer.obstacle for offer in made.offers.values()][:2] == [None, None]
    with pytest.raises(ReaderError, match="mistral can't be opened"):
        made.offers["mistral"].opened()
    assert shelf.entries(models / "llama") == [models / "llama"]


def test_an_offer_knows_its_shape_before_it_is_in_memory(tmp_path, models):
    made = make_shelf(tmp_path)
    offer = made.put(models / "llama", ())
    families.add(offer)
    try:
        assert families.architecture_of("llama") == checkpoints.opened("llama").architecture
        assert families.texts_of("llama") == "plain"
        assert families.family_of("llama") == "llama"
        assert families.pieces_of("llama")
        assert families.offered("llama") is offer
        assert "llama" not in families.beside("gpt-4")
        assert "llama" in families.beside("llama")
        assert made.held() == []
        model = families.load("llama")
        assert made.held() == ["llama"]
        assert model is families.load("llama")
        assert model.pieces == families.pieces_of("llama")
        assert offer.bytes == 4 * model.stored
    finally:
        families.remove("llama")


def test_the_least_recently_used_is_let_go_when_there_is_no_room(tmp_path):
    home = checkpoints.write("llama", tmp_path / "same")
    need = shelf.Shelf(10**9, "float32", tmp_path).put(home, ()).bytes
    made = make_shelf(tmp_path, limit=2 * need + need // 2)
    first, second, third = (made.put(home, (), title) for title in ("first", "second", "third"))
    kept = first.opened(), second.opened()
    assert first.opened() is kept[0]
    third.opened()
    assert made.held() == ["first", "third"]
    assert second.opened() is not kept[1]
    assert made.held() == ["third", "second"]


def test_what_would_not_fit_is_refused_with_both_sizes(tmp_path):
    home = checkpoints.write("llama", tmp_path / "big")
    offer = make_shelf(tmp_path, limit=50_000).put(home, ())
    need = shelf.size(make_shelf(tmp_path).put(home, ()).bytes)
    assert f"It takes {need} of memory, and opened models may take 50 kB together" in offer.obstacle
    assert "SPROUT_MODELS_MB" in offer.obstacle
    half = make_shelf(tmp_path, dtype="bfloat16").put(home, ())
    assert half.obstacle is None
    assert half.bytes < make_shelf(tmp_path).put(home, ()).bytes
    assert half.opened().network.dtype == torch.bfloat16


def test_a_thousand_readers_at_once_make_one_loading(tmp_path, models, monkeypatch):
    loaded = []
    monkeypatch.setattr(shelf, "load", lambda *told: loaded.append(told[1]) or loading.load(*told))
    made = make_shelf(tmp_path)
    offer = made.put(models / "llama", ())
    openings = [made.open(offer) for _ in range(1000)]
    assert len({id(one.result()) for one in openings}) == 1
    assert loaded == ["llama"]


def test_a_name_is_one_that_an_address_can_hold_and_nobody_has(tmp_path):
    home = checkpoints.write("llama", tmp_path / "GPT-4 <b>$x$ … ..")
    made = make_shelf(tmp_path)
    offer, again = made.put(home, {"gpt-4-b-x"}), made.put(home, {"gpt-4-b-x"})
    assert (offer.name, again.name) == ("gpt-4-b-x-2", "gpt-4-b-x-3")
    assert not set("<>$_*`[]") & set(offer.title)
    assert made.put(home, (), "…").name == "checkpoint"


def test_whatever_a_file_is_called_its_obstacle_can_be_shown(tmp_path):
    root = tmp_path / "models"
    root.mkdir()
    for name in (os.fsdecode(b"bad\xff.gguf"), "\u202eevil.gguf", "<b>.gguf"):
        (root / name).write_bytes(b"nope")
    checkpoints.write("llama", root / "index")
    told = {"weight_map": {"a": "\ud800\u202e.safetensors"}}
    (root / "index" / "model.safetensors.index.json").write_text(json.dumps(told))
    made = make_shelf(tmp_path)
    for path in shelf.entries(root):
        offer = made.put(path, ())
        assert offer.obstacle
        for shown in (offer.title, offer.obstacle):
            shown.encode("utf-8")
            assert shown.isprintable()
            assert str(root) not in shown
    assert len(made.offers) == 4


def test_a_folder_that_may_not_be_read_is_told_and_the_rest_works(tmp_path, models, monkeypatch):
    def refused(self):
        if self.name in ("llama", "locked"):
            raise PermissionError(13, "Permission denied", str(self))
        return listed(self)

    listed = pathlib.Path.iterdir
    monkeypatch.setattr(pathlib.Path, "iterdir", refused)
    monkeypatch.setattr(pathlib.Path, "exists", lambda self, **_: bool(refused(self.parent)))
    made = make_shelf(tmp_path)
    assert shelf.entries(models / "locked") == [models / "locked"]
    locked = made.put(models / "llama", ())
    assert "can't be read (Permission denied)" in locked.obstacle
    monkeypatch.undo()
    assert made.put(models / "gpt2", ()).obstacle is None


def test_a_failed_opening_is_tried_again(tmp_path, models):
    made = make_shelf(tmp_path)
    offer = made.put(models / "llama", ())
    weights = models / "llama" / "model.safetensors"
    held = weights.read_bytes()
    weights.write_bytes(held[:-4])
    with pytest.raises(ReaderError, match="not copied whole"):
        offer.opened()
    weights.write_bytes(held)
    assert offer.opened().stored


def test_the_hub_s_cache_gives_the_newest_snapshot(tmp_path):
    home = tmp_path / "models--maker--tiny" / "snapshots" / "abc"
    checkpoints.write("llama", home)
    (tmp_path / "models--maker--empty").mkdir()
    assert shelf.of_the_hub(tmp_path) == [(home, "maker/tiny")]


# GGUF


def write_gguf(path, **changes):
    """A tiny Llama as GGUF, its queries and keys permuted as llama.cpp has them; changes: of its values."""
    network = checkpoints.network("llama")
    config, weights = network.config, {name: one.numpy() for name, one in network.state_dict().items()}
    writer = gguf.GGUFWriter(str(path), "llama")
    values = {
        "context_length": 64, "embedding_length": 32, "block_count": 3, "feed_forward_length": 80,
    }  # fmt: skip
    for name, value in (values | changes).items():
        writer.add_uint32(f"llama.{name}", value)
    writer.add_uint32("llama.attention.head_count", 4)
    writer.add_uint32("llama.attention.head_count_kv", 2)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", config.rms_norm_eps)
    writer.add_float32("llama.rope.freq_base", config.rope_parameters["rope_theta"])
    pieces, _, merges = tiny.stories_tokenizer().vocabulary()
    pieces = [*pieces, *(f"[spare {i}]" for i in range(12))]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(pieces)
    writer.add_token_types([3, *[1] * (len(pieces) - 1)])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    names = {
        "model.embed_tokens": "token_embd", "model.norm": "output_norm", "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "model.layers": "blk",
    }  # fmt: skip
    for name, weight in weights.items():
        if name == "lm_head.weight":
            continue
        heads = 4 if "q_proj" in name else 2 if "k_proj" in name else 0
        if heads:
            weight = weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)
        for ours, theirs in names.items():
            name = name.replace(ours, theirs)
        writer.add_tensor(name, np.ascontiguousarray(weight))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_gguf_file_is_converted_once_and_then_is_the_same_model(tmp_path):
    made = make_shelf(tmp_path)
    offer = made.put(write_gguf(tmp_path / "tiny.gguf"), ())
    assert offer.obstacle is None
    assert differences(offer.architecture, checkpoints.opened("llama").architecture).keys() <= {
        "head_width"  # the config names it, the file leaves it to be worked out
    }
    seen = set()
    opening = made.open(offer)
    while not opening.wait(0.01):
        seen.add(opening.stage)
    model = opening.result()
    assert "converting" in seen
    ids = model.tokenizer.encode("Once upon a time")
    assert ids == checkpoints.opened("llama").tokenizer.encode("Once upon a time")
    np.testing.assert_allclose(model.logits(ids), checkpoints.opened("llama").logits(ids), atol=1e-4)
    folders = [path.name for path in (tmp_path / "made").iterdir()]
    assert len(folders) == 1
    again = make_shelf(tmp_path).put(tmp_path / "tiny.gguf", ())
    assert again.pieces == model.pieces
    assert again.opened().checksum == model.checksum


def test_an_interrupted_conversion_leaves_nothing_that_is_taken_for_a_model(tmp_path):
    made = make_shelf(tmp_path)
    path = write_gguf(tmp_path / "tiny.gguf")
    half = made.converted(path).with_name(made.converted(path).name + ".part-1")
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    os.utime(half, (0, 0))
    (tmp_path / "tokenizer.json").write_text("{}")  # what lies beside a GGUF file is no part of it
    assert made.put(path, ()).opened().stored
    assert not half.exists()


def test_a_conversion_that_fails_says_why(tmp_path, capsys):
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(write_gguf(tmp_path / "tiny.gguf").read_bytes()[:9000])
    assert convert.main([str(bad), str(tmp_path / "out")]) == 1
    assert capsys.readouterr().out.startswith("error ")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "damaged"),
        (b"GGML" + bytes(20), "does not begin with GGUF"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), "version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "entries"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**40), "entries"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 10**6), "in the middle of a text"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "of the family 'None'"),
    ],
)
def test_a_damaged_gguf_header_is_told(tmp_path, content, said):
    path = tmp_path / "odd.gguf"
    path.write_bytes(content)
    offer = make_shelf(tmp_path).put(path, ())
    assert said in offer.obstacle


def test_a_gguf_file_that_was_cut_anywhere_is_told_before_it_is_chosen(tmp_path):
    whole = write_gguf(tmp_path / "tiny.gguf").read_bytes()
    assert make_shelf(tmp_path).put(tmp_path / "tiny.gguf", ()).obstacle is None
    for number, size in enumerate((10, 400, 9000, len(whole) // 2, len(whole) - 40)):
        path = tmp_path / f"cut-{number}.gguf"
        path.write_bytes(whole[:size])
        assert f"The header of cut-{number}.gguf is damaged" in make_shelf(tmp_path).put(path, ()).obstacle


def test_a_gguf_file_that_disagrees_with_itself_is_refused(tmp_path):
    path = write_gguf(tmp_path / "odd.gguf", embedding_length=64)
    with pytest.raises(ReaderError, match="its header makes it 64"):
        gguf_header.architecture(gguf_header.read(path))


def test_looking_at_folders_loads_neither_torch_nor_transformers(models):
    ask = (
        "import sys; from pathlib import Path; from engine.families.checkpoints import shelf\n"
        f"made = shelf.Shelf(10**9, 'float32', Path('nowhere'))\n"
        f"[made.put(path, ()) for path in shelf.entries(Path({str(models)!r}))]\n"
        "print(len(made.offers), {'torch', 'transformers'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert run.stdout == "3 set()\n"
