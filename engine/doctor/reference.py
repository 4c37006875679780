"""A pass held against numbers that were made elsewhere: a small .npz with ids and the logits for them.

T tokens · N positions that the file scores, the last ones · V vocabulary
"""

import io
import zipfile
from dataclasses import dataclass

import numpy as np

from engine.errors import ReaderError
from engine.families import Model

LARGEST = 64_000_000  # bytes of the arrays, unpacked
_HOW = 'Write it with numpy.savez("reference.npz", ids=ids, logits=logits).'


@dataclass(frozen=True)
class Apart:
    """How far a model's scores lie from the file's.  Scores have no zero, so a mean is taken off both."""

    positions: int  # N
    largest: float  # difference of any score
    spread: float  # between the highest and the lowest score of the file, at most
    same_top: int  # positions at which both have the same likeliest token
    first: int | None  # the first position whose likeliest tokens differ


def read(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """The file's content -> ids (T,) int64, logits (N, V) float32, N <= T.  Raises ReaderError."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(one.file_size for one in archive.infolist()) > LARGEST:
                raise ReaderError(
                    f"Unpacked it has more than {LARGEST // 10**6} MB. Keep the last positions only."
                )
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            ids, logits = np.asarray(file["ids"]), np.asarray(file["logits"])
    except ReaderError:
        raise
    except Exception as error:  # damaged in any of the ways in which a file can be
        raise ReaderError(f"This is no .npz with ids and logits ({type(error).__name__}). {_HOW}") from error
    ids, logits = _without_batch(ids, 1), _without_batch(logits, 2)
    logits = logits[None] if logits.ndim == 1 else logits
    if ids.ndim != 1 or not np.issubdtype(ids.dtype, np.integer) or not ids.size:
        raise ReaderError(f"ids must be a row of whole numbers, one a token. {_HOW}")
    if logits.ndim != 2 or not np.issubdtype(logits.dtype, np.floating):
        raise ReaderError(f"logits must be a table of numbers, a row a position. {_HOW}")
    if not np.isfinite(logits).all():
        raise ReaderError("Some logits are not finite numbers.")
    if len(logits) > len(ids):
        raise ReaderError(f"It has logits for {len(logits):,} positions and only {len(ids):,} ids.")
    return ids.astype(np.int64), logits.astype(np.float32)


def _without_batch(array: np.ndarray, sides: int) -> np.ndarray:
    """A batch of one is that one: (1, …) -> (…), where the array has a side too many."""
    return array[0] if array.ndim == sides + 1 and len(array) == 1 else array


def hold(model: Model, ids: np.ndarray, logits: np.ndarray) -> Apart:
    """The model's scores for the same ids against the file's.  Raises ReaderError for another model's."""
    V = model.architecture.vocab_size
    if logits.shape[1] != V:
        raise ReaderError(f"The file scores {logits.shape[1]:,} pieces, and {model.title} has {V:,}.")
    if ids.min() < 0 or ids.max() >= V:
        raise ReaderError(
            f"Its ids go from {ids.min():,} to {ids.max():,}; {model.title} has 0 to {V - 1:,}."
        )
    if len(ids) > model.context:
        raise ReaderError(f"It has {len(ids):,} ids; {model.title} reads at most {model.context:,}.")
    ours = model.logits(ids)[len(ids) - len(logits) :].astype(np.float64)
    theirs = logits.astype(np.float64)
    apart = np.abs((ours - ours.mean(-1, keepdims=True)) - (theirs - theirs.mean(-1, keepdims=True)))
    same = ours.argmax(-1) == theirs.argmax(-1)
    start = len(ids) - len(logits)
    first = None if same.all() else start + int((~same).argmax())
    spread = float((theirs.max(-1) - theirs.min(-1)).max())
    return Apart(len(logits), float(apart.max()), spread, int(same.sum()), first)
