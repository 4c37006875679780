"""What each head looks for, measured on random pieces that come twice.

T tokens · H heads · L blocks.  Elhage et al. 2021; Olsson et al. 2022.
"""

from dataclasses import dataclass

import numpy as np

import engine


@dataclass(frozen=True)
class Scores:
    """Mean attention of every head to two places, each (L, H), from 0 to 1."""

    previous: np.ndarray  # to the token just before
    induction: np.ndarray  # to the token that followed the same token the last time

    def best(self, name):
        """(block, head), both from 0, of the highest score of one name."""
        scores = getattr(self, name)
        return tuple(int(i) for i in np.unravel_index(scores.argmax(), scores.shape))


def repeated_pieces(model, length=32, seed=0, first_id=260):
    """The marker, then `length` different random pieces, then the same again -> ids (1 + 2 length,).

    first_id: from where pieces are drawn; those before it are markers and single bytes.
    """
    generator = np.random.default_rng(seed)
    drawn = first_id + generator.permutation(model.setting("vocab_size") - first_id)[:length]
    return np.concatenate(([model.tokenizer.marker_id], drawn, drawn))


def score_heads(model, sequences=6, length=32):
    """Every head's two scores over random repeated pieces -> Scores.

    Only tokens of the second half count for both: they alone have been there before.  A token's own
    place, and the same token the last time, count for neither.
    """
    passes = [
        engine.run(model, repeated_pieces(model, length, seed), ("attention",)) for seed in range(sequences)
    ]
    each = [(follow(p.attention, 1), follow(p.attention, length - 1)) for p in passes]
    previous, induction = (np.mean(part, axis=0) for part in zip(*each, strict=True))
    return Scores(previous, induction)


def follow(attention, back):
    """Mean attention that the second half of the tokens gives to the one `back` places before.

    attention (L, H, T, T) -> (L, H).
    """
    T = attention.shape[-1]
    rows = np.arange(1 + T // 2, T)
    return attention[..., rows, rows - back].mean(-1)


def earlier_place(ids, place):
    """The latest place before `place` that holds the same token, or None."""
    same = np.flatnonzero(np.asarray(ids[:place]) == ids[place])
    return int(same[-1]) if len(same) else None
