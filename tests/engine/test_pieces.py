"""A checkpoint's tokenizer gives the ids that Hugging Face's gives, and shows every piece as it is."""

import json

import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import pre_tokenizers
from transformers import PreTrainedTokenizerFast

from engine import measures
from engine.errors import ReaderError
from engine.families.checkpoints import folder, loading, pieces, unwritten
from engine.tokenizer import clean
from tests import checkpoints, tiny
from tests.checkpoints import sentence_pieces

ODD = ("", " ", "Zoë ate 12 🙂 pies.\n\tdef f(x):", "\u202eabc\x00", "<|end|> </s> $x$", "مرحبا", "a  b   c")


def byte_level():
    """A tokenizer as GPT-2's, with an added piece of blanks that is no marker, as Pythia's has."""
    library = Library.from_str(tiny.stories_tokenizer()._library.to_str())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.add_tokens(["   "])
    return library


def read(tmp_path, library, config=None, told=None, rows=None):
    library.save(str(tmp_path / "tokenizer.json"))
    if told is not None:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(told))
    return pieces.read(tmp_path, config or {}, rows or len(library.get_vocab()) + 5)


@pytest.mark.parametrize("make", [sentence_pieces, byte_level])
def test_the_ids_are_those_of_hugging_face_s_own_tokenizer(tmp_path, make):
    ours = read(tmp_path, make())
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    for text in (*ODD[1:4], *ODD[5:], *measures.own_plain()[:3]):
        assert ours.encode(text) == theirs(text).input_ids


def test_what_stands_before_a_text_is_the_tokenizer_s_own(tmp_path):
    began = read(tmp_path, sentence_pieces(), {"eos_token_id": [2, 7]})
    assert began.encode("the")[0] == 1
    assert began.encode("the", start=False)[0] != 1
    assert (began.marks, began.marker_id, began.end_id) == (True, 1, 2)
    assert began.encode("") == [1]
    plain = read(tmp_path, byte_level(), {"eos_token_id": 0})
    assert (plain.marks, plain.marker_id, plain.end_id) == (False, 0, 0)
    assert plain.encode("") == [0]
    assert plain.encode("", start=False) == []


def test_tokenizer_config_adds_the_first_token_or_takes_it_away(tmp_path):
    told = {"add_bos_token": True, "bos_token": {"content": "<|end|>"}}
    assert read(tmp_path, byte_level(), told=told).start == (0,)
    told = {"add_bos_token": False, "bos_token": "<s>"}
    assert read(tmp_path, sentence_pieces(), told=told).start == ()


@pytest.mark.parametrize("make", [sentence_pieces, byte_level])
@given(text=st.text())
def test_a_typed_marker_is_text_and_no_piece_is_lost(tmp_path_factory, make, text):
    cut = read(tmp_path_factory.mktemp("cut"), make())
    for one in (text.replace("▁", "_"), *ODD):  # SentencePiece writes a space so, and can't tell them apart
        ids = cut.encode(one, start=False)
        assert not set(ids) & set(cut._specials)
        said = cut.decode(ids)
        assert said == clean(one) or (make is sentence_pieces and said == " " + clean(one)) or not one


@pytest.mark.parametrize("make", [sentence_pieces, byte_level])
def test_every_id_has_a_label_that_shows_it(tmp_path, make):
    cut = read(tmp_path, make())
    V = len(cut._library.get_vocab())
    assert cut.label(V + 2) == f"⟨no piece: {V + 2}⟩"
    assert cut.piece(V + 2) == b""
    labels = [cut.label(i) for i in range(V)]
    assert all(labels)
    assert not any(" " in label or "\n" in label for label in labels)
    if make is sentence_pieces:
        assert labels[1] == "<s>"
        assert "·the" in labels
        assert cut.label(3 + 0xC3) == "⟨C3⟩"
    else:
        assert labels[0] == "<|end|>"
        assert cut.label(cut._library.token_to_id("   ")) == "···"


def test_a_letter_in_several_byte_pieces_comes_back_whole(tmp_path):
    cut = read(tmp_path, sentence_pieces())
    ids = cut.encode("🙂", start=False)
    assert len(ids) == 5
    assert cut.decode(ids).strip() == "🙂"
    assert cut.added(ids[1]) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is damaged"), ("[]", "is damaged"), ('{"model": 3}', "is damaged"), ("[" * 9999, "is damaged"),
        ('{"model": {"type": "WordPiece"}}', "(WordPiece) is neither"),
        ('{"model": {"type": "BPE"}, "decoder": {"type": "BPEDecoder"}}', "(BPE) is neither"),
        ('{"model": {"type": "BPE"}, "decoder": {"type": "ByteLevel"}}', "is damaged"),
    ],
)  # fmt: skip
def test_a_tokenizer_that_can_not_be_read_is_told(tmp_path, text, said):
    (tmp_path / "tokenizer.json").write_text(text)
    with pytest.raises(ReaderError, match="tokenizer") as told:
        pieces.read(tmp_path, {}, 100)
    assert said in str(told.value)


def test_a_tokenizer_of_another_model_is_refused(tmp_path):
    with pytest.raises(ReaderError, match="they are of two models"):
        read(tmp_path, byte_level(), rows=300)
    with pytest.raises(ReaderError, match="names token 99,999"):
        read(tmp_path, byte_level(), {"bos_token_id": 99_999})


def test_models_with_the_same_file_cut_texts_alike(tmp_path):
    one, other = (checkpoints.opened(kind) for kind in ("llama", "qwen3"))
    assert one.pieces == other.pieces
    assert one.pieces != checkpoints.opened("mistral").pieces  # whose texts begin with a marker


def unwritten_gpt2(home):
    """vocab.json and merges.txt of a tokenizer that cuts texts as GPT-2's does -> that tokenizer, whole."""
    library = Library.from_str(tiny.stories_tokenizer()._library.to_str())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.model.save(str(home))
    return library


@pytest.mark.parametrize("kind", ["gpt2", "qwen2", "neox"])
def test_a_vocabulary_and_merges_are_cut_as_the_family_cuts_them(tmp_path, kind):
    home = checkpoints.write(kind, tmp_path / kind)
    (home / "tokenizer.json").unlink()
    whole = unwritten_gpt2(home)
    described = folder.look(home)
    model = loading.load(described, kind, kind)
    name = unwritten.CLASSES[described.layout.kind][1]
    theirs = getattr(transformers, name).from_pretrained(home)
    for text in (*ODD[1:4], *ODD[5:], *measures.own_plain()[:3]):
        assert model.tokenizer.encode(text) == theirs(text).input_ids
        if kind == "gpt2":
            assert model.tokenizer.encode(text) == whole.encode(text, add_special_tokens=False).ids
    one, other = (model.tokenizer.encode(text) for text in ("12", "1"))
    assert kind != "qwen2" or (len(one), len(other)) == (2, 1)  # it takes every digit by itself
    assert model.logits(model.tokenizer.encode("Once upon a time")).shape[0] > 1
    (home / "merges.txt").write_text((home / "merges.txt").read_text() + "\n")
    assert folder.look(home).pieces != described.pieces


@pytest.mark.parametrize(
    ("kind", "file", "text", "said"),
    [
        ("llama", None, None, "do not say how a text is cut before it is merged, and this llama may"),
        ("gpt2", "tokenizer_config.json", '{"tokenizer_class": "BertTokenizer"}', r"several ways \(BertTok"),
        ("gpt2", "tokenizer_config.json", "{", "tokenizer_config.json can't be read"),
        ("gpt2", "vocab.json", "[1]", "vocab.json is damaged"),
        ("gpt2", "vocab.json", '{"a": 10000000000000000000000}', "makes no tokenizer of"),
        ("gpt2", "vocab.json", "[" * 99_999, "vocab.json can't be read"),
        ("gpt2", "merges.txt", None, "tokenizer.json is missing. Write it with transformers"),
        ("gpt2", "merges.txt", "no such pieces", "makes no tokenizer of vocab.json and merges.txt"),
    ],
)
def test_a_vocabulary_that_does_not_make_a_tokenizer_is_told(tmp_path, kind, file, text, said):
    home = checkpoints.write(kind, tmp_path / kind)
    (home / "tokenizer.json").unlink()
    unwritten_gpt2(home)
    if file and text is None:
        (home / file).unlink()
    elif file:
        (home / file).write_text(text)
    with pytest.raises(ReaderError, match=said):
        loading.load(folder.look(home), kind, kind)


def test_sentence_piece_s_own_file_is_told_with_what_to_do(tmp_path):
    home = checkpoints.write("llama", tmp_path / "llama")
    (home / "tokenizer.json").rename(home / "tokenizer.model")
    with pytest.raises(ReaderError, match=r"tokenizer.model is SentencePiece's own file.*Write it with"):
        folder.look(home)
