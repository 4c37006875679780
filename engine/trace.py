"""Run a model on a text and keep what passed through it.

T tokens · d stream width · H query heads · K key/value heads · D head width · F feed-forward width
V vocabulary · L blocks
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import LacksError, ReaderError
from engine.families import EXTRAS, Model


@dataclass(frozen=True, eq=False)
class Trace:
    """What one pass left behind: read-only arrays, float32 but for the ids."""

    ids: np.ndarray  # (T,) int64, the document marker first
    pieces: tuple[str, ...]  # T labels for showing
    streams: np.ndarray  # (L+1, T, d): entering block 1, then after every block
    attention_added: np.ndarray  # (L, T, d)
    feed_forward_added: np.ndarray  # (L, T, d)
    logits: np.ndarray  # (T, V): row t scores the token after token t
    attention: np.ndarray | None = None  # (L, H, T, T): row t is what token t looks at
    gate: np.ndarray | None = None  # (L, T, F): silu(x W1)
    value: np.ndarray | None = None  # (L, T, F): x W3, which the gate multiplies
    queries: np.ndarray | None = None  # (L, H, T, D): after QK-norm, before RoPE turns them
    keys: np.ndarray | None = None  # (L, K, T, D)
    raw_queries: np.ndarray | None = None  # (L, H, T, D): as the matrix makes them, before QK-norm
    raw_keys: np.ndarray | None = None  # (L, K, T, D)
    head_values: np.ndarray | None = None  # (L, K, T, D): what attention gathers
    gathered: np.ndarray | None = None  # (L, T, H·D): what the heads gathered, side by side
    units: np.ndarray | None = None  # (L, T, F): what the last matrix of the feed-forward layer reads
    norm1: np.ndarray | None = None  # (L, T, d): what leaves the norm before attention
    norm2: np.ndarray | None = None  # (L, T, d): what leaves the norm before the feed-forward layer


def run(
    model: Model,
    text_or_ids: str | Sequence[int] | np.ndarray,
    keep: Collection[str] = (),
    last: bool = False,
) -> Trace:
    """One pass of a model over a text (or ids as they are) -> Trace.

    keep: which of EXTRAS to keep too; they are large.  last: of every array only the last token's row, so
    that T is 1 in all of them but ids; attention is (L, H, 1, T) then.  Raises ReaderError for a text that
    does not fit, ids that are no tokens, or an unknown extra, LacksError for one that the model has not.
    """
    unknown = set(keep) - set(EXTRAS)
    if unknown:
        raise ReaderError(f"Nothing called {min(unknown)!r} can be kept; {', '.join(EXTRAS)} can.")
    lacking = set(keep) - set(model.extras)
    if lacking:
        raise LacksError(f"{model.title} has no {min(lacking)} that could be kept.")
    ids = token_ids(model, text_or_ids)
    found = model.passed(ids, tuple(keep), last)
    for array in found.values():
        array.flags.writeable = False
    ids.flags.writeable = False
    return Trace(ids=ids, pieces=tuple(model.tokenizer.label(i) for i in ids), **found)


def token_ids(model: Model, text_or_ids: str | Sequence[int] | np.ndarray) -> np.ndarray:
    """A text (the marker is put before it) or ids -> ids (T,), checked against the model's limits."""
    if isinstance(text_or_ids, str):
        ids = np.array(model.tokenizer.encode(text_or_ids), dtype=np.int64)
    else:
        try:
            ids = np.array(text_or_ids)
        except ValueError:  # lists of different lengths
            ids = np.array(None)
        if ids.ndim != 1 or not len(ids) or not np.issubdtype(ids.dtype, np.integer):
            raise ReaderError("Ids must be a list of at least one whole number.")
        ids = ids.astype(np.int64)
    limit, vocabulary = model.context, model.architecture.vocab_size
    if len(ids) > limit:
        here = " here" if limit < model.architecture.context else ""
        raise ReaderError(
            f"{len(ids)} tokens do not fit: this model reads at most {limit}{here}. Shorten the text."
        )
    if ids.min() < 0 or ids.max() >= vocabulary:
        raise ReaderError(f"Ids must be from 0 to {vocabulary - 1}.")
    return ids
