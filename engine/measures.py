"""How well a model predicts, on texts of ours that it has never seen.

T tokens
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import LacksError
from engine.families import Model
from engine.tokenizer import Tokenizer

TEXTS = Path(__file__).parent.parent / "texts"


@cache
def own_stories() -> tuple[str, ...]:
    """Our 40 stories, a text each."""
    return tuple(one["text"] for one in _lines("stories.jsonl"))


@cache
def own_products() -> tuple[str, ...]:
    """Our 100 products, a text each: the name on the first line, the description below."""
    return tuple(f"{one['name']}\n{one['description']}" for one in _lines("products.jsonl"))


@cache
def own_repeats() -> tuple[str, ...]:
    """Our 40 texts of random letters that come twice, for a model that was trained on such."""
    return tuple(one["text"] for one in _lines("repeats.jsonl"))


@cache
def own_plain() -> tuple[str, ...]:
    """Our 20 plain texts, a paragraph each, for a model that was trained on texts of all kinds."""
    return tuple(one["text"] for one in _lines("plain.jsonl"))


def _lines(name: str) -> list[dict[str, Any]]:
    with open(TEXTS / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# The kinds of texts that models are measured on.
OWN = {"stories": own_stories, "products": own_products, "repeats": own_repeats, "plain": own_plain}
# What one of a kind is called.
ONE = {"stories": "story", "products": "product", "repeats": "repeat", "plain": "plain text"}
MANY = {"stories": "stories", "products": "products", "repeats": "repeats", "plain": "plain texts"}


def own_file(model: Model) -> Path:
    """The file that holds our texts of the model's kind."""
    return TEXTS / f"{model.texts}.jsonl"


def own_rows(model: Model) -> list[list[int]]:
    """Our texts of the model's kind -> a list of ids each, as in training, cut at its longest.

    A product is closed by the end marker, as it was in training.
    """
    end = [model.tokenizer.end_id] if model.texts == "products" else []
    rows = [[*model.tokenizer.encode(text), *end] for text in OWN[model.texts]()]
    return [row[: model.context] for row in rows]


def nats_a_token(model: Model, rows: Iterable[Sequence[int]]) -> tuple[float, int]:
    """Mean surprise over all tokens of rows -> (nats, how many tokens).  e^nats is the perplexity."""
    found = np.concatenate([model.surprises(row) for row in rows])
    return float(found.mean()), len(found)


def copying(model: Model) -> dict[str, float]:
    """How well a made-up name is copied: our 40 names in our 5 openings, each named twice.

    -> {"first", "second", "pieces"}: the mean probability of a name's second and later pieces at its
    first and at its second mention, given all that comes before.  Raises LacksError for a model that
    can't read so long a text.
    """
    names = json.loads((TEXTS / "names.json").read_text(encoding="utf-8"))
    found: dict[int, list[float]] = {0: [], 1: []}
    for opening in names["openings"]:
        for name in names["names"]:
            parts = opening.split("{name}")
            ids, spans = mentions(model.tokenizer, parts, name)
            if len(ids) > model.context:
                raise LacksError(f"{model.title} reads {model.context} tokens; this needs {len(ids)}.")
            p = np.exp(-model.surprises(ids))  # p[t] is the probability of ids[t + 1]
            for mention, (start, end) in enumerate(spans):
                found[mention].extend(p[start : end - 1])  # from the second piece on
    first, second = (float(np.mean(found[mention])) for mention in (0, 1))
    return {"first": first, "second": second, "pieces": len(found[1])}


def mentions(
    tokenizer: Tokenizer, parts: Sequence[str], name: str
) -> tuple[list[int], list[tuple[int, int]]]:
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
