"""What a score came from: a part left out, or the stream of another text put in, and all after it run again.

B streams that run together · T tokens · d stream width · V vocabulary · L blocks · H query heads
C candidates kept for a cell

Nothing below the change is run again.  Meng et al. 2022 call the second causal tracing; others, patching.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine import store, trace
from engine.attribution import Question, check, of_scores, part_of
from engine.errors import ReaderError
from engine.families import Model
from engine.heads import shares
from engine.lens import readout
from engine.trace import Trace

KEEP = ("gathered",)  # what a pass has to keep for it
KINDS = ("stream", "attention", "feed-forward", "head")
CANDIDATES = 5
AT_ONCE = 640  # tokens that run together: more are no faster, and cost memory
_LEAST = 8  # cells of a piece of work, however long the text is
_WORK = 10**10  # operations of one: a fraction of a second
_PIECES = 1_000  # of a whole grid, at most
READ_OUT = 16  # vectors whose scores are made at once
_NOTHING = 1e-4  # what the answers' scores have to differ by at least


# a part left out


def left_out(model: Model, passed: Trace, asked: Question, block: int) -> np.ndarray:
    """What a score loses without each part of one block, everything after it run again -> (H + 2,) float64.

    First without attention, then without each head, last without the feed-forward layer; left out at every
    token.  passed: a trace with KEEP.  Raises ReaderError as attribution.check() does, and LacksError.
    """
    *_, (_, lost) = leaving_out(model, passed, asked, block)
    return lost


def leaving_out(model: Model, passed: Trace, asked: Question, block: int) -> Iterator[tuple[float, Any]]:
    """The same, batch by batch.  Yields (share done, None), at last (1.0, what is lost)."""
    check(model, passed, asked)
    T = asked.token + 1  # later tokens can't matter
    x = without_each(model, passed, block, T)
    before = _score_at(model, passed.streams[asked.row, asked.token][None], asked)[0]
    del passed  # it may be large, and what follows lasts long
    after: list[np.ndarray] = []
    for some in _batches(len(x), T):
        ends = model.onward(x[some], block + 1, asked.row)[:, -1]
        after.append(_score_at(model, ends, asked))
        yield some.start / len(x), None
    yield 1.0, before - np.concatenate(after)


def without_each(model: Model, passed: Trace, block: int, T: int) -> np.ndarray:
    """The first T tokens' stream as it leaves a block without each of its parts -> (H + 2, T, d)."""
    entering, attended = passed.streams[block, :T], passed.attention_added[block, :T]
    heads = shares(model, part_of(passed, "gathered")[block, :T], block)
    between = np.concatenate((entering[None], entering + attended - heads))
    made = passed.feed_forward_added[block, :T] if model.parallel else _fed(model, block, between)
    return np.concatenate((between + made, (entering + attended)[None])).astype(np.float32)


def without_heads(
    model: Model, passed: Trace, block: int, places: Sequence[int]
) -> Iterator[tuple[float, Any]]:
    """What the tokens at some places get without each head of a block, from 0, all after it run again.

    places: from 1 on, P of them; passed: a trace with KEEP.  Yields (share done, None) after every batch, at
    last (1.0, their probabilities (H, P) float64).  Raises LacksError.
    """
    T, before = max(places), np.array(places) - 1  # a token is predicted by the one before it
    streams, ids = without_each(model, passed, block, T)[1:-1], passed.ids[before + 1]
    del passed  # it may be large, and what follows lasts long
    found = np.empty((len(streams), len(places)))
    for some in _batches(len(streams), T):
        ends = model.onward(streams[some], block + 1)[:, before]
        found[some] = [_given(model, one, ids) for one in ends]
        yield some.start / len(streams), None
    yield 1.0, found


def _given(model: Model, vectors: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The probability of one token each, from vectors (N, d) of the last row -> (N,) float64."""
    found = [
        store.softmax(readout(model, vectors[i : i + READ_OUT]).astype(np.float64))[
            np.arange(len(ids[i : i + READ_OUT])), ids[i : i + READ_OUT]
        ]
        for i in range(0, len(vectors), READ_OUT)
    ]
    return np.concatenate(found)


def _fed(model: Model, block: int, x: np.ndarray) -> np.ndarray:
    return model.fed(block, x.reshape(-1, x.shape[-1])).reshape(x.shape)


def _score_at(model: Model, vectors: np.ndarray, asked: Question) -> np.ndarray:
    """The score that is asked for, from vectors (N, d) of its row -> (N,)."""
    return np.array([of_scores(scores, asked) for scores in readout(model, vectors)])


def _batches(count: int, T: int) -> list[slice]:
    """So many streams in pieces that run together."""
    step = max(1, AT_ONCE // T)
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


# another text's stream put in


@dataclass(frozen=True, eq=False)
class Pair:
    """Two texts of equally many tokens, run, and the answer of each, a token."""

    first: Trace
    second: Trace
    answers: tuple[int, int]

    @cached_property
    def differ(self) -> np.ndarray:
        """The places whose tokens differ."""
        return np.flatnonzero(self.first.ids != self.second.ids)

    @cached_property
    def gaps(self) -> tuple[float, float]:
        """By how much the first answer's score is above the second's, at the end of each text."""
        return self.gap(self.first.logits[-1]), self.gap(self.second.logits[-1])

    def gap(self, scores: np.ndarray) -> float:
        """The first answer's score less the second's, of scores (V,)."""
        return float(scores[self.answers[0]]) - float(scores[self.answers[1]])

    def back(self, scores: np.ndarray) -> float:
        """How far scores (V,) are from the second text's towards the first's: 0 there, 1 here."""
        first, second = self.gaps
        return (self.gap(scores) - second) / (first - second)


@dataclass(frozen=True, eq=False)
class Cells:
    """What some cells of a row came to.  N of them."""

    back: np.ndarray  # (N,) float64: how far the answer comes back
    ids: np.ndarray  # (N, C) the likeliest next tokens
    probabilities: np.ndarray  # (N, C)


def pair(
    model: Model, first: Sequence[int], second: Sequence[int], answers: tuple[int, int] | None = None
) -> Pair:
    """Both texts run -> Pair.  answers: the ids of the two; without, those that each text raises most.

    Raises ReaderError for texts of unlike length, equal ones, and answers that the texts don't part.
    """
    if len(first) != len(second):
        raise ReaderError(
            f"The first text has {len(first)} tokens, the second {len(second)}: a stream can be put in only "
            "where both have equally many. Exchange a word for one that is cut into as many tokens."
        )
    if list(first) == list(second):
        raise ReaderError("The two texts are the same: nothing could come back. Change a word of one.")
    one, two = (trace.run(model, ids, KEEP) for ids in (first, second))
    made = Pair(one, two, answers or _answers(one, two))
    if any(not 0 <= one < model.architecture.vocab_size for one in made.answers):
        raise ReaderError(f"An answer is a token from 0 to {model.architecture.vocab_size - 1}.")
    if abs(made.gaps[0] - made.gaps[1]) < _NOTHING:
        raise ReaderError(
            "Both texts leave the two answers equally far apart, so nothing could come back. "
            "Choose two other answers, or texts that end where the word makes a difference."
        )
    return made


def _answers(one: Trace, two: Trace) -> tuple[int, int]:
    """The token that the first text makes likelier than the second by most, and the other way round."""
    risen = store.softmax(one.logits[-1].astype(np.float64)) - store.softmax(
        two.logits[-1].astype(np.float64)
    )
    return int(risen.argmax()), int(risen.argmin())


def rows(model: Model, kind: str) -> int:
    """How many rows the grid of a kind has: of heads those of one block."""
    a = model.architecture
    return {"stream": a.n_layer + 1, "head": a.n_head}.get(kind, a.n_layer)


def pieces(model: Model, both: Pair, kind: str) -> Iterator[tuple[int, range]]:
    """The whole grid as pieces of work, (row, its tokens), the shortest way to the output first."""
    a, T = model.architecture, len(both.first.ids)
    least = -(-rows(model, kind) * T // _PIECES)
    for row in reversed(range(rows(model, kind))):
        above = a.n_layer - (0 if kind == "head" else row)
        cell = 2 * T * max(1, above) * (4 * a.d_model**2 + 3 * a.d_model * a.d_ff)  # operations, about
        step = max(1, least, min(AT_ONCE // T + _LEAST, _WORK // cell))
        for left in range(0, T, step):
            yield row, range(left, min(left + step, T))


def effort(model: Model, both: Pair, kind: str, block: int = 0) -> dict[tuple[int, int], float]:
    """How many whole passes over the second text each piece takes -> {(row, its first token): passes}."""
    L, first = model.architecture.n_layer, int(both.differ[0])
    found = {}
    for row, tokens in pieces(model, both, kind):
        begin = row if kind == "stream" else (block if kind == "head" else row) + 1
        run = [t for t in tokens if t >= first]
        found[row, tokens.start] = len(run) * (L - begin) / L
    return found


def cells(model: Model, both: Pair, kind: str, row: int, tokens: range, block: int = 0) -> Cells:
    """Some cells of a row, each with the first text's numbers put into the second's pass there.

    kind: of KINDS; row: a row of the stream (0 the embedding), a block, or of a block's heads one, from 0.
    """
    *_, (_, found) = putting_in(model, both, kind, row, tokens, block)
    return found


def putting_in(
    model: Model, both: Pair, kind: str, row: int, tokens: range, block: int = 0
) -> Iterator[tuple[float, Any]]:
    """The same, batch by batch.  Yields (share done, None), at last (1.0, Cells).

    A cell whose change can't reach the answer is not run: there nothing comes back.
    """
    begin, put = exchanged(model, both, kind, row, block)
    own, last = both.second.streams[begin], len(both.second.ids) - 1
    ends = np.repeat(both.second.streams[-1, -1:], len(tokens), axis=0)
    run = [t for t in tokens if t >= both.differ[0] and not np.array_equal(put[t], own[t])]
    if begin == model.architecture.n_layer:
        run = [t for t in run if t == last]
    for some in _batches(len(run), last + 1):
        chosen = run[some]
        x = np.repeat(own[None], len(chosen), axis=0)
        x[np.arange(len(chosen)), chosen] = put[chosen]
        ends[np.array(chosen) - tokens.start] = model.onward(x, begin)[:, -1]
        yield some.start / len(run), None
    yield 1.0, _cells(model, both, ends, np.isin(tokens, run))


def exchanged(model: Model, both: Pair, kind: str, row: int, block: int = 0) -> tuple[int, np.ndarray]:
    """What is put in: (the block that reads it, what stands at each token instead, (T, d)).

    An addition that is exchanged changes what its block's feed-forward layer reads, where that comes after.
    """
    one, two = both.first, both.second
    if kind == "stream":
        return row, one.streams[row]
    block = block if kind == "head" else row
    if kind == "feed-forward":
        return block + 1, two.streams[block + 1] + one.feed_forward_added[block] - two.feed_forward_added[
            block
        ]
    change = one.attention_added[block] - two.attention_added[block]
    if kind == "head":
        own, other = (shares(model, part_of(run, "gathered")[block], block)[row] for run in (one, two))
        change = own - other
    if model.parallel:
        return block + 1, two.streams[block + 1] + change
    between = two.streams[block] + two.attention_added[block] + change
    return block + 1, (between + model.fed(block, between)).astype(np.float32)


def _cells(model: Model, both: Pair, ends: np.ndarray, run: np.ndarray) -> Cells:
    """Cells from the last token's vectors (N, d); those that were not run are the second text's own."""
    scores = np.repeat(both.second.logits[-1:], len(ends), axis=0)
    if run.any():
        scores[run] = readout(model, ends[run])
    back = np.array([both.back(one) if ran else 0.0 for one, ran in zip(scores, run, strict=True)])
    ids = np.argsort(-scores, axis=-1, kind="stable")[:, :CANDIDATES]
    p = store.softmax(scores.astype(np.float64))
    return Cells(back, ids, np.take_along_axis(p, ids, axis=-1))
