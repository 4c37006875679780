"""What each head looks for, measured on random pieces that come twice.

T tokens · H heads · L blocks.  Elhage et al. 2021; Olsson et al. 2022.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import engine
from engine.errors import LacksError
from engine.families import Change, Model

LENGTH = 32  # random pieces that come twice, in a model that was trained on texts as long
LEAST = 3  # with fewer, the token just before is the one that followed the last time


@dataclass(frozen=True)
class Scores:
    """Mean attention of every head to two places, each (L, H), from 0 to 1."""

    previous: np.ndarray  # to the token just before
    induction: np.ndarray  # to the token that followed the same token the last time

    def best(self, name: str) -> tuple[int, ...]:
        """(block, head), both from 0, of the highest score of one name."""
        scores = getattr(self, name)
        return tuple(int(i) for i in np.unravel_index(scores.argmax(), scores.shape))


def repeated_pieces(model: Model, length: int = 32, seed: int = 0) -> np.ndarray:
    """The marker, then `length` different random pieces, then the same again -> ids (1 + 2 length,)."""
    generator = np.random.default_rng(seed)
    drawn = model.random_ids.start + generator.permutation(len(model.random_ids))[:length]
    return np.concatenate(([model.tokenizer.marker_id], drawn, drawn))


def fitting(model: Model) -> int:
    """How many random pieces a model can be given twice: no more than it has met in its training.

    Raises LacksError where it reads too few.
    """
    length = min(LENGTH, (min(model.context, model.window) - 1) // 2, len(model.random_ids))
    if length < LEAST:
        raise LacksError(
            f"{model.title} reads no {LEAST} different random pieces twice, which scoring takes."
        )
    return length


def score_heads(model: Model, sequences: int = 6, length: int | None = None) -> Scores:
    """Every head's two scores over random repeated pieces, fitting() of them unless told -> Scores.

    Only tokens of the second half count for both: they alone have been there before.  A token's own
    place, and the same token the last time, count for neither.
    """
    *_, (_, scores) = scoring(model, sequences, length)
    return scores


def scoring(model: Model, sequences: int = 6, length: int | None = None) -> Iterator[tuple[float, Scores]]:
    """The same, step by step.  Yields (share done, Scores over what was read so far)."""
    each, length = [], length or fitting(model)
    for seed in range(sequences):
        ids = repeated_pieces(model, length, seed)
        attention = engine.run(model, ids, ("attention",)).attention
        each.append((follow(attention, 1), follow(attention, len(ids) // 2 - 1)))
        yield len(each) / sequences, Scores(*np.mean(each, axis=0))


def scoring_without(
    model: Model, off: Sequence[tuple[int, int]], sequences: int = 6, length: int | None = None
) -> Iterator[tuple[float, Scores]]:
    """The same with heads switched off, a list of (block, head).  Yields as scoring() does."""
    without = [Change("head", block, head) for block, head in off]
    return scoring(model.changed(*without), sequences, length)


def follow(attention: np.ndarray, back: int) -> np.ndarray:
    """Mean attention that the second half of the tokens gives to the one `back` places before.

    attention (L, H, T, T) -> (L, H).
    """
    T = attention.shape[-1]
    rows = np.arange(1 + T // 2, T)
    return attention[..., rows, rows - back].mean(-1)


def even(length: int = LENGTH) -> float:
    """What either score would be if every token looked at itself and all before it evenly."""
    rows = np.arange(1 + (1 + 2 * length) // 2, 1 + 2 * length)
    return float(np.mean(1 / (rows + 1)))


def earlier_place(ids: Sequence[int] | np.ndarray, place: int) -> int | None:
    """The latest place before `place` that holds the same token, or None."""
    same = np.flatnonzero(np.asarray(ids[:place]) == ids[place])
    return int(same[-1]) if len(same) else None


def longest_repeat(
    ids: Sequence[int] | np.ndarray, edge: Callable[[int], bool] | None = None, least: int = 2
) -> tuple[list[int], int]:
    """The longest run of tokens that comes again later, without overlap -> (its starts, its length).

    Of equally long runs the one that comes first.  edge(id): whether a run may start and end with a
    token.  ([], 0) when there is no run of at least `least`.
    """
    ids, T = list(ids), len(ids)
    may = [edge is None or edge(token) for token in ids]
    begins = list(range(T))  # from each place on, the first where a run may start
    for i in reversed(range(T)):
        begins[i] = i if may[i] else begins[i + 1] if i + 1 < T else T
    ends = [0] * (T + 1)  # ends[j]: how long the runs that end at i and before j are alike
    start, longest = 0, 0
    for i in range(T):
        before = ends
        ends = [0] * (T + 1)
        for j in range(i + 1, T):
            if ids[i] == ids[j]:
                alike = ends[j + 1] = min(before[j] + 1, j - i)
                first = begins[i - alike + 1]
                if may[i] and i - first + 1 > longest:
                    start, longest = first, i - first + 1
    run = ids[start : start + longest]
    return (places(ids, run), len(run)) if len(run) >= least else ([], 0)


def places(ids: Sequence[int] | np.ndarray, run: Sequence[int]) -> list[int]:
    """Where a run of tokens starts in ids, without overlap -> a list."""
    found, place = [], 0
    while place + len(run) <= len(ids):
        if list(ids[place : place + len(run)]) == list(run):
            found.append(place)
            place += len(run)
        else:
            place += 1
    return found


def added(model: Model, ids: Sequence[int] | np.ndarray, block: int) -> np.ndarray:
    """What each head of a block, from 0, adds: its own rows of the output matrix read what it gathered.

    ids (T,) -> (H, T, d).  The output matrix is linear, so over the heads this sums to what the block's
    attention adds, up to the matrix's bias where it has one.
    """
    passed = engine.run(model, ids, ("gathered",))
    return shares(model, passed.gathered[block], block)


def shares(model: Model, gathered: np.ndarray, block: int) -> np.ndarray:
    """What each head adds where the heads gathered this: (…, H·D) -> (H, …, d).  See added()."""
    H, output = model.architecture.n_head, model.part("projection", block)
    by_head = np.moveaxis(gathered.reshape(*gathered.shape[:-1], H, -1), -2, 0)
    return np.stack([own @ rows for own, rows in zip(by_head, np.split(output, H), strict=True)])
