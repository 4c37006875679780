"""Checks that anyone can run: our passes against others', and what must hold of them.

T tokens · V vocabulary
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine import measures, rope
from engine.errors import LacksError, ReaderError
from engine.families import Model
from engine.one_at_a_time import LATE
from engine.weights import FOLDER

CLOSE = 1e-4  # the largest difference of two logits that counts as the same


@dataclass(frozen=True)
class Outcome:
    """What a check found.  passed is None when it could not be run; facts then holds `why`, a sentence."""

    passed: bool | None
    kind: str  # what was looked at: which words tell it
    facts: dict[str, Any]  # the numbers that were found, by name


LIBRARIES = {"NumPy": "numpy", "PyTorch": "torch", "transformers": "transformers", "Streamlit": "streamlit"}


def versions() -> dict[str, str | None]:
    """What runs here, {name: version}; None for a library that is not installed."""
    found: dict[str, str | None] = {"Python": platform.python_version()}
    for title, name in LIBRARIES.items():
        try:
            found[title] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[title] = None
    return found


def against(reference: Callable[[], tuple[Any, np.ndarray]]) -> Callable[[Model], Outcome]:
    """A check of a model's pass against other code that makes the same.  See Model.references."""

    def check(model: Model) -> Outcome:
        try:
            ids, expected = reference()
        except ReaderError as reason:
            return not_run(str(reason))
        return _compare(model.logits(ids), expected)

    return check


def against_transformers(model: Model) -> Outcome:
    """Our pass against Hugging Face's code for the same architecture with the same weights."""
    if find_spec("transformers") is None:
        return not_run("The `transformers` library is not installed: `pip install transformers`.")
    import torch

    ids = measures.own_rows(model)[0]
    try:
        with LATE:
            theirs = model.in_transformers()
            with torch.inference_mode():
                expected = theirs(torch.tensor(ids)[None]).logits[0].numpy()
    except LacksError as reason:
        return not_run(str(reason))
    return _compare(model.logits(ids), expected)


def rope_by_hand(_model: Model | None = None) -> Outcome:
    """Equal distances give equal scores, a vector keeps its length, and the known numbers come out."""
    query, key = rope.draw(2026, 32)
    scores = [rope.score(query, key, m, n, scaled=True) for m, n in ((5, 2), (15, 12), (8, 2))]
    known = bool(np.allclose(scores, (0.217, 0.217, -0.765), atol=5e-4))
    query, key = rope.draw(1, 64)
    equal = [rope.score(query, key, m, n) for m, n in ((5, 2), (105, 102), (400, 397))]
    spread = max(equal) - min(equal)
    longer = abs(float(np.linalg.norm(rope.turn(query, 77)) - np.linalg.norm(query)))
    passed = known and spread < 1e-9 and longer < 1e-9
    return Outcome(passed, "rope", {"spread": spread, "longer": longer, "scores": scores})


def tied(model: Model) -> Outcome:
    """Input and output use one and the same matrix."""
    trace = engine.run(model, measures.own_rows(model)[0])
    embedding = model.part("embedding.matrix")
    read = np.allclose(model.normed(trace.streams[-1]) @ embedding.T, trace.logits, atol=CLOSE)
    one = read and np.shares_memory(embedding, model.directions)
    return Outcome(one, "tied", {"one": one, "shape": embedding.shape})


def causal(model: Model) -> Outcome:
    """Changing a later token changes nothing before it."""
    ids = np.array(measures.own_rows(model)[0])
    place = len(ids) // 2
    other = ids.copy()
    other[place:] = ids[place:][::-1]
    other[place] = (ids[place] + 1) % model.architecture.vocab_size
    before, after = model.logits(ids), model.logits(other)
    largest = float(np.abs(before[:place] - after[:place]).max())
    changed = float(np.abs(before[place:] - after[place:]).max())
    facts = {"first": place, "last": len(ids) - 1, "before": largest, "after": changed}
    return Outcome(largest < CLOSE < changed, "causal", facts)


def unchanged_by_looking(model: Model) -> Outcome:
    """A pass that is watched gives bit for bit the logits of one that is not."""
    ids = measures.own_rows(model)[0]
    plain = model.logits(ids)
    watched = engine.run(model, ids, model.extras).logits
    again = model.logits(ids)
    different = int((plain != watched).sum() + (plain != again).sum())
    return Outcome(different == 0, "looking", {"different": different, "logits": plain.size})


def counted(model: Model) -> Outcome:
    """The formula's count is the number of numbers stored."""
    expected, stored = engine.count_parameters(model.architecture).total, model.stored
    return Outcome(expected == stored, "counted", {"expected": expected, "stored": stored})


def not_run(why: str) -> Outcome:
    """The outcome of a check that could not be run.  why: one sentence."""
    return Outcome(None, "not run", {"why": why})


def _compare(ours: np.ndarray, expected: np.ndarray) -> Outcome:
    if ours.shape != expected.shape:
        return Outcome(False, "shapes", {"ours": ours.shape, "expected": expected.shape})
    largest = float(np.abs(ours.astype(np.float64) - expected).max())
    return Outcome(largest < CLOSE, "logits", {"shape": ours.shape, "largest": largest, "close": CLOSE})


def all_checks(model: Model, folder: Path = FOLDER) -> dict[str, Callable[[Model], Outcome]]:
    """The checks that make sense for a model -> {title: function of the model}."""
    ours = model.runs_in
    others = {f"{ours} against {title}": against(one) for title, one in model.references(folder).items()}
    twin = f"{ours} against Hugging Face transformers"
    return {
        **others,
        **({} if model.in_library else {twin: against_transformers}),
        **({"RoPE by hand": rope_by_hand} if "rotary" in model.has else {}),
        **({"The tied matrix is one matrix": tied} if "tied" in model.has else {}),
        "No token sees the future": causal,
        "Looking changes nothing": unchanged_by_looking,
        "Counted is stored": counted,
    }
