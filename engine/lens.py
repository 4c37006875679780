"""The logit lens: read the stream after every block as if it were the last (nostalgebraist 2020).

B batch · T tokens · d stream width · V vocabulary · L blocks
"""

from dataclasses import dataclass

import numpy as np

from engine import store


@dataclass(frozen=True)
class Lens:
    """What each row of the stream would say comes next.  Row 0 is the embedding, row r block r."""

    ids: np.ndarray  # (L+1, T, k) int64: the k likeliest next tokens, likeliest first
    probabilities: np.ndarray  # (L+1, T, k)
    next_ids: np.ndarray  # (T,) int64: the real next token, -1 after the last
    next_probability: np.ndarray  # (L+1, T): NaN after the last token
    next_rank: np.ndarray  # (L+1, T) int64: 1 is likeliest, ties share the better; 0 after the last
    entropy: np.ndarray  # (L+1, T) nats
    divergence: np.ndarray  # (L+1, T) nats: KL(output || this row), 0 in the last row


def row_names(n_layer):
    """The rows' names, as everywhere: the last is the model's own output."""
    names = [f"after block {block}" for block in range(1, n_layer + 1)]
    return ("embedding", *names[:-1], f"{names[-1]} (the model's output)")


def readout(model, stream):
    """The final norm and the output layer on vectors (T, d) of any row -> logits (T, V), float32."""
    if model.name == "store":
        return store.unembed(stream, model.network)
    import torch

    with torch.inference_mode():
        x = torch.from_numpy(np.array(stream))[None]
        return model.network.output(model.network.final_norm(x))[0].numpy()


def logit_lens(model, trace, k=5, streams=None):
    """The lens of one pass -> Lens.  Works row by row: never more than two rows of logits at once.

    streams (R, T, d): other rows to read instead of the trace's own; the last must still be the
    output's.  Raises ValueError when k is not from 1 to V.
    """
    import torch

    rows = trace.streams if streams is None else streams
    if not 1 <= k <= trace.logits.shape[1]:
        raise ValueError(f"k = {k} candidates can't be listed: choose 1 to {trace.logits.shape[1]}.")
    T = len(trace.ids)
    following = torch.from_numpy(np.append(trace.ids[1:], 0))[:, None]
    with torch.inference_mode():
        output = torch.from_numpy(np.array(trace.logits)).log_softmax(-1)
        output_p = output.exp()
        negative_entropy = (output_p * output).sum(-1)
        found = [
            _read(torch.from_numpy(readout(model, row)), k, following, output_p, negative_entropy)
            for row in rows
        ]
        last = readout(model, rows[-1])
    if not np.allclose(last, trace.logits, atol=1e-4, rtol=1e-4):
        raise AssertionError("The lens's last row is not the model's own output.")
    ids, probabilities, right, rank, entropy, divergence = (
        torch.stack(part).numpy() for part in zip(*found, strict=True)
    )
    right[:, T - 1], rank[:, T - 1] = np.nan, 0
    next_ids = np.append(trace.ids[1:], -1)
    arrays = (ids, probabilities, next_ids, right, rank, entropy, divergence)
    for array in arrays:
        array.flags.writeable = False
    return Lens(*arrays)


def _read(logits, k, following, output_p, negative_entropy):
    """One row of the lens, (T, V) -> the six parts of it."""
    log_p = logits.log_softmax(-1)
    top, ids = log_p.topk(k)
    right = log_p.gather(-1, following)
    rank = 1 + (log_p > right).sum(-1)
    entropy = -(log_p.exp() * log_p).sum(-1)
    divergence = (negative_entropy - (output_p * log_p).sum(-1)).clamp(min=0)
    return ids, top.exp(), right[:, 0].exp(), rank, entropy, divergence
