"""The logit lens: read the stream after every block as if it were the last (nostalgebraist 2020).

T tokens · d stream width · V vocabulary · L blocks · R rows that are read: L + 1, or 2L + 1 with those
within the blocks
"""

from dataclasses import dataclass

import numpy as np

from engine import store

TILE = 256  # vectors multiplied at once: enough for fast products
SLICE = 64  # of these so many are looked through at once: few enough for the processor's cache
CHUNK = 128  # scores whose largest is found first, when the likeliest tokens are looked for


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


def row_keys(n_layer, within=False):
    """The rows' short names: "0" the embedding, "3a" block 3 after attention, "3" after block 3."""
    blocks = range(1, n_layer + 1)
    pairs = [(f"{block}a", f"{block}") if within else (f"{block}",) for block in blocks]
    return ("0", *(key for pair in pairs for key in pair))


def row_names(n_layer, within=False):
    """The rows' names, as everywhere: the last is the model's own output."""
    names = {"0": "embedding", f"{n_layer}": f"after block {n_layer} (the model's output)"}
    for key in row_keys(n_layer, within):
        within_block = f"block {key[:-1]}, after attention"
        names.setdefault(key, within_block if key.endswith("a") else f"after block {key}")
    return tuple(names[key] for key in row_keys(n_layer, within))


def streams_within(trace):
    """The stream after the embedding, and in every block after attention and at its end, (2L+1, T, d)."""
    between = trace.streams[:-1] + trace.attention_added
    pairs = np.stack((between, trace.streams[1:]), axis=1)
    return np.concatenate((trace.streams[:1], pairs.reshape(-1, *pairs.shape[2:])))


def normed(model, stream):
    """The final norm on vectors (N, d) -> (N, d), float32."""
    if model.name == "store":
        return store.rms_norm(stream, model.network["final_gain"])
    import torch

    with torch.inference_mode():
        return model.network.final_norm(torch.from_numpy(np.array(stream))).numpy()


def readout(model, stream):
    """The final norm and the output layer on vectors (N, d) of any row -> scores (N, V), float32."""
    if model.name == "store":
        return store.unembed(stream, model.network)
    import torch

    with torch.inference_mode():
        x = torch.from_numpy(np.array(stream))[None]
        return model.network.output(model.network.final_norm(x))[0].numpy()


def logit_lens(model, trace, k=5, streams=None):
    """The lens of one pass -> Lens.  Works tile by tile: memory does not grow with R · T · V.

    streams (R, T, d): other rows to read instead of the trace's own; the last must still be the
    output's.  Raises ValueError when k is not from 1 to V.
    """
    import torch

    rows = trace.streams if streams is None else streams
    R, T, d = rows.shape
    V = trace.logits.shape[1]
    if not 1 <= k <= V:
        raise ValueError(f"k = {k} candidates can't be listed: choose 1 to {V}.")
    following = torch.from_numpy(np.append(trace.ids[1:], 0))
    ids = np.empty((R, T, k), np.int64)
    probabilities = np.empty((R, T, k), np.float32)
    rank = np.empty((R, T), np.int64)
    right, entropy, divergence, log_total = np.empty((4, R, T), np.float32)
    parts = (ids, probabilities, right, rank, entropy, divergence, log_total)
    _check_last(model, trace, rows[-1])
    height = max(1, TILE // T)
    with torch.inference_mode():
        for left in range(0, T, TILE):
            columns = slice(left, min(left + TILE, T))
            output = torch.from_numpy(np.array(trace.logits[columns]))[None]
            output_p, output_entropy = _output(output[0])
            for top in (*range(0, R - 1, height), R - 1):
                tile = slice(top, min(top + height, R - 1) if top < R - 1 else R)
                scores = output
                if top < R - 1:
                    scores = torch.from_numpy(readout(model, rows[tile, columns].reshape(-1, d)))
                scores = scores.view(-1, columns.stop - left, V)
                for r, t in _slices(*scores.shape[:2]):
                    here = (slice(top + r.start, top + r.stop), slice(left + t.start, left + t.stop))
                    found = _read(scores[r, t], k, following[here[1]], output_p[t], output_entropy[t])
                    for part, piece in zip(parts, found, strict=True):
                        part[here] = piece.numpy()
    right[:, T - 1], rank[:, T - 1], divergence[R - 1] = np.nan, 0, 0
    next_ids = np.append(trace.ids[1:], -1)
    for array in (*parts, next_ids):
        array.flags.writeable = False
    return Lens(ids, probabilities, next_ids, right, rank, entropy, divergence, log_total)


def probability_of(model, lens, streams, token_id):
    """The probability of one token in every cell, (R, T), from the lens of the same streams (R, T, d).

    Raises ValueError for an id that is no token.
    """
    V = model.setting("vocab_size")
    if not 0 <= token_id < V:
        raise ValueError(f"Token {token_id} can't be followed: ids go from 0 to {V - 1}.")
    if model.name == "store":
        direction = model.network["embedding"][token_id]
    else:
        direction = model.network.output.weight[token_id].numpy()
    scores = normed(model, streams.reshape(-1, streams.shape[-1])) @ direction
    return np.exp(scores.reshape(streams.shape[:2]) - lens.log_total)


def settles(lens):
    """The first row from which on the real next token stays on top, (T,) int64: R where it never does."""
    right = lens.ids[:, :, 0] == lens.next_ids
    return len(right) - np.cumprod(right[::-1], axis=0).sum(0)


def confidence(lens):
    """By row: the mean probability of the top candidate, and the share of columns where it is right.

    Two arrays (R,), over the columns that have a next token; NaN when there is none.
    """
    if len(lens.next_ids) < 2:
        return np.full((2, len(lens.ids)), np.nan)
    right = lens.ids[:, :-1, 0] == lens.next_ids[:-1]
    return np.stack((lens.probabilities[:, :-1, 0].mean(-1), right.mean(-1)))


def _check_last(model, trace, last):
    """The output's row is taken from the pass itself, so it has to be the readout of the last row."""
    ends = [0, len(last) - 1]
    same = np.allclose(readout(model, last[ends]), trace.logits[ends], atol=1e-4, rtol=1e-4)
    if not same or not np.array_equal(last, trace.streams[-1]):
        raise AssertionError("The lens's last row is not the model's own output.")


def _slices(r, t):
    """A tile's rows and columns in pieces of at most about SLICE cells: pairs of slices."""
    height, width = max(1, SLICE // t), min(t, SLICE)
    for top in range(0, r, height):
        for left in range(0, t, width):
            yield slice(top, min(top + height, r)), slice(left, min(left + width, t))


def _output(scores):
    """The output's scores (t, V) -> its probabilities (t, V) and their entropy (t,)."""
    p = scores.softmax(-1)
    lowered = scores - scores.amax(-1, keepdim=True)
    return p, -lowered.mul_(p).sum(-1) - p.amax(-1).log()


def _read(scores, k, following, output_p, output_entropy):
    """Scores (r, t, V), overwritten -> the seven parts of the lens for these cells."""
    import torch

    best, ids = _likeliest(scores, k)
    wanted = following[None, :, None].expand(len(scores), -1, -1)
    right, largest = scores.gather(-1, wanted), best[..., :1]
    buffer = torch.empty_like(scores)  # one for all that is as large as the scores
    rank = 1 + torch.gt(scores, right, out=buffer).sum(-1).long()
    p = torch.softmax(scores, -1, out=buffer)
    probabilities, right = p.gather(-1, ids), p.gather(-1, wanted)[..., 0]
    log_total = -probabilities[..., 0].log()  # measured from the largest score
    lowered = scores.sub_(largest)
    entropy = log_total - torch.mul(lowered, p, out=buffer).sum(-1)
    divergence = log_total - torch.mul(lowered, output_p, out=buffer).sum(-1) - output_entropy
    entropy, divergence = entropy.clamp_(min=0), divergence.clamp_(min=0)
    return ids, probabilities, right, rank, entropy, divergence, log_total + largest[..., 0]


def _likeliest(scores, k):
    """topk, faster: the k largest lie in the k chunks with the largest maxima, or in what is left over."""
    import torch

    chunks = scores.shape[-1] // CHUNK
    if k >= chunks:
        return scores.topk(k)
    split = scores[..., : chunks * CHUNK].unflatten(-1, (chunks, CHUNK))
    home = split.amax(-1).topk(k).indices
    candidates = split.gather(-2, home[..., None].expand(*home.shape, CHUNK)).flatten(-2)
    places = (home[..., None] * CHUNK + torch.arange(CHUNK)).flatten(-2)
    left_over = torch.arange(chunks * CHUNK, scores.shape[-1])
    candidates = torch.cat((candidates, scores[..., chunks * CHUNK :]), -1)
    places = torch.cat((places, left_over.expand(*places.shape[:-1], -1)), -1)
    best, place = candidates.topk(k)
    return best, places.gather(-1, place)
