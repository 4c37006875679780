"""The tokenizer: every text comes back, and every label shows exactly what a piece holds."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import measures, weights
from engine.tokenizer import MARKER, STORE_SEPARATOR, STORE_START, Tokenizer, clean, label_bytes, readable
from tests import tiny
from training.corpus import Product
from training.store import rows

ODD = (
    "", " ", "\n", "\r\n", "\t\t", "  two  spaces  ", "👩‍👩‍👧‍👦 🇳🇱 👍🏽", "e\u0301 a\u0308\u0323",
    "שלום עולם", "مرحبا\u202ebackwards",
    "\x00\x07\x1b[31m\x7f\x85", "\ufeff\u200b\u00a0\u2028\u2029",
    MARKER, f"{MARKER}{STORE_START}{STORE_SEPARATOR}",
    "<b>$x$</b>", "·⟨E2⟩↵", "\ufffd", "\ud800", "a\udfffb", "\U0010ffff",
    "漢字かな交じり", "ﷺ" * 3, "n\u0303" * 50,
)  # fmt: skip
TEXTS = st.text(st.characters())  # lone surrogates and unassigned characters included


def shipped(name):
    if name not in weights.available():
        pytest.skip(f"no weights of {name} here")
    return Tokenizer.from_file(weights.FOLDER / name / "tokenizer.json")


@pytest.fixture(scope="module", params=["tiny sprout", "tiny store", "gpt-4", "store"])
def tokenizer(request):
    kinds = {"tiny sprout": tiny.stories_tokenizer, "tiny store": tiny.store_tokenizer}
    return kinds[request.param]() if request.param in kinds else shipped(request.param)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_every_odd_text_comes_back(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == clean(text)
    assert b"".join(map(tokenizer.piece, tokenizer.encode(text))) == clean(text).encode()


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_any_text_comes_back(text):
    for tokenizer in (tiny.stories_tokenizer(), tiny.store_tokenizer()):
        assert tokenizer.decode(tokenizer.encode(text)) == clean(text)


@given(TEXTS)
def test_cleaning_changes_lone_surrogates_only(text):
    kept = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    assert clean(text) == kept
    clean(text).encode()  # does not raise


@pytest.mark.parametrize("text", [*ODD, f"x{MARKER}\n{MARKER}"], ids=ascii)
def test_a_typed_marker_is_text_and_the_marker_stands_only_at_the_start(tokenizer, text):
    first, *rest = tokenizer.encode(text)
    assert first == tokenizer.marker_id
    assert tokenizer.encode(text, start=False) == rest
    specials = {tokenizer.marker_id, tokenizer.end_id}
    assert not specials & set(rest)


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_many_texts_at_once_give_the_same_pieces(text):
    tokenizer = tiny.stories_tokenizer()
    one_by_one = [tokenizer.encode(each, start=False) for each in (text, "x")]
    assert tokenizer.encode_batch([clean(text), "x"]) == one_by_one


def test_every_byte_has_a_piece(tokenizer):
    assert {tokenizer.piece(i) for i in range(len(tokenizer))} >= {bytes([byte]) for byte in range(256)}


def test_half_a_character_decodes_to_a_replacement_character():
    tokenizer = tiny.stories_tokenizer()
    ids = tokenizer.encode("😀", start=False)
    assert len(ids) > 1  # no story of ours has a smiley
    assert "\ufffd" in tokenizer.decode(ids[:1])


# labels


def read_label(label):
    """The bytes that a label stands for: what label_bytes must be the inverse of."""
    signs = {"·": " ", "↵": "\n", "⇥": "\t", "␍": "\r"}
    made = b""
    for code, char in re.findall(r"⟨([^⟩]*)⟩|(.)", label, re.DOTALL):
        if code.startswith("U+"):
            made += chr(int(code[2:], 16)).encode()
        elif code:
            made += bytes.fromhex(code)
        else:
            made += signs.get(char, char).encode()
    return made


@settings(deadline=None, max_examples=300)
@given(st.binary() | st.text().map(str.encode))
@example("·".encode() + b" ")
@example("⟨E2⟩".encode() + b"\xe2")
@example("\ufffd".encode() + b"\xff")
@example(b"\xed\xa0\x80")  # a surrogate, which is no UTF-8
@example("e\u0301\u202e\u00a0\U000e0001\u0085".encode())
def test_a_label_tells_its_bytes_exactly(piece):
    label = label_bytes(piece)
    assert read_label(label) == piece
    assert label.isprintable()
    assert "\ufffd" not in label
    assert " " not in label


@pytest.mark.parametrize(("piece", "label"), [
    (b" the", "·the"), (b"\n\n", "↵↵"), (b"\t", "⇥"), (b"\r\n", "␍↵"), (b"\xf0\x9f", "⟨F0⟩⟨9F⟩"),
    (b"\xc3\xa9t\xc3", "ét⟨C3⟩"), ("\u0301".encode(), "⟨U+0301⟩"), ("·".encode(), "⟨U+00B7⟩"),
    ("\ufffd".encode(), "⟨U+FFFD⟩"), (b"\x00", "⟨U+0000⟩"), ("é".encode(), "é"),
    ("😀".encode(), "😀"), (b"<b>", "<b>"),
])  # fmt: skip
def test_known_labels(piece, label):
    assert label_bytes(piece) == label


@given(TEXTS)
def test_what_is_written_can_be_read_and_what_can_not_be_seen_is_written_out(text):
    text = clean(text)
    said = readable(text.encode())
    assert all(c in " \n\t\r" or unicodedata.category(c)[0] not in "CZ" for c in said)
    seen = [c for c in text if c in " \n\t\r" or (unicodedata.category(c)[0] not in "CZ" and c != "\ufffd")]
    assert (said == text) == (len(seen) == len(text))


def test_controls_and_parts_of_characters_look_in_a_text_as_they_do_in_labels():
    assert readable(b"a \x07\n\xe2\x82 e\xcc\x81 \xef\xbf\xbd") == "a ⟨U+0007⟩\n⟨E2⟩⟨82⟩ e\u0301 ⟨U+FFFD⟩"
    tokenizer = tiny.stories_tokenizer()
    ids = tokenizer.encode("two\x1bwords ")
    assert tokenizer.read(ids) == "two⟨U+001B⟩words "
    assert tokenizer.read([tokenizer.marker_id]) == ""


def test_only_tokenizers_that_cut_alike_share_a_checksum():
    stories, products = tiny.stories_tokenizer(), tiny.store_tokenizer()
    assert stories.checksum != products.checksum
    assert shipped("gpt-1").checksum == shipped("gpt-4").checksum != stories.checksum


def test_no_two_pieces_share_a_label(tokenizer):
    labels = [tokenizer.label(i) for i in range(len(tokenizer))]
    assert len(set(labels)) == len(labels)
    assert not any("\ufffd" in label or not label or not label.isprintable() for label in labels)


def test_the_markers_are_shown_as_such(tokenizer):
    assert tokenizer.label(tokenizer.end_id) == MARKER
    expected = MARKER if tokenizer.separator_id is None else STORE_START
    assert tokenizer.label(tokenizer.marker_id) == expected
    assert tokenizer.piece(tokenizer.marker_id) == b""


# the store


@pytest.mark.parametrize("text", [
    "Red mug\nHolds tea.", "Red mug\nHolds tea.\nAnd coffee.", "Red mug\n", "\nHolds tea.", "\n",
    "Red mug", "", "a\r\nb",
])  # fmt: skip
def test_the_first_line_end_of_a_product_is_the_separator(text):
    tokenizer = tiny.store_tokenizer()
    ids = tokenizer.encode(text)
    name, line_end, _ = text.partition("\n")
    separator = [tokenizer.separator_id] if line_end else []
    head = [tokenizer.marker_id, *tokenizer.encode(name, start=False), *separator]
    assert ids[: len(head)] == head
    assert ids.count(tokenizer.separator_id) == len(separator)
    assert tokenizer.decode(ids) == text


def test_a_product_is_split_as_in_training():
    tokenizer = tiny.store_tokenizer()
    for text in measures.own_products()[:20]:
        name, description = text.split("\n", 1)
        trained = rows([Product(name, description)], tokenizer)[0]
        assert trained == [*tokenizer.encode(text), tokenizer.end_id][: len(trained)]


def test_line_ends_of_a_story_are_pieces_like_any_other():
    tokenizer = tiny.stories_tokenizer()
    assert tokenizer.separator_id is None
    assert b"\n" in {tokenizer.piece(i) for i in tokenizer.encode("a\n.b")}


# files


def test_a_saved_tokenizer_reads_back_the_same(tmp_path):
    for number, kept in enumerate((tiny.stories_tokenizer(), tiny.store_tokenizer())):
        kept.save(tmp_path / f"{number}.json")
        again = Tokenizer.from_file(tmp_path / f"{number}.json")
        assert (again.marker_id, again.separator_id, again.end_id) == (
            kept.marker_id,
            kept.separator_id,
            kept.end_id,
        )
        assert all(again.encode(text) == kept.encode(text) for text in ODD)


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff\xfe", b'{"model": 1}'], ids=ascii)
def test_an_unreadable_file_is_named(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"tokenizer\.json is not a readable tokenizer"):
        Tokenizer.from_file(path)
