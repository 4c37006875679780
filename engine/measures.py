"""How well a model predicts, on texts of ours that it has never seen.

T tokens · V vocabulary
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from engine import store

TEXTS = Path(__file__).parent.parent / "texts"


@cache
def own_stories():
    """Our 40 stories, a text each."""
    return tuple(one["text"] for one in _lines("stories.jsonl"))


@cache
def own_products():
    """Our 100 products, a text each: the name on the first line, the description below."""
    return tuple(f"{one['name']}\n{one['description']}" for one in _lines("products.jsonl"))


def _lines(name):
    with open(TEXTS / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def own_file(model):
    """The file that holds our texts of the model's kind."""
    return TEXTS / ("products.jsonl" if model.name == "store" else "stories.jsonl")


def own_rows(model):
    """Our texts of the model's kind -> a list of ids each, as in training, cut at its longest."""
    encode, end = model.tokenizer.encode, model.tokenizer.end_id
    if model.name == "store":
        rows = [[*encode(text), end] for text in own_products()]
    else:
        rows = [encode(text) for text in own_stories()]
    return [row[: model.setting("context")] for row in rows]


def logits(model, ids):
    """One plain pass, nothing kept: ids (T,) -> logits (T, V) float32."""
    if model.name == "store":
        return store.forward(ids, model.network, model.settings)
    import torch

    with torch.inference_mode():
        return model.network(torch.tensor(ids)[None])[0].numpy()


def surprises(model, ids):
    """-log of the probability of each token after the first.  ids (T,) -> (T-1,) nats"""
    if model.name == "store":
        return store.surprise(logits(model, ids), ids)
    import torch

    with torch.inference_mode():
        return model.network.surprise(torch.tensor(ids)[None])[0].numpy()


def nats_a_token(model, rows):
    """Mean surprise over all tokens of rows -> (nats, how many tokens).  e^nats is the perplexity."""
    found = np.concatenate([surprises(model, row) for row in rows])
    return float(found.mean()), len(found)


def copying(model):
    """How well a made-up name is copied: our 40 names in our 5 openings, each named twice.

    -> {"first", "second", "pieces"}: the mean probability of a name's second and later pieces at its
    first and at its second mention, given all that comes before.
    """
    names = json.loads((TEXTS / "names.json").read_text(encoding="utf-8"))
    found = {0: [], 1: []}
    for opening in names["openings"]:
        for name in names["names"]:
            parts = opening.split("{name}")
            ids, spans = mentions(model.tokenizer, parts, name)
            p = np.exp(-surprises(model, ids))  # p[t] is the probability of ids[t + 1]
            for mention, (start, end) in enumerate(spans):
                found[mention].extend(p[start : end - 1])  # from the second piece on
    first, second = (float(np.mean(found[mention])) for mention in (0, 1))
    return {"first": first, "second": second, "pieces": len(found[1])}


def mentions(tokenizer, parts, name):
    """Text parts with a name between them -> ids, and for each mention the range of its pieces.

    The space before a name belongs to its first piece.
    """
    ids, spans = [tokenizer.marker_id], []
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        glued = " " if not last and part.endswith(" ") else ""
        ids += tokenizer.encode(part if last else part.removesuffix(" "), start=False)
        if not last:
            pieces = tokenizer.encode(glued + name, start=False)
            spans.append((len(ids), len(ids) + len(pieces)))
            ids += pieces
    return ids, spans
