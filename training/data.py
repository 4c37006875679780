"""From documents to rows of ids, drawn anew every epoch and the same for the same seed and epoch."""

import json
import random
from pathlib import Path

import numpy as np
import torch
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as Library

from engine.tokenizer import MARKER, Tokenizer
from training.names import rename, roll_call

NAMES_FILE = Path(__file__).parent.parent / "texts" / "names.json"
_WORDS = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def reserved_words():
    """The words of the names that measure copying, in lower case: never to be trained on."""
    names = json.loads(NAMES_FILE.read_text(encoding="utf-8"))["names"]
    return frozenset(word.lower() for name in [*names, "Zorbin Plax"] for word in name.split())


def train_tokenizer(texts, pieces, specials=(MARKER,)):
    """Byte-level BPE with so many pieces in all, the special ones first."""
    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    library.decoder = decoders.ByteLevel()
    library.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=pieces,
            special_tokens=list(specials),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    if library.get_vocab_size() != pieces:
        raise ValueError(f"The corpus gives {library.get_vocab_size()} pieces, not {pieces}.")
    return Tokenizer(library)


def altered(texts, rng, renamed, roll_calls, forbidden):
    """Texts in a new order, a share of them with made-up names, and some roll-calls among them."""
    order = rng.sample(range(len(texts)), len(texts))
    out = []
    for i in order:
        out.append(rename(texts[i], rng, forbidden) if rng.random() < renamed else texts[i])
        if rng.random() < roll_calls:
            out.append(roll_call(rng, forbidden))
    return out


class Stories:
    """Rows of the Sprout family's corpus.  Every row starts with the document marker.

    rows(epoch) -> (ids, counted), both (N, length + 1): counted is 0 where a row is only filled up.
    """

    def __init__(self, texts, tokenizer, length, seed, renamed=0.35, roll_calls=0.06):
        self.texts, self.tokenizer, self.length, self.seed = texts, tokenizer, length, seed
        self.renamed, self.roll_calls = renamed, roll_calls
        self.forbidden = reserved_words()

    def rows(self, epoch):
        rng = random.Random(f"{self.seed}-{epoch}")
        texts = altered(self.texts, rng, self.renamed, self.roll_calls, self.forbidden)
        marked = [
            [self.tokenizer.marker_id, *ids[start : start + self.length]]
            for ids in self.tokenizer.encode_batch(texts)
            for start in range(0, len(ids), self.length)
        ]
        packed = pack(marked, self.length + 1)
        rng.shuffle(packed)
        return padded(packed, self.length + 1, self.tokenizer.marker_id)


def pack(pieces, size):
    """Put lists of ids into rows of at most size, the longest first, each where it fits best."""
    by_room = [[] for _ in range(size + 1)]  # rows by the room left in them
    for piece in sorted(pieces, key=len, reverse=True):
        room = next((r for r in range(len(piece), size + 1) if by_room[r]), None)
        row = by_room[room].pop() if room is not None else []
        room = (size if room is None else room) - len(piece)
        by_room[room].append(row + piece)
    return [row for rows in by_room for row in rows]


def padded(rows, size, filler):
    """Lists of ids -> ids (N, size) as uint16, and counted (N, size): where there is text."""
    ids = np.full((len(rows), size), filler, dtype=np.uint16)
    counted = np.zeros((len(rows), size), dtype=bool)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        counted[i, : len(row)] = True
    return ids, counted


class Batches:
    """An endless, resumable walk over rows: state is (epoch, place), kept by the checkpoint.

    Every process reads the same rows and takes its own share of each batch.
    """

    def __init__(self, source, size, epoch=0, place=0, rank=0, world=1):
        if size % world:
            raise ValueError(f"A batch of {size} rows can't be shared by {world} processes.")
        self.source, self.size, self.rank, self.world = source, size, rank, world
        self.epoch, self.place = epoch, place
        self._rows = None

    def __next__(self):
        """-> ids and counted, (size / world, length + 1), and the batch's counted tokens in all."""
        if self._rows is None:
            self._rows = self.source.rows(self.epoch)
        if self.place + self.size > len(self._rows[0]):
            self.epoch, self.place = self.epoch + 1, 0
            self._rows = self.source.rows(self.epoch)
        ids, counted = (part[self.place : self.place + self.size] for part in self._rows)
        self.place += self.size
        total = int(counted[:, 1:].sum())
        mine = slice(self.rank, None, self.world)
        return (
            torch.from_numpy(ids[mine].astype(np.int64)),
            torch.from_numpy(counted[mine].copy()),
            total,
        )
