"""Who wrote a score: the stream is a sum of what every part added, so what is read from it is a sum too.

T tokens · d stream width · H query heads · D head width · F feed-forward width · V vocabulary · L blocks
n blocks that have written: 0 for the embedding alone, L for the model's output

Elhage et al. 2021 call this direct logit attribution.
"""

from dataclasses import dataclass

import numpy as np

from engine.errors import LacksError, ReaderError
from engine.families import Model
from engine.heads import shares
from engine.lens import readout
from engine.trace import Trace

_LOOSE = 0.02  # how far apart, relative to the largest, a norm or a sum may be: what bfloat16 leaves is less


@dataclass(frozen=True)
class Question:
    """Which score: of a candidate after a token, read as of a row; with `against`, less that one's score.

    Without `against` the mean over the vocabulary is taken off, since scores have no zero of their own.
    """

    token: int
    row: int
    candidate: int
    against: int | None = None


@dataclass(frozen=True, eq=False)
class Reading:
    """How one vector of the stream is read: with the last norm's scale fixed, a weighted sum."""

    weights: np.ndarray  # (d,) float64: scale, gains and centring of the last norm on this vector
    centred: bool  # whether the norm takes off the mean first (LayerNorm)
    offset: np.ndarray  # (d,): what the norm adds; 0 without biases

    def read(self, added: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """What additions (…, d) add to the scores of tokens with the output rows (N, d) -> (…, N)."""
        return self.normed(added) @ np.asarray(directions, np.float64).T

    def normed(self, added: np.ndarray) -> np.ndarray:
        """Additions (…, d) as the norm scales them -> (…, d) float64, its offset left out."""
        x = np.asarray(added, np.float64)
        return (x - x.mean(-1, keepdims=True) if self.centred else x) * self.weights

    def direction(self, output: np.ndarray) -> np.ndarray:
        """The vector in the stream whose dot with an addition is what it adds to a score: (d,) -> (d,)."""
        scaled = self.weights * output
        return scaled - scaled.mean() if self.centred else scaled


@dataclass(frozen=True, eq=False)
class Direct:
    """What each part wrote of one score.  All float64; blocks are those that have written, n of them."""

    question: Question
    score: float  # as the model has it, the mean or the other candidate's taken off
    embedding: float
    attention: np.ndarray  # (n,)
    feed_forward: np.ndarray  # (n,)
    heads: np.ndarray  # (n, H): attention's shares
    units: np.ndarray | None  # (n, F): the feed-forward layers' shares, where they can be told
    norm_bias: float
    output_bias: float

    @property
    def attention_bias(self) -> np.ndarray:
        """(n,): what is left of attention beside its heads, the bias of its output matrix."""
        return self.attention - self.heads.sum(1)

    @property
    def feed_forward_bias(self) -> np.ndarray | None:
        """(n,): what is left of the feed-forward layers beside their units, the bias of their last matrix."""
        return None if self.units is None else self.feed_forward - self.units.sum(1)

    @property
    def total(self) -> float:
        """All parts together."""
        blocks = self.attention.sum() + self.feed_forward.sum()
        return float(self.embedding + blocks + self.norm_bias + self.output_bias)


def reading(model: Model, x: np.ndarray) -> Reading:
    """How the last norm reads one vector x (d,) -> Reading.

    The norm itself is asked, with four vectors, so whatever it is called its scale is that of the pass.
    Raises LacksError for one that is neither RMSNorm nor LayerNorm.
    """
    x = np.asarray(x, np.float64)
    signs = np.where(np.arange(len(x)) % 2, -1.0, 1.0)
    asked = np.stack([np.zeros_like(x), np.ones_like(x), signs, x]).astype(np.float32)
    offset, of_ones, of_signs, of_x = np.asarray(model.normed(asked), np.float64)
    centred = bool(np.allclose(of_ones, offset, atol=1e-4))
    middle = np.mean if centred else (lambda _: 0.0)
    gains = (of_signs - offset) / (signs - middle(signs))
    shape = (x - middle(x)) * gains
    scale = (shape @ (of_x - offset)) / max(shape @ shape, 1e-300)
    if np.abs(scale * shape + offset - of_x).max() > _LOOSE * max(1.0, np.abs(of_x).max()):
        raise LacksError(f"The last norm of {model.title} does not scale a vector as a whole.")
    return Reading(scale * gains, centred, offset)


def score(model: Model, trace: Trace, asked: Question) -> float:
    """The score that is asked for, as the model has it: in the last row from the pass's own logits."""
    check(model, trace, asked)
    if asked.row == len(trace.streams) - 1:
        scores = trace.logits[asked.token]
    else:
        scores = readout(model, trace.streams[asked.row, asked.token][None])[0]
    return of_scores(scores, asked)


def of_scores(scores: np.ndarray, asked: Question) -> float:
    """From all scores (V,) the one that is asked for."""
    scores = np.asarray(scores, np.float64)
    other = scores.mean() if asked.against is None else scores[asked.against]
    return float(scores[asked.candidate] - other)


def check(model: Model, trace: Trace, asked: Question) -> None:
    """Raise ReaderError for a place, a row or a candidate that is not there."""
    T, rows, V = len(trace.ids), len(trace.streams), model.architecture.vocab_size
    if not 0 <= asked.token < T:
        raise ReaderError(f"There is no token {asked.token}: the text has {T}, counted from 0.")
    if not 0 <= asked.row < rows:
        raise ReaderError(f"{model.title} has {rows - 1} blocks: the sum can be read after 0 to {rows - 1}.")
    for one in (asked.candidate, asked.against):
        if one is not None and not 0 <= one < V:
            raise ReaderError(f"Token {one} can't be asked for: ids go from 0 to {V - 1}.")


def output_direction(model: Model, asked: Question) -> tuple[np.ndarray, float]:
    """The row of the output matrix that is asked for, (d,) float64, and its bias: the other's taken off."""
    rows, bias = model.directions, model.output_bias

    def taken(of: np.ndarray) -> np.ndarray:
        other = (
            of.mean(0, dtype=np.float64) if asked.against is None else of[asked.against].astype(np.float64)
        )
        return of[asked.candidate].astype(np.float64) - other

    return taken(rows), 0.0 if bias is None else float(taken(bias))


def direct(model: Model, trace: Trace, asked: Question) -> Direct:
    """What every part wrote of a score, from a trace with keep() -> Direct.

    Its total is the model's score but for rounding.  Raises ReaderError as check() does, LacksError where
    the stream is no sum of what attention and feed-forward layers add.
    """
    check(model, trace, asked)
    n, t = asked.row, asked.token
    out, output_bias = output_direction(model, asked)
    how = reading(model, trace.streams[n, t])
    along = how.direction(out)
    summed(model, trace)
    heads = [shares(model, part_of(trace, "gathered")[block, t], block) @ along for block in range(n)]
    return Direct(
        question=asked,
        score=score(model, trace, asked),
        embedding=float(trace.streams[0, t] @ along),
        attention=trace.attention_added[:n, t] @ along,
        feed_forward=trace.feed_forward_added[:n, t] @ along,
        heads=np.array(heads).reshape(n, model.architecture.n_head),
        units=None if trace.units is None else _each_unit(model, trace.units[:n, t], along),
        norm_bias=float(how.offset @ out),
        output_bias=output_bias,
    )


def keep(model: Model) -> tuple[str, ...]:
    """What a pass has to keep for it; units where the model can tell them."""
    return tuple(one for one in ("gathered", "units") if one in model.extras)


def part_of(trace: Trace, name: str) -> np.ndarray:
    """What a trace kept.  Raises ValueError where it did not."""
    kept = getattr(trace, name)
    if kept is None:
        raise ValueError(f"The pass has not kept {name!r}.")
    return kept


def _each_unit(model: Model, units: np.ndarray, along: np.ndarray) -> np.ndarray:
    """What each unit wrote along a direction (d,), units (n, F) -> (n, F)."""
    n, F = units.shape
    written = [units[block] * (model.part("w2", block) @ along) for block in range(n)]
    return np.array(written).reshape(n, F)


def summed(model: Model, trace: Trace) -> None:
    """Raise LacksError where the stream is not a sum of what attention and feed-forward layers add."""
    sums = trace.streams[:-1] + trace.attention_added + trace.feed_forward_added
    far = np.abs(sums - trace.streams[1:]).max(initial=0) > _LOOSE * np.abs(trace.streams).max()
    if far:
        raise LacksError(f"What the parts of {model.title} add does not sum to its stream.")


def added(
    model: Model, trace: Trace, token: int, part: str, block: int, one: int | None = None
) -> np.ndarray:
    """What a part added at a token -> (d,) float64.

    part: "attention" or "feed-forward"; one: of these a single head, or a single unit, from 0.
    """
    if one is None:
        whole = trace.attention_added if part == "attention" else trace.feed_forward_added
        return whole[block, token].astype(np.float64)
    if part == "attention":
        return shares(model, part_of(trace, "gathered")[block, token], block)[one].astype(np.float64)
    return part_of(trace, "units")[block, token, one] * model.part("w2", block)[one].astype(np.float64)


def says(model: Model, trace: Trace, row: int, token: int, vector: np.ndarray) -> np.ndarray:
    """What an addition (d,) adds to every token's score as that row is read, (V,), the mean taken off."""
    how = reading(model, trace.streams[row, token])
    scores = how.read(vector, model.directions)
    return scores - scores.mean()
