"""Where the heads of a block look in a text: shares, a table and sentences."""

import numpy as np

from views import tables
from views.numbers import counted, percent

PLACES = ("the first token", "the token just before", "itself", "all others together")
QUESTIONS = [
    (
        "Why is the grid empty above its diagonal?",
        "A token sees itself and what came before it, never what comes after: the scores of later tokens "
        "are left out before the softmax. So the model can learn from every token of a text at once.",
    ),
    (
        "If a head gives the first token a large share everywhere, what could that be good for?",
        "The shares of a head sum to 1: it can't look at nothing. A head that finds nothing of use at a "
        "token can put its share on one that always stands there, and hand over a value that changes little.",
    ),
]


def shares(attention):
    """Weights (H, T, T) -> (H, 4): mean shares of PLACES from the third token on; T >= 3.

    From there on the first token, the one just before and the token itself are three.
    """
    own = np.einsum("htt->ht", attention)[:, 2:]
    before = np.einsum("htt->ht", attention[:, 1:, :-1])[:, 1:]
    first = attention[:, 2:, 0]
    found = np.stack([part.mean(-1) for part in (first, before, own)], axis=-1)
    return np.concatenate([found, np.clip(1 - found.sum(-1, keepdims=True), 0, 1)], axis=-1)


def table(found, block):
    """The shares of all heads of a block, as HTML."""
    rows = [
        (f"head {h}", *(percent(min(1.0, share)) for share in row)) for h, row in enumerate(found, start=1)
    ]
    title = f"Where the heads of block {block} look, on average over this text"
    return tables.table(title, ("head", *PLACES), rows, (1, 2, 3, 4))


def sentences(found, block, head):
    """What to notice of a block's heads.  found: what shares gives; head: from 1."""
    mine, before = found[head - 1], found[:, 1]
    place, share = PLACES[int(mine.argmax())], percent(float(mine.max()))
    said = [f"On average over this text, head {head} gives its largest share to {place}: {share}."]
    if len(found) > 1:
        most = int(before.argmax()) + 1
        said.append(
            f"Of the {counted(len(found), 'head')} in block {block}, head {most} gives the token just before "
            f"most: {percent(float(before.max()))}."
        )
    return said
