"""Text to token ids and back, and labels that show a piece as it is.

Byte-level BPE (Sennrich et al. 2016; bytes: Radford et al. 2019) run by the `tokenizers` library.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from tokenizers import Tokenizer as Library

from engine.errors import ReaderError

MARKER = "<|end|>"  # stands before every document of the Sprout family, in training and here
STORE_START = "<|start|>"  # stands before every document of the store
STORE_SEPARATOR = "<|separator|>"  # stands between a product's name and its description
_VISIBLE = {" ": "·", "\n": "↵", "\t": "⇥", "\r": "␍"}
_TAKEN = {*_VISIBLE.values(), "⟨", "⟩", "\ufffd"}  # what labels use as signs, and "�": it looks like an error
_SURROGATE = re.compile("[\ud800-\udfff]")


class Tokenizer:
    """One model's pieces.  Every text round-trips: decode(encode(text)) == clean(text)."""

    marker_id: int
    separator_id: int | None  # None in the Sprout family
    end_id: int
    marks = True  # whether a marker is put before every text

    def __init__(self, library: Library) -> None:
        id_of: Callable[[str], Any] = library.token_to_id
        self._library = library
        self._library.encode_special_tokens = True  # a typed "<|end|>" is text, not the marker
        started = id_of(STORE_START)
        self.marker_id = id_of(MARKER) if started is None else started
        self.separator_id = id_of(STORE_SEPARATOR)
        self.end_id = id_of(MARKER)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a tokenizer.json.  Raises ReaderError that names the file when it can't be read."""
        try:
            return cls(Library.from_file(str(Path(path))))
        except Exception as error:  # the library raises plain Exception
            raise ReaderError(f"{path} is not a readable tokenizer file ({error}).") from error

    def save(self, path: str | Path) -> None:
        """Write the tokenizer.json."""
        self._library.save(str(path))

    def copied(self) -> Library:
        """The library's tokenizer once more, to be changed without changing this one."""
        return Library.from_str(self._library.to_str())

    def vocabulary(self) -> tuple[list[str], set[int], list[tuple[str, str]]]:
        """Every piece by id, in byte_letters(); the ids of markers; the merges, first learned first."""
        model = json.loads(self._library.to_str())["model"]
        pieces = [self._library.id_to_token(i) or "" for i in range(len(self))]
        return pieces, set(self._specials), [(first, second) for first, second in model["merges"]]

    @cached_property
    def checksum(self) -> str:
        """Names these very pieces and rules."""
        return hashlib.sha256(self._library.to_str().encode()).hexdigest()

    def __len__(self) -> int:
        return self._library.get_vocab_size()

    def encode(self, text: str, start: bool = True) -> list[int]:
        """Text -> list of ids, the document marker first unless start is False.

        For the store's model the first line is a product's name: its line end becomes the separator.
        """
        first, *rest = clean(text).split("\n", 0 if self.separator_id is None else 1)
        more: Iterator[Any] = (i for one in rest for i in (self.separator_id, *self._plain(one)))
        ids = [*self._plain(first), *more]
        return [self.marker_id, *ids] if start else ids

    def _plain(self, text: str) -> list[int]:
        return self._library.encode(text, add_special_tokens=False).ids

    def words(self, text: str) -> list[str]:
        """A text in the vocabulary's letters, cut where no merge crosses; the store's separator is a word."""
        if self.separator_id is None:
            return self._words(clean(text))
        first, *rest = clean(text).split("\n", 1)
        separator = self._library.id_to_token(self.separator_id) or ""
        return self._words(first) + [word for one in rest for word in (separator, *self._words(one))]

    def _words(self, text: str) -> list[str]:
        library = self._library
        plain = library.normalizer.normalize_str(text) if library.normalizer else text
        if not library.pre_tokenizer:
            return [plain] if plain else []
        return [word for word, _ in library.pre_tokenizer.pre_tokenize_str(plain)]

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Many texts at once, without the marker -> a list of lists of ids."""
        encoded = self._library.encode_batch_fast(texts, add_special_tokens=False)
        return [one.ids for one in encoded]

    def decode(self, ids: Iterable[int]) -> str:
        """Ids -> text, markers left out; bytes that make no whole character become U+FFFD."""
        return b"".join(self._bytes[int(i)] for i in ids).decode("utf-8", errors="replace")

    def read(self, ids: Iterable[int]) -> str:
        """Ids -> text, markers left out; what can't be seen, and parts of characters, as labels show them."""
        return readable(b"".join(self._bytes[int(i)] for i in ids))

    def piece(self, token_id: int) -> bytes:
        """The bytes of one piece; a marker has none."""
        return self._bytes[int(token_id)]

    def added(self, token_id: int) -> str | None:
        """The text that one piece adds; None for a marker and for a part of a letter."""
        try:
            return self._bytes[int(token_id)].decode("utf-8") or None
        except UnicodeDecodeError:
            return None

    def label(self, token_id: int) -> str:
        """One piece for showing: spaces and line ends visible, parts of characters as bytes."""
        token_id = int(token_id)
        if token_id in self._specials:
            return self._specials[token_id]
        return label_bytes(self._bytes[token_id])

    @cached_property
    def _specials(self) -> dict[int, str]:
        return {i: t.content for i, t in self._library.get_added_tokens_decoder().items()}

    @cached_property
    def _bytes(self) -> list[bytes]:
        """The bytes of every piece by id; markers hold none, but the separator ends a line."""
        byte_of = {letter: byte for byte, letter in enumerate(byte_letters())}
        special = {i: b"\n" if i == self.separator_id else b"" for i in self._specials}
        letters = (self._library.id_to_token(i) or "" for i in range(len(self)))
        return [
            special[i] if i in special else bytes(byte_of[letter] for letter in piece)
            for i, piece in enumerate(letters)
        ]


def clean(text: str) -> str:
    """Text that can be encoded: lone surrogates, which no file can hold, become U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def label_bytes(piece: bytes) -> str:
    """Bytes -> a short text that shows every one of them and can't be mistaken for another."""
    return "".join(map(_label, piece.decode("utf-8", errors="surrogateescape")))


def readable(written: bytes) -> str:
    """Bytes -> the text they are, with what no reader could see written out as labels do.

    Spaces, line ends and marks on letters stay as they are.
    """
    text = written.decode("utf-8", errors="surrogateescape")
    return "".join(char if _is_seen(char) else _label(char) for char in text)


def _is_seen(char: str) -> bool:
    return char in _VISIBLE or (unicodedata.category(char)[0] not in "CZ" and char != "\ufffd")


def _label(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte that is only part of a character
        return f"⟨{ord(char) - 0xDC00:02X}⟩"
    if char in _VISIBLE:
        return _VISIBLE[char]
    if char in _TAKEN or unicodedata.category(char)[0] in "CZM":
        return f"⟨U+{ord(char):04X}⟩"
    return char


def byte_letters() -> list[str]:
    """GPT-2's table: the printable letter that stands for each byte 0 to 255 in a vocabulary."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(0x100, 0x200))
    return [chr(b) if b in printable else chr(next(spare)) for b in range(256)]
