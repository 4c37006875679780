"""How the residual stream grows: what each part adds, how large its numbers get, where it points.

T tokens · d stream width · L blocks; rows of the stream: 0 entering block 1, r after block r
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.trace import Trace

FLOAT16_LARGEST = 65_504.0  # the largest number that float16 can hold


@dataclass(frozen=True)
class Growth:
    """Means over tokens, and the largest single number; lengths are Euclidean norms."""

    tokens: int
    attention_added: np.ndarray  # (L,) mean length of what attention adds
    feed_forward_added: np.ndarray  # (L,) mean length of what the feed-forward layer adds
    length: np.ndarray  # (L+1,) mean length of the stream
    rms: np.ndarray  # (L+1,) mean over tokens of the root mean square of a vector's numbers
    cosine: np.ndarray  # (L,) mean cosine between a token's vector before and after each block
    largest: np.ndarray  # (L+1,) the largest absolute number of any token
    place: np.ndarray  # (L+1, 3) int: where that is: text, token, dimension
    held: np.ndarray  # (L+1, d) int: for how many tokens each dimension holds the largest number


def measure(trace: Trace) -> Growth:
    """One pass -> its Growth; the text is number 0."""
    streams = trace.streams.astype(np.float64)
    size = np.abs(streams)
    rows, T, d = streams.shape
    flat = size.reshape(rows, -1).argmax(-1)
    place = np.stack((np.zeros_like(flat), flat // d, flat % d), -1)
    winners = size.argmax(-1)
    lengths = np.linalg.norm(streams, axis=-1)
    dots = (streams[1:] * streams[:-1]).sum(-1)
    products = np.maximum(lengths[1:] * lengths[:-1], 1e-300)
    return Growth(
        tokens=T,
        attention_added=_mean_length(trace.attention_added),
        feed_forward_added=_mean_length(trace.feed_forward_added),
        length=lengths.mean(-1),
        rms=(lengths / np.sqrt(d)).mean(-1),
        cosine=(dots / products).mean(-1),
        largest=size.max((1, 2)),
        place=place,
        held=np.stack([np.bincount(row, minlength=d) for row in winners]),
    )


def together(growths: Sequence[Growth]) -> Growth:
    """The Growths of several texts -> one over all their tokens; a place names the text's number."""
    tokens = np.array([one.tokens for one in growths])

    def mean(name: str) -> np.ndarray:
        return np.average([getattr(one, name) for one in growths], axis=0, weights=tokens)

    largest = np.stack([one.largest for one in growths])
    text = largest.argmax(0)
    rows = np.arange(largest.shape[1])
    place = np.stack([one.place for one in growths])[text, rows]
    place[:, 0] = text
    return Growth(
        tokens=int(tokens.sum()),
        **{n: mean(n) for n in ("attention_added", "feed_forward_added", "length", "rms", "cosine")},
        largest=largest[text, rows],
        place=place,
        held=np.sum([one.held for one in growths], axis=0),
    )


def _mean_length(vectors: np.ndarray) -> np.ndarray:
    return np.linalg.norm(vectors.astype(np.float64), axis=-1).mean(-1)
