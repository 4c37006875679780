"""How BPE cuts a text: from single letters on, merge by merge, in the order the merges were learned.

Sennrich et al. 2016, Neural Machine Translation of Rare Words with Subword Units.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from engine.errors import LacksError
from engine.tokenizer import Tokenizer

LONGEST = 4_000  # letters of a word; none that is written has so many
Word = tuple[int, ...]
Ranks = dict[tuple[int, int], tuple[int, int]]  # a pair of ids -> (which merge it was, what it makes)
_UNORDERED = "Its tokenizer does not merge its pieces in the order they were learned."


@dataclass(frozen=True)
class Merge:
    """A merge that a text uses.

    rank: which it was when the pieces were learned, from 1.  left, right, made: ids.  count: how often it
    happens in the text.
    """

    rank: int
    left: int
    right: int
    made: int
    count: int


@dataclass(frozen=True)
class Learned:
    """A text before any merge, and what is done to it.

    words: as ids of single letters or bytes; no merge crosses the end of a word.  merges: those that the
    text uses, first learned first.  total: how many the tokenizer has.
    """

    words: tuple[Word, ...]
    merges: tuple[Merge, ...]
    total: int
    ranks: Ranks

    def cut(self, merges: int) -> list[Word]:
        """The words after so many of the merges, as ids."""
        last = self.merges[merges - 1].rank if merges else 0
        made = {word: _merged(word, self.ranks, last)[0] for word in set(self.words)}
        return [made[word] for word in self.words]


def learned(tokenizer: Tokenizer, text: str) -> Learned:
    """How a tokenizer cuts a text.

    Raises LacksError where its pieces are not made by merges, or not in the order they were learned.
    """
    ranks, ids, markers = _read(tokenizer)
    words = tuple(_letters(word, ids, markers) for word in tokenizer.words(text))
    used: Counter[tuple[int, int]] = Counter()
    final = {}
    for word, times in Counter(words).items():
        final[word], pairs = _merged(word, ranks, len(ranks))
        for pair in pairs:
            used[pair] += times
    if [i for word in words for i in final[word]] != tokenizer.encode(text, start=False):
        raise LacksError(_UNORDERED)
    found = [Merge(ranks[pair][0], *pair, ranks[pair][1], times) for pair, times in used.items()]
    return Learned(words, tuple(sorted(found, key=lambda merge: merge.rank)), len(ranks), ranks)


def rank_of(tokenizer: Tokenizer) -> dict[int, int]:
    """Which merge made a piece, from 1, by its id; letters and markers have none.  Raises LacksError."""
    ranks, *_ = _read(tokenizer)
    found: dict[int, int] = {}
    for rank, made in ranks.values():
        found.setdefault(made, rank)
    return found


def _read(tokenizer: Tokenizer) -> tuple[Ranks, dict[str, int], set[int]]:
    """The merges as ids, the id of every piece, and the ids of markers."""
    try:
        pieces, markers, merges = tokenizer.vocabulary()
    except (KeyError, TypeError, ValueError):
        raise LacksError("Its pieces are not made by merges.") from None
    ids = {piece: i for i, piece in enumerate(pieces)}
    try:
        pairs = enumerate(merges, start=1)
        return {(ids[a], ids[b]): (rank, ids[a + b]) for rank, (a, b) in pairs}, ids, markers
    except KeyError:
        raise LacksError(_UNORDERED) from None


def _letters(word: str, ids: dict[str, int], markers: set[int]) -> Word:
    """A word's letters as ids; one that the vocabulary lacks as its bytes; a marker is whole."""
    if ids.get(word) in markers:
        return (ids[word],)
    if len(word) > LONGEST:
        raise LacksError(f"A word of {len(word):,} letters is too long to be shown merge by merge.")
    found: list[int] = []
    for letter in word:
        named = [letter] if letter in ids else [f"<0x{byte:02X}>" for byte in letter.encode()]
        if not all(one in ids for one in named):
            raise LacksError(_UNORDERED)
        found += [ids[one] for one in named]
    return tuple(found)


def _merged(word: Word, ranks: Ranks, last: int) -> tuple[Word, list[tuple[int, int]]]:
    """A word after all merges up to a rank, and the pairs that were merged, each time it happened."""
    pieces, done = list(word), []
    while len(pieces) > 1:
        best = min(pairwise(pieces), key=lambda pair: ranks.get(pair, (last + 1, 0))[0])
        rank, made = ranks.get(best, (last + 1, 0))
        if rank > last:
            break
        joined, at = [], 0
        while at < len(pieces):
            if tuple(pieces[at : at + 2]) == best:
                joined.append(made)
                done.append(best)
                at += 2
            else:
                joined.append(pieces[at])
                at += 1
        pieces = joined
    return tuple(pieces), done
