"""Reading on past the training length: RoPE gives an angle for any place, so a pass is possible.

T tokens · D head width
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine import store
from engine.experiments import measure, twin
from engine.measures import own_rows


@dataclass(frozen=True)
class Loss:
    """Mean surprise, in nats, at the tokens whose place is from `start` to `end` - 1."""

    starts: np.ndarray  # (N,)
    ends: np.ndarray  # (N,)
    whole: np.ndarray  # (N,): each row read in one go
    pieces: np.ndarray  # (N,): the same tokens, but the text cut into pieces of the training length
    rows: int


def window(model):
    """The longest text of the model's training, in tokens."""
    return int(model.manifest.get("training_window", model.setting("context")))


def reader(model, length):
    """A pass that takes up to `length` tokens -> a function: ids (T,) -> logits (T, V)."""
    if model.name == "store":
        return lambda ids: store.forward(ids, model.network, model.settings)
    import torch

    from engine.model import rope_tables

    network, settings = twin(model.network), model.settings
    network.cos, network.sin = rope_tables(length, settings.d_model // settings.n_head, settings.rope_base)

    def forward(ids):
        with torch.inference_mode():
            return network(torch.from_numpy(np.asarray(ids, dtype=np.int64))[None])[0].numpy()

    return forward


def joined_rows(model, length, rows):
    """Our texts end to end, each with its marker, every row from another text on -> rows of `length` ids.

    After the last text comes the first again.
    """
    texts = own_rows(model)
    starts = [i * len(texts) // rows for i in range(rows)]
    out = []
    for start in starts:
        row, at = [], start
        while len(row) < length:
            row += texts[at % len(texts)]
            at += 1
        out.append(row[:length])
    return out


def loss_by_place(model, times=4, rows=8, bins=32):
    """Surprise by place, up to `times` the training length.  Yields (share done, Loss) after every row.

    The surprise at place p is that at predicting the token at p from all before it.
    """
    limit = window(model)
    length = times * limit
    forward = reader(model, length + 1)
    edges = np.linspace(0, length, bins + 1).round().astype(int)
    whole, pieces = np.zeros(length), np.zeros(length)
    for number, row in enumerate(joined_rows(model, length + 1, rows), start=1):
        whole += measure(forward(row), row)[0]
        for start in range(0, length, limit):
            part = row[start : start + limit + 1]
            pieces[start : start + limit] += measure(forward(part), part)[0]
        yield (
            number / rows,
            Loss(
                edges[:-1] + 1,
                edges[1:] + 1,
                _means(whole / number, edges),
                _means(pieces / number, edges),
                number,
            ),
        )


def _means(values, edges):
    return np.array([values[a:b].mean() for a, b in pairwise(edges)])
