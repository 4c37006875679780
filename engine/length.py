"""Reading on past the training length: RoPE gives an angle for any place, so a pass is possible.

T tokens
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine import wiring
from engine.experiments import measure
from engine.families import Model
from engine.measures import own_rows
from engine.wiring import AS_TRAINED, Wiring


@dataclass(frozen=True)
class Loss:
    """Mean surprise, in nats, at the tokens whose place is from `start` to `end` - 1; nan for none.

    The first token of a text is not counted: what comes after a text's end is anyone's guess.
    """

    starts: np.ndarray  # (N,)
    ends: np.ndarray  # (N,)
    whole: np.ndarray  # (N,): each row read in one go
    near: np.ndarray  # (N,): the same, but a token sees no farther back than in training
    alone: np.ndarray  # (N,): each text of the row read by itself
    rows: int
    within: tuple[float, ...]  # means of these three over all tokens up to the training length
    beyond: tuple[float, ...]  # and over all after it


def check(model: Model, times: int = 4) -> None:
    """Raise LacksError for a model that can't read so far, or whose attention can't be held back."""
    model.reaching(times * model.window + 1).wired(Wiring(wiring.latest(model.window)))


def joined_rows(model: Model, length: int, rows: int) -> list[list[int]]:
    """Our texts end to end, each with its marker, every row from another text on -> rows of `length` ids.

    After the last text comes the first again.
    """
    texts = own_rows(model)
    starts = [i * len(texts) // rows for i in range(rows)]
    out = []
    for start in starts:
        row: list[int] = []
        at = start
        while len(row) < length:
            row += texts[at % len(texts)]
            at += 1
        out.append(row[:length])
    return out


def readings(model: Model, row: list[int]) -> np.ndarray:
    """A row's surprise in one go, with attention held to the training length, and text by text.

    -> (3, T-1), nan where a text begins.
    """
    held = Wiring(wiring.latest(model.window))
    starts = [place for place, token in enumerate(row) if token == model.tokenizer.marker_id]
    alone = np.full(len(row) - 1, np.nan)
    for start, end in pairwise([*starts, len(row)]):
        text = row[start:end]
        if len(text) > 1:
            alone[start : end - 1] = measure(wiring.logits(model, text), text)[0]
    whole, near = (measure(wiring.logits(model, row, how), row)[0] for how in (AS_TRAINED, held))
    return np.where(np.isnan(alone), np.nan, (whole, near, alone))


def loss_by_place(
    model: Model, times: int = 4, rows: int = 8, bins: int = 32
) -> Iterator[tuple[float, Loss]]:
    """Surprise by place, up to `times` the training length.  Yields (share done, Loss) after every row.

    The surprise at place p is that at predicting the token at p from those before it.
    """
    limit = model.window
    length = times * limit
    edges = np.linspace(0, length, bins + 1).round().astype(int)
    total, counted = np.zeros((3, length)), np.zeros(length)
    for number, row in enumerate(joined_rows(model, length + 1, rows), start=1):
        found = readings(model, row)
        total += np.nan_to_num(found)
        counted += ~np.isnan(found[0])
        whole, near, alone = _means(total, counted, edges)
        within, beyond = (
            tuple(_means(total, counted, pair)[:, 0].tolist()) for pair in ((0, limit), (limit, length))
        )
        yield number / rows, Loss(edges[:-1] + 1, edges[1:] + 1, whole, near, alone, number, within, beyond)


def _means(total: np.ndarray, counted: np.ndarray, edges: Sequence[int] | np.ndarray) -> np.ndarray:
    """(3, T) sums and (T,) counts -> (3, N) means between edges; nan where nothing was counted."""
    with np.errstate(invalid="ignore"):
        return np.stack(
            [total[:, a:b].sum(1) / np.float64(counted[a:b].sum()) for a, b in pairwise(edges)], 1
        )
