"""Guessing what comes next, against models: typed words as pieces, decoys, and what votes are worth.

T tokens · V vocabulary · L blocks · R rows of the lens, L + 1
"""

import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.families import Model
from engine.lens import readout
from engine.tokenizer import Tokenizer, clean
from engine.trace import Trace

LONGEST = 40  # letters of a guess that are read
CANDIDATES = 5
_SIGNS = str.maketrans({"·": " ", "↵": "\n", "⇥": "\t"})  # as labels show them


def matched(tokenizer: Tokenizer, typed: str, joined: bool = False) -> list[int]:
    """What was typed -> the ids of its pieces, as they would stand in a text; the first one is the guess.

    A word is taken with the space before it; joined: without, so that it goes on with the last word.
    [] for nothing at all.
    """
    text = clean(typed)[:LONGEST].translate(_SIGNS).rstrip(" ")
    bare = text.lstrip(" ")
    if not bare:
        return []
    spaced = not joined and (bare[0].isalnum() or text != bare)
    return tokenizer.encode(f" {bare}" if spaced else bare, start=False)


def word_starts(tokenizer: Tokenizer, ids: Sequence[int]) -> list[int]:
    """The places of ids (T,) where a new word begins, the text's first word left out."""
    pieces = [tokenizer.piece(i).decode("utf-8", "replace") for i in ids]
    found = [
        t for t in range(1, len(ids)) if pieces[t][:1] in (" ", "\n") and pieces[t].strip()[:1].isalnum()
    ]
    return [t for t in found if any(piece.strip() for piece in pieces[:t])]


def differing(surprises: Sequence[np.ndarray], count: int) -> list[int]:
    """The places where models disagree most about the real token, in order.

    surprises: of every model (T-1,), of the tokens after the first.
    """
    gap = np.ptp(np.stack(list(surprises)), axis=0)
    return sorted(int(t) + 1 for t in np.argsort(-gap, kind="stable")[:count])


def next_probabilities(trace: Trace, place: int) -> np.ndarray:
    """What a model expects at a place from 1 to T - 1, given all before it -> (V,) float64."""
    scores = trace.logits[place - 1].astype(np.float64)
    grown = np.exp(scores - scores.max())
    return grown / grown.sum()


def candidates(
    tokenizer: Tokenizer, expected: Sequence[np.ndarray], right: int, before: Sequence[int]
) -> list[int]:
    """The right token among decoys, five ids in all: the likeliest wrong ones of every model in turn.

    expected: of every model (V,), where V may differ: some score ids that no piece has.  Their order follows
    from the text before alone.  A piece that looks like another, or holds nothing, is no decoy.
    """
    V = min(map(len, expected))
    chosen, seen = [right], {tokenizer.label(right).strip("·").lower()}
    for likely in np.argsort(-np.stack([p[:V] for p in expected]), axis=-1, kind="stable").T.ravel():
        label = tokenizer.label(int(likely)).strip("·").lower()
        if len(chosen) == CANDIDATES:
            break
        if label not in seen and tokenizer.piece(int(likely)):
            chosen.append(int(likely))
            seen.add(label)
    return sorted(chosen, key=lambda one: hashlib.sha256(f"{[*map(int, before)]} {one}".encode()).digest())


def share(votes: Mapping[int, int], token: int, size: int) -> float:
    """The share of votes for a token, one more vote being spread evenly over all `size` possible ones.

    Over all tokens it sums to 1, and it is never 0.
    """
    return (votes.get(token, 0) + 1 / size) / (sum(votes.values()) + 1)


def among(expected: np.ndarray, chosen: Sequence[int]) -> np.ndarray:
    """A model's probabilities (V,) when only these tokens are possible: (V,), 0 for all others."""
    found = np.zeros(len(expected))
    kept = np.asarray(expected, np.float64)[list(chosen)]
    total = kept.sum()
    found[list(chosen)] = kept / total if total > 0 else 1 / len(chosen)
    return found


def row_by_row(
    model: Model, trace: Trace, place: int, tokens: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """What every row of the lens gives tokens at a place from 1 to T - 1 -> (probabilities, ranks).

    Both (R, number of tokens); rank 1 is the likeliest, and equal ones share the better rank.
    """
    scores = readout(model, trace.streams[:, place - 1]).astype(np.float64)
    scores[-1] = trace.logits[place - 1]
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    p = grown / grown.sum(-1, keepdims=True)
    chosen = list(tokens)
    ranks = (scores[:, None, :] > scores[:, chosen, None]).sum(-1) + 1
    return p[:, chosen], ranks


@dataclass(frozen=True, eq=False)
class Game:
    """A text that is guessed piece by piece, and the models that read it in the same pieces.

    ids: the text's, T of them; traces: {model's name: Trace} of that text; few: whether one of five
    candidates is chosen, instead of any piece.
    """

    tokenizer: Tokenizer
    ids: Sequence[int]
    traces: Mapping[str, Trace]
    few: bool

    @property
    def size(self) -> int:
        """How many guesses are possible at a place."""
        return CANDIDATES if self.few else len(next(iter(self.traces.values())).logits[0])

    def choices(self, place: int) -> list[int]:
        """The candidates at a place from 1 to T - 1; [] where any piece can be guessed."""
        if not self.few:
            return []
        expected = [next_probabilities(trace, place) for trace in self.traces.values()]
        return candidates(self.tokenizer, expected, int(self.ids[place]), self.ids[:place])

    def expected(self, place: int) -> dict[str, np.ndarray]:
        """What every model expects at a place, among the candidates where there are some: (V,) each."""
        chosen = self.choices(place)
        found = {name: next_probabilities(trace, place) for name, trace in self.traces.items()}
        return {name: among(p, chosen) if chosen else p for name, p in found.items()}


def nats(probability: float) -> float:
    """How surprising a token of this probability is: -log p, of the least float for none at all."""
    return -math.log(max(probability, sys.float_info.min))


def perplexity(surprises: Sequence[float]) -> float:
    """e to the mean of surprises in nats."""
    return math.exp(sum(surprises) / len(surprises))
