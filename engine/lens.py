"""The logit lens: read the stream after every block as if it were the last (nostalgebraist 2020).

T tokens · d stream width · V vocabulary · L blocks · R rows that are read: L + 1, or 2L + 1 with those
within the blocks
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.errors import ReaderError
from engine.families import Model
from engine.trace import Trace

TILE = 512  # vectors multiplied at once: enough for fast products
SLICE = 64  # of these so many are looked through at once: few enough for the processor's cache
CHUNKS = 512  # parts of the vocabulary whose maxima are found first, when the likeliest are looked for
LOG2_E = float(np.log2(np.e))


@dataclass(frozen=True)
class Lens:
    """What each row of the stream would say comes next.  Row 0 is the embedding, the last the output."""

    ids: np.ndarray  # (R, T, k) int64: the k likeliest next tokens, likeliest first
    probabilities: np.ndarray  # (R, T, k)
    next_ids: np.ndarray  # (T,) int64: the real next token, -1 after the last
    next_probability: np.ndarray  # (R, T): NaN after the last token
    next_rank: np.ndarray  # (R, T) int64: 1 is likeliest, ties share the better; 0 after the last
    entropy: np.ndarray  # (R, T) nats
    divergence: np.ndarray  # (R, T) nats: KL(output || this row), 0 in the last row
    log_total: np.ndarray  # (R, T): log of the sum of e^score, what scores are measured against


def row_keys(n_layer: int, within: bool = False) -> tuple[str, ...]:
    """The rows' short names: "0" the embedding, "3a" block 3 after attention, "3" after block 3."""
    blocks = range(1, n_layer + 1)
    pairs = [(f"{block}a", f"{block}") if within else (f"{block}",) for block in blocks]
    return ("0", *(key for pair in pairs for key in pair))


def row_names(n_layer: int, within: bool = False) -> tuple[str, ...]:
    """The rows' names, as everywhere: the last is the model's own output."""
    names = {"0": "embedding", f"{n_layer}": f"after block {n_layer} (the model's output)"}
    for key in row_keys(n_layer, within):
        within_block = f"block {key[:-1]}, after attention"
        names.setdefault(key, within_block if key.endswith("a") else f"after block {key}")
    return tuple(names[key] for key in row_keys(n_layer, within))


def streams_within(trace: Trace) -> np.ndarray:
    """The stream after the embedding, and in every block after attention and at its end, (2L+1, T, d)."""
    between = trace.streams[:-1] + trace.attention_added
    pairs = np.stack((between, trace.streams[1:]), axis=1)
    return np.concatenate((trace.streams[:1], pairs.reshape(-1, *pairs.shape[2:])))


def readout(model: Model, stream: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The final norm and the output layer on vectors (N, d) of any row -> scores (N, V), float32.

    out: an array for the scores.  NumPy's product is the faster one here: torch has no large pages for it.
    """
    scores = np.matmul(model.normed(stream), model.directions.T, out=out)
    return scores if model.output_bias is None else np.add(scores, model.output_bias, out=scores)


def logit_lens(model: Model, trace: Trace, k: int = 5, streams: np.ndarray | None = None) -> Lens:
    """The lens of one pass -> Lens.  Works tile by tile: memory does not grow with R · T · V.

    streams (R, T, d): other rows to read instead of the trace's own; the last must still be the
    output's.  Raises ReaderError when k is not from 1 to V.
    """
    import torch

    rows = trace.streams if streams is None else streams
    R, T, d = rows.shape
    V = trace.logits.shape[1]
    if not 1 <= k <= V:
        raise ReaderError(f"k = {k} candidates can't be listed: choose 1 to {V}.")
    following = np.append(trace.ids[1:], 0)
    ids = np.empty((R, T, k), np.int64)
    probabilities = np.empty((R, T, k), np.float32)
    rank = np.empty((R, T), np.int64)
    right, entropy, log_total, expected = np.empty((4, R, T), np.float32)
    parts: tuple[np.ndarray, ...] = (ids, probabilities, right, rank, entropy, log_total)
    _check_last(model, trace, rows[-1])
    height = max(1, TILE // T)
    width = min(T, TILE)
    made, output, output_p, *room = _memory(V, min(R - 1, height) * width, width, width, SLICE, SLICE // 4)
    with torch.inference_mode():
        for left in range(0, T, TILE):
            columns = slice(left, min(left + TILE, T))
            for top in (R - 1, *range(0, R - 1, height)):  # the output first: the others are measured by it
                if top == R - 1:
                    scores = output[None, : T - left]
                    scores[0] = trace.logits[columns]
                else:
                    tile = rows[top : min(top + height, R - 1), columns]
                    vectors = tile.reshape(-1, d)
                    scores = readout(model, vectors, made[: len(vectors)]).reshape(*tile.shape[:2], V)
                for r, t in _slices(*scores.shape[:2]):
                    here = (slice(top + r.start, top + r.stop), slice(left + t.start, left + t.stop))
                    found, grown, total = _read(scores[r, t], k, following[here[1]], room)
                    for part, piece in zip(parts, found, strict=True):
                        part[here] = piece
                    if top == R - 1:
                        np.divide(grown[0], total[0], out=output_p[t])
                    expected[here] = np.vecdot(output_p[t], scores[r, t])
    divergence = np.maximum(log_total - expected - entropy[-1], 0)
    right[:, T - 1], rank[:, T - 1], divergence[R - 1] = np.nan, 0, 0
    next_ids = np.append(trace.ids[1:], -1)
    for array in (*parts, divergence, next_ids):
        array.flags.writeable = False
    return Lens(ids, probabilities, next_ids, right, rank, entropy, divergence, log_total)


def probability_of(model: Model, lens: Lens, streams: np.ndarray, token_id: int) -> np.ndarray:
    """The probability of one token in every cell, (R, T), from the lens of the same streams (R, T, d).

    Raises ReaderError for an id that is no token.
    """
    V = model.architecture.vocab_size
    if not 0 <= token_id < V:
        raise ReaderError(f"Token {token_id} can't be followed: ids go from 0 to {V - 1}.")
    scores = _scores_of(model, streams.reshape(-1, streams.shape[-1]), token_id)
    return np.exp(scores.reshape(streams.shape[:2]) - lens.log_total)


def _scores_of(model: Model, vectors: np.ndarray, tokens: Any) -> np.ndarray:
    """The scores of one token, or of some, from vectors (N, d) of any row -> (N,) or (N, tokens)."""
    scores = model.normed(vectors) @ model.directions[tokens].T
    return scores if model.output_bias is None else scores + model.output_bias[tokens]


def settles(lens: Lens) -> np.ndarray:
    """The first row from which on the real next token stays on top, (T,) int64: R where it never does."""
    right = lens.ids[:, :, 0] == lens.next_ids
    return len(right) - np.cumprod(right[::-1], axis=0).sum(0)


def confidence(lens: Lens) -> np.ndarray:
    """By row: the mean probability of the top candidate, and the share of columns where it is right.

    Two arrays (R,), over the columns that have a next token; NaN when there is none.
    """
    if len(lens.next_ids) < 2:
        return np.full((2, len(lens.ids)), np.nan)
    right = lens.ids[:, :-1, 0] == lens.next_ids[:-1]
    return np.stack((lens.probabilities[:, :-1, 0].mean(-1), right.mean(-1)))


def echoes(lens: Lens) -> np.ndarray:
    """By row: the share of columns, but for the first, whose top candidate is the token that stands there.

    (R,): such a row repeats what it read and does not predict; NaN for a single column.
    """
    if len(lens.next_ids) < 2:
        return np.full(len(lens.ids), np.nan)
    return (lens.ids[:, 1:, 0] == lens.next_ids[:-1]).mean(-1)


def _check_last(model: Model, trace: Trace, last: np.ndarray) -> None:
    """The output's row is taken from the pass itself, so it has to be the readout of the last row.

    Some tokens' scores tell: all of them would cost as much as a few rows.
    """
    ends, some = np.array([0, len(last) - 1]), np.arange(0, trace.logits.shape[1], 257)
    scores = _scores_of(model, last[ends], some)
    same = np.allclose(scores, trace.logits[np.ix_(ends, some)], atol=1e-4, rtol=1e-4)
    if not same or not np.array_equal(last, trace.streams[-1]):
        raise AssertionError("The lens's last row is not the model's own output.")


def _memory(width: int, *heights: int) -> list[np.ndarray]:
    """Arrays (height, width), float32, in one piece: memory is slow at first use, less in large pages."""
    return np.split(np.empty((sum(heights), width), np.float32), np.cumsum(heights)[:-1])


def _slices(r: int, t: int) -> Iterator[tuple[slice, slice]]:
    """A tile's rows and columns in pieces of at most about SLICE cells: pairs of slices."""
    height, width = max(1, SLICE // t), min(t, SLICE)
    for top in range(0, r, height):
        for left in range(0, t, width):
            yield slice(top, min(top + height, r)), slice(left, min(left + width, t))


def _read(
    scores: np.ndarray, k: int, following: np.ndarray, room: Sequence[np.ndarray]
) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray]:
    """Scores (r, t, V) -> six parts of the lens for these cells, e^(score - largest), and its sums.

    room: two arrays, of float32 as large as the scores and a quarter of it, to write into.
    """
    import torch

    best, ids = (part.numpy() for part in _likeliest(torch.from_numpy(scores), k))
    largest = best[..., :1]
    wanted = np.broadcast_to(following[None, :, None], (*scores.shape[:2], 1))
    flat = room[0].reshape(-1), room[1].reshape(-1).view(bool)
    grown, above = (part[: scores.size].reshape(scores.shape) for part in flat)
    np.greater(scores, np.take_along_axis(scores, wanted, -1), out=above)
    rank = 1 + np.bitwise_count(np.packbits(above, axis=-1)).sum(-1, dtype=np.int32)
    # e^(score - largest) as a power of 2, which takes half the time.
    powers = torch.from_numpy(grown)
    torch.add(torch.from_numpy(-LOG2_E * largest), torch.from_numpy(scores), alpha=LOG2_E, out=powers).exp2_()
    total = powers.sum(-1, keepdim=True).numpy()
    probabilities = np.take_along_axis(grown, ids, -1) / total
    right = np.take_along_axis(grown, wanted, -1) / total
    log_total = (largest - np.log(probabilities[..., :1]))[..., 0]
    entropy = np.maximum(log_total - np.vecdot(grown, scores) / total[..., 0], 0)
    return (ids, probabilities, right[..., 0], rank, entropy, log_total), grown, total


def _likeliest(scores: Any, k: int) -> Any:
    """topk, faster: every CHUNKS-th score is of one chunk, and the k largest lie in the k chunks with the
    largest maxima, or in what is left over."""
    import torch

    height = scores.shape[-1] // CHUNKS
    if k >= CHUNKS or not height:
        return scores.topk(k)
    full = height * CHUNKS
    home = scores[..., :full].unflatten(-1, (height, CHUNKS)).amax(-2).topk(k, sorted=False).indices
    places = (home[..., None] + torch.arange(0, full, CHUNKS)).flatten(-2)
    if full < scores.shape[-1]:
        left_over = torch.arange(full, scores.shape[-1])
        places = torch.cat((places, left_over.expand(*places.shape[:-1], -1)), -1)
    best, place = scores.gather(-1, places).topk(k)
    return best, places.gather(-1, place)
