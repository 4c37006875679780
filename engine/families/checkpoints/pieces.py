"""The tokenizer of a checkpoint: a tokenizer.json of byte-level BPE, or of SentencePiece's kind.

Where there is none, unwritten.py may make one.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as Library

from engine.errors import ReaderError
from engine.families.checkpoints import plain_files, unwritten
from engine.tokenizer import Tokenizer, byte_letters, clean

LARGEST = 200_000_000  # bytes of a tokenizer.json; the largest known have a fifth of it
FILE = "tokenizer.json"
_MODELS = ("BPE", "Unigram")
_SPACE = "▁"  # SentencePiece's letter for a space


class Pieces(Tokenizer):
    """A checkpoint's pieces.

    start: the ids that stand before every text, often none.  marker_id: the token that stands between
    texts; where nothing stands before a text, it is what an empty one is read as.  rows: how many tokens the
    model scores, often more than there are pieces.
    """

    def __init__(
        self, library: Library, kind: str, start: tuple[int, ...], marker: int, end: int, rows: int
    ) -> None:
        self._library, self._kind, self.start, self._rows = library, kind, start, rows
        self.marks = bool(start)
        self._library.encode_special_tokens = True  # a typed "</s>" is text, not the marker
        self.marker_id, self.end_id, self.separator_id = marker, end, None

    def encode(self, text: str, start: bool = True) -> list[int]:
        """Text -> list of ids, after those that stand before every text unless start is False.

        An empty text, where nothing stands before one, is the marker alone.
        """
        ids = self._plain(clean(text))
        return [*self.start, *ids] or [self.marker_id] if start else ids

    @cached_property
    def _specials(self) -> dict[int, str]:
        added = self._library.get_added_tokens_decoder().items()
        return {i: token.content for i, token in added if token.special}

    def label(self, token_id: int) -> str:
        """One piece for showing; an id that the tokenizer never gives is told as such."""
        return f"⟨no piece: {token_id}⟩" if token_id in self._unused else super().label(token_id)

    @cached_property
    def _unused(self) -> frozenset[int]:
        """The ids that the model scores and the tokenizer never gives."""
        return frozenset(range(self._rows)) - frozenset(self._library.get_vocab().values())

    @cached_property
    def _bytes(self) -> list[bytes]:
        """The bytes of every id; markers, and ids that the tokenizer never gives, hold none."""
        added = {i: token.content for i, token in self._library.get_added_tokens_decoder().items()}
        found = [b""] * self._rows
        letters = {letter: byte for byte, letter in enumerate(byte_letters())}
        for piece, i in self._library.get_vocab().items():
            if i >= self._rows:
                continue
            if i in added:  # as it is typed
                found[i] = b"" if i in self._specials else added[i].encode()
            elif self._kind == "bytes":
                found[i] = b"".join(_byte(letters, letter) for letter in piece)
            else:
                found[i] = _of_letters(piece)
        return found


def _byte(letters: Mapping[str, int], letter: str) -> bytes:
    """The byte that a letter of a byte-level vocabulary stands for; another letter stands for itself."""
    return bytes([letters[letter]]) if letter in letters else letter.encode()


def _of_letters(piece: str) -> bytes:
    """The bytes of a piece of SentencePiece's kind: "<0xE5>" is a byte, "▁" a space."""
    if len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">"):
        try:
            return bytes([int(piece[3:5], 16)])
        except ValueError:
            pass
    return piece.replace(_SPACE, " ").encode("utf-8", "replace")


def look(folder: Path, kind: str) -> tuple[list[str], str]:
    """The files of a folder's tokenizer, and what names it; nothing is loaded for it.

    kind: the model_type.  Raises ReaderError for one that is missing, or of another kind.
    """
    if not (folder / FILE).exists():
        files = unwritten.files(folder, kind, LARGEST)
        told = hashlib.sha256()
        for file in files:
            told.update((folder / file).read_bytes())
        return files, told.hexdigest()
    kind_of(text := text_of(folder, kind))
    return [FILE], hashlib.sha256(text.encode()).hexdigest()


def read(folder: Path, config: Mapping[str, Any], rows: int, family: str = "") -> Pieces:
    """The tokenizer of a checkpoint's folder.  config: its config.json; rows: V, those of the embedding;
    family: its model_type.

    Raises ReaderError for one that is missing, damaged, or of another kind.
    """
    text = text_of(folder, family)
    kind = kind_of(text)
    try:
        library = Library.from_str(text)
    except Exception as error:  # the library raises plain Exception
        raise ReaderError(f"{FILE} is damaged ({str(error)[:120]}).") from error
    library.no_padding()
    library.no_truncation()
    told = _told(folder, library)
    special = {i for i, token in library.get_added_tokens_decoder().items() if token.special}
    most = max(set(library.get_vocab().values()) - special, default=-1)  # a marker can't be typed
    if most >= rows:
        raise ReaderError(
            f"Its tokenizer has pieces up to number {most:,} and its embedding {rows:,} rows: they are of "
            "two models."
        )
    start = _start(library, told)
    end = _first_id(config.get("eos_token_id"), told.get("eos"))
    marker = _first_id(start or None, config.get("bos_token_id"), told.get("bos"), end)
    if not 0 <= (marker or 0) < rows:
        raise ReaderError(f"Its config names token {marker:,} as a text's first, and there are {rows:,}.")
    return Pieces(library, kind, start, marker or 0, -1 if end is None else end, rows)


def text_of(folder: Path, family: str = "") -> str:
    """The text of a folder's tokenizer.json, or of the one that is made of its files.  Raises ReaderError."""
    path = folder / FILE
    plain_files.check(path)
    if not path.exists():
        unwritten.files(folder, family, LARGEST)
        return unwritten.put_together(folder, family)
    try:
        if path.stat().st_size > LARGEST:
            raise ReaderError(f"{FILE} has more than {LARGEST:,} bytes, more than any tokenizer.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReaderError(f"{FILE} can't be read ({plain_files.why(error)}).") from error
    except UnicodeDecodeError as error:
        raise ReaderError(f"{FILE} can't be read: it is no text in UTF-8.") from error


def kind_of(text: str) -> str:
    """ "bytes" for byte-level BPE, "letters" for SentencePiece's kind.  Raises ReaderError for another."""
    try:
        told = json.loads(text)
        model, decoder = told["model"], told.get("decoder") or {}
        parts = [decoder, *(decoder.get("decoders") or ())]
        kinds = {part.get("type") for part in parts}
        replaces = any((part.get("pattern") or {}).get("String") == _SPACE for part in parts)
        named = model.get("type", "BPE")  # older files leave it out
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReaderError("tokenizer.json is damaged: it does not hold a tokenizer.") from error
    if named in _MODELS and "ByteLevel" in kinds:
        return "bytes"
    if named in _MODELS and ("Metaspace" in kinds or replaces):
        return "letters"
    raise ReaderError(
        f"Its tokenizer ({str(named)[:30]}) is neither byte-level BPE nor of SentencePiece's kind, so its "
        "pieces can't be shown as what they are."
    )


def _told(folder: Path, library: Library) -> dict[str, Any]:
    """What tokenizer_config.json says: the ids of "bos" and "eos", and "adds", whether one goes first."""
    plain_files.check(folder / "tokenizer_config.json")
    try:
        told = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(told, dict):
        return {}
    found: dict[str, Any] = {"adds": told.get("add_bos_token")}
    for name in ("bos", "eos"):
        token = told.get(f"{name}_token")
        token = token.get("content") if isinstance(token, dict) else token
        found[name] = library.token_to_id(token) if isinstance(token, str) else None
    return found


def _start(library: Library, told: Mapping[str, Any]) -> tuple[int, ...]:
    """What the tokenizer puts before every text: by its own template, or as tokenizer_config.json says."""
    with_them = library.encode("a", add_special_tokens=True).ids
    without = library.encode("a", add_special_tokens=False).ids
    for count in range(len(with_them) - len(without) + 1):
        if with_them[count : count + len(without)] == without:
            found = tuple(with_them[:count])
            break
    else:
        found = ()
    if told.get("adds") is True and not found and told.get("bos") is not None:
        return (told["bos"],)
    return () if told.get("adds") is False and found == (told.get("bos"),) else found


def _first_id(*given: Any) -> int | None:
    """The first that is a token's id, or the first of a list of such."""
    for one in given:
        one = one[0] if isinstance(one, list | tuple) and one else one
        if isinstance(one, int) and not isinstance(one, bool) and one >= 0:
            return one
    return None
