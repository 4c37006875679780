"""What can't be opened is told by its obstacle, before anything large is read; others are not affected."""

import json
import os
import struct

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.errors import ReaderError
from engine.families.checkpoints import folder, loading
from tests import checkpoints

HUGE = 10**12


@pytest.fixture
def home(tmp_path):
    return checkpoints.write("llama-biased", tmp_path / "one")


def tensors(home, **changes):
    """Change the tensors of a folder; None takes one out."""
    held = load_file(home / "model.safetensors") | changes
    save_file({name: one for name, one in held.items() if one is not None}, home / "model.safetensors")


def header(home, edit):
    """Change the header of a file of weights, the bytes after it as they are."""
    path = home / "model.safetensors"
    held = path.read_bytes()
    (length,) = struct.unpack("<Q", held[:8])
    told = json.loads(held[8 : 8 + length])
    edit(told)
    text = json.dumps(told).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + held[8 + length :])


def pipe(path):
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def device(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def other_folder(path):
    path.unlink()
    path.mkdir()


def looped(path):
    path.unlink()
    path.symlink_to(path)


NORM = "model.norm.weight"
# {what is wrong: (how it is made so, what the sentence says)}
OBSTACLES = {
    "family": (lambda h: checkpoints.edit(h, model_type="mamba"), '"mamba", a family that is not opened'),
    "counted, not opened": (lambda h: checkpoints.edit(h, model_type="gemma"), "not opened here"),
    "no family": (lambda h: checkpoints.edit(h, model_type=None), "does not say its model_type"),
    "unknown keys": (lambda h: checkpoints.edit(h, warp=9, bend=1), "has warp, bend, unknown here"),
    "quantised by config": (lambda h: checkpoints.edit(h, quantization_config={"bits": 4}), "quantised"),
    "moving RoPE": (
        lambda h: checkpoints.edit(h, rope_parameters={"rope_type": "dynamic", "rope_theta": 1e4}),
        "in longer texts",
    ),
    "neighbouring RoPE": (lambda h: checkpoints.edit(h, rope_interleaved=True), "pairs neighbours"),
    "labels": (lambda h: checkpoints.edit(h, architectures=["LlamaForSequenceClassification"]), "no output"),
    "absurd sizes": (lambda h: checkpoints.edit(h, hidden_size=HUGE), "hidden_size|d has to be|from 1 to"),
    "many blocks": (lambda h: checkpoints.edit(h, num_hidden_layers=1999), "and 31,933 more are missing"),
    "missing size": (lambda h: checkpoints.edit(h, hidden_size=None), "hidden_size is missing"),
    "no JSON": (lambda h: (h / "config.json").write_text("{"), r"\."),
    "no config": (lambda h: (h / "config.json").unlink(), "config.json can't be read"),
    "tensor missing": (lambda h: tensors(h, **{NORM: None}), "norm.weight is missing"),
    "another shape": (lambda h: tensors(h, **{NORM: torch.ones(7)}), "norm.weight is 7; its config.* 32"),
    "a tensor too many": (lambda h: tensors(h, **{"model.lora": torch.ones(3)}), "hold model.lora, which a"),
    "quantised tensor": (
        lambda h: tensors(h, **{NORM: torch.ones(32, dtype=torch.int8)}), r"model.norm.weight \(I8\) is no"
    ),
    "cut short": (
        lambda h: (h / "model.safetensors").write_bytes((h / "model.safetensors").read_bytes()[:-9]),
        "was not copied whole",
    ),
    "no header": (lambda h: (h / "model.safetensors").write_bytes(b"\xff" * 99), "header of .* is damaged"),
    "empty file": (lambda h: (h / "model.safetensors").write_bytes(b""), "is damaged"),
    "a header of many terabytes": (
        lambda h: header(h, lambda told: told[NORM].update(shape=[HUGE, HUGE])), "bytes for a shape of"
    ),
    "overlapping": (
        lambda h: header(h, lambda told: told[NORM].update(data_offsets=[0, 128])), "overlap or leave gaps"
    ),
    "a negative side": (lambda h: header(h, lambda told: told[NORM].update(shape=[-32])), "that is none"),
    "no weights": (lambda h: (h / "model.safetensors").unlink(), "No .safetensors file"),
    "a pickle": (
        lambda h: (h / "model.safetensors").rename(h / "pytorch_model.bin"), "is a pickle|are a pickle"
    ),
    "no tokenizer": (lambda h: (h / "tokenizer.json").unlink(), "tokenizer.json is missing"),
    "another tokenizer": (
        lambda h: (h / "tokenizer.json").write_text(json.dumps({"model": {"type": "WordPiece"}})),
        r"\(WordPiece\) is neither byte-level BPE",
    ),
    "a pipe for a config": (lambda h: pipe(h / "config.json"), "config.json is no file"),
    "a pipe for weights": (lambda h: pipe(h / "model.safetensors"), "model.safetensors is no file"),
    "a pipe for an index": (lambda h: pipe(h / "model.safetensors.index.json"), "index.json is no file"),
    "a pipe for a tokenizer": (lambda h: pipe(h / "tokenizer.json"), "tokenizer.json is no file"),
    "a device": (lambda h: device(h / "tokenizer.json"), "tokenizer.json is no file"),
    "a folder for weights": (lambda h: other_folder(h / "model.safetensors"), "model.safetensors is no file"),
    "a link to itself": (lambda h: looped(h / "config.json"), "config.json can't be read"),
    "a billion blocks": (lambda h: checkpoints.edit(h, num_hidden_layers=10**9), "from 1 to 2,000"),
    "an untied output that is missing": (lambda h: checkpoints.edit(h, tie_word_embeddings="no"), "or false"),
    "a damaged tokenizer": (lambda h: (h / "tokenizer.json").write_text("[1]"), "does not hold a tokenizer"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", OBSTACLES)
def test_an_obstacle_is_told_in_a_sentence_before_a_weight_is_read(home, wrong, monkeypatch):
    spoil, said = OBSTACLES[wrong]
    spoil(home)
    monkeypatch.setattr(loading, "_weights", lambda *_: pytest.fail("weights were read"))
    with pytest.raises(ReaderError, match=said) as told:
        folder.look(home)
    assert str(told.value).rstrip().endswith((".", ")."))
    assert str(home) not in str(told.value)


def test_a_sharded_folder_is_opened_whole_or_its_missing_file_is_named(tmp_path):
    home = checkpoints.write("qwen3", tmp_path / "shards", max_shard_size="20KB")
    parts = sorted(path.name for path in home.glob("*-of-*.safetensors"))
    assert len(parts) > 2
    model = loading.load(folder.look(home), "shards", "Shards")
    ids = model.tokenizer.encode("Once upon")
    np.testing.assert_array_equal(model.logits(ids), checkpoints.opened("qwen3").logits(ids))
    (home / parts[1]).unlink()
    with pytest.raises(ReaderError, match=f"^{parts[1]} of its {len(parts)} files of weights are missing"):
        folder.look(home)


def test_an_index_can_not_lead_out_of_its_folder(home):
    (home / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"a": "../secret.safetensors"}})
    )
    with pytest.raises(ReaderError, match="can't be read"):
        folder.look(home)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_weight_that_is_no_number_is_told_by_its_name(home, number):
    tensors(home, **{NORM: torch.tensor([number, *[1.0] * 31])})
    with pytest.raises(ReaderError, match=r"norm.weight has 32 numbers, of which 1 are infinite or none"):
        loading.load(folder.look(home), "odd", "Odd")


@pytest.mark.parametrize(
    "changes",
    [{"hidden_act": "os.system"}, {"hidden_act": 7}, {"rms_norm_eps": "a"}, {"bos_token_id": "x"}],
)
def test_a_line_that_the_library_does_not_take_is_told(home, changes):
    checkpoints.edit(home, **changes)
    with pytest.raises(ReaderError, match="does not take its"):
        loading.load(folder.look(home), "odd", "Odd")


@pytest.mark.parametrize("base", [0, float("nan")])
def test_a_base_of_rope_that_gives_no_angles_is_told(home, base):
    checkpoints.edit(home, rope_parameters={"rope_type": "default", "rope_theta": base})
    with pytest.raises(ReaderError, match="angles that are no numbers"):
        loading.load(folder.look(home), "odd", "Odd")


def test_a_config_of_the_tokenizer_that_is_a_pipe_is_not_waited_for(home):
    pipe(home / "tokenizer_config.json")
    with pytest.raises(ReaderError, match="is no file"):
        loading.load(folder.look(home), "odd", "Odd")


def test_code_that_comes_along_is_never_looked_for(home):
    checkpoints.edit(home, auto_map={"AutoModelForCausalLM": "evil.Evil"})
    (home / "evil.py").write_text("raise SystemExit('ran')")
    model = loading.load(folder.look(home), "safe", "Safe")
    assert type(model.network).__module__ == "transformers.models.llama.modeling_llama"


def test_older_names_of_weights_are_understood(tmp_path):
    home = checkpoints.write("gpt2", tmp_path / "old")
    held = load_file(home / "model.safetensors")
    old = {name.removeprefix("transformer."): one for name, one in held.items()}
    masks = {f"h.{i}.attn.bias": torch.ones(1, 1, 64, 64) for i in range(3)}
    save_file(old | masks, home / "model.safetensors")
    checkpoints.edit(home, architectures=["GPT2LMHeadModel"])
    ids = [5, 400, 7]
    same = loading.load(folder.look(home), "old", "Old")
    np.testing.assert_array_equal(same.logits(ids), checkpoints.opened("gpt2").logits(ids))
    home = checkpoints.write("neox", tmp_path / "older")
    held = load_file(home / "model.safetensors")
    held["lm_head.weight"] = held.pop("embed_out.weight")  # the library still writes the older name
    save_file(held, home / "model.safetensors")
    same = loading.load(folder.look(home), "older", "Older")
    np.testing.assert_array_equal(same.logits(ids), checkpoints.opened("neox").logits(ids))


def test_half_precision_files_are_read_as_the_numbers_they_hold(tmp_path):
    home = checkpoints.write("llama", tmp_path / "half")
    held = load_file(home / "model.safetensors")
    save_file({name: one.bfloat16() for name, one in held.items()}, home / "model.safetensors")
    checkpoints.edit(home, dtype="bfloat16")
    model = loading.load(folder.look(home), "half", "Half")
    assert model.network.dtype == torch.float32
    name = "model.layers.0.mlp.gate_proj.weight"
    np.testing.assert_array_equal(model.part("w1", 0).T, held[name].bfloat16().float())
