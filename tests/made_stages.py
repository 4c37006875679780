"""Stages that no training made: random figures of the right shapes, for tests of what shows them."""

from dataclasses import replace

import numpy as np

from engine import stages

TEXTS = (("easy", "An easy beginning", [0, 300, 301, 302, 303, 304]), ("name", "A name", [0, 310, 311, 310]))


def some(S=5, L=2, H=3, k=5, W=4, vocabulary=400, seed=0, about_name="gpt-4", **given):
    """S stages of a model with L blocks of H heads; given: arrays in place of the random ones."""
    rng = np.random.default_rng(seed)
    texts = [{"id": i, "title": title, "text": "…", "ids": ids} for i, title, ids in TEXTS]
    about = {
        "name": about_name,
        "command": "python -m training train gpt-4 --watch",
        "seed": seed,
        "texts": texts,
        "k": k,
        "positions": [1, 2, 3],
        "held_out_documents": 3,
        "held_out_tokens": 30,
        "weights": None,
        "drawn": {"temperature": 0.8, "top_p": 0.95, "seed": 0},
        "measuring_seconds": 1.0,
    }
    tokens = np.sort(rng.choice(10**6, S, replace=False))
    tokens[0] = 0
    made = stages.together(about, [_one(rng, int(t), L, H, k, W, vocabulary, texts) for t in tokens])
    return replace(made, **{name: np.asarray(array) for name, array in given.items()})


def _one(rng, tokens, L, H, k, W, vocabulary, texts):
    def read(T):
        p = -np.sort(-rng.random((L + 1, T, k)) / k, axis=-1)
        last = np.append(np.ones(T - 1), np.nan)
        return {
            "ids": rng.integers(0, vocabulary, (L + 1, T, k)).astype(np.uint16),
            "probabilities": p.astype(np.float16),
            "next_probability": (rng.random((L + 1, T)) * last).astype(np.float16),
            "next_rank": (rng.integers(1, vocabulary, (L + 1, T)) * np.nan_to_num(last)).astype(np.uint16),
            "entropy": (5 * rng.random((L + 1, T))).astype(np.float16),
            "divergence": rng.random((L + 1, T)).astype(np.float16),
        }

    return {
        "tokens": np.int64(tokens),
        **{name: 9 * rng.random() for name in ("held_out", "own", "unigram", "bigram")},
        **{name: rng.random() for name in ("first", "second")},
        "previous": rng.random((L, H), np.float32),
        "induction": rng.random((L, H), np.float32),
        "by_position": 9 * rng.random(3),
        "stream": 9 * rng.random(L + 1, np.float32),
        "shut": rng.random(L, np.float32),
        "written": rng.integers(0, vocabulary, (len(texts), 2, W)),
        "read": [read(len(text["ids"])) for text in texts],
    }
