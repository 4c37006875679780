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
from engine.errors import LacksError
from engine.families import Model
from engine.weights import FOLDER

CLOSE = 1e-4  # the largest difference of two logits that counts as the same


@dataclass(frozen=True)
class Outcome:
    """What a check found.  passed is None when it could not be run, and `found` then says why."""

    passed: bool | None
    found: str  # one sentence with its numbers


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
        except LacksError as reason:
            return Outcome(None, str(reason))
        return _compare(model.logits(ids), expected)

    return check


def against_transformers(model: Model) -> Outcome:
    """Our pass against Hugging Face's code for the same architecture with the same weights."""
    if find_spec("transformers") is None:
        return Outcome(None, "The `transformers` library is not installed: `pip install transformers`.")
    import torch

    ids = measures.own_rows(model)[0]
    try:
        theirs = model.in_transformers()
    except LacksError as reason:
        return Outcome(None, str(reason))
    with torch.inference_mode():
        expected = theirs(torch.tensor(ids)[None]).logits[0].numpy()
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
    return Outcome(
        known and spread < 1e-9 and longer < 1e-9,
        f"Three pairs at distance 3 differ by at most {_small(spread)}; turning to position 77 changes the "
        f"length by {_small(longer)}; the known scores 0.217, 0.217, −0.765 came out as "
        + ", ".join(f"{score:.3f}".replace("-", "−") for score in scores)
        + ".",
    )


def tied(model: Model) -> Outcome:
    """Input and output use one and the same matrix."""
    trace = engine.run(model, measures.own_rows(model)[0])
    embedding = model.part("embedding.matrix")
    read = np.allclose(model.normed(trace.streams[-1]) @ embedding.T, trace.logits, atol=CLOSE)
    one = read and np.shares_memory(embedding, model.directions)
    V, d = embedding.shape
    verb = "use one and the same" if one else "do not use the same"
    return Outcome(one, f"Embedding and output {verb} {V:,} × {d} numbers in memory.")


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
    return Outcome(
        largest < CLOSE < changed,
        f"Tokens {place} to {len(ids) - 1} were exchanged: before them no logit moved by more than "
        f"{_small(largest)}, from there on by up to {changed:.1f}.",
    )


def unchanged_by_looking(model: Model) -> Outcome:
    """A pass that is watched gives bit for bit the logits of one that is not."""
    ids = measures.own_rows(model)[0]
    plain = model.logits(ids)
    watched = engine.run(model, ids, model.extras).logits
    again = model.logits(ids)
    different = int((plain != watched).sum() + (plain != again).sum())
    return Outcome(different == 0, f"{different} of {plain.size:,} logits differ.")


def counted(model: Model) -> Outcome:
    """The formula's count is the number of numbers stored."""
    expected, stored = engine.count_parameters(model.architecture).total, model.stored
    return Outcome(expected == stored, f"{expected:,} counted from the settings, {stored:,} stored.")


def _small(x: float) -> str:
    """A small difference as it is written: 0, or 1.9 × 10⁻⁶."""
    if x == 0:
        return "0"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _compare(ours: np.ndarray, expected: np.ndarray) -> Outcome:
    if ours.shape != expected.shape:
        return Outcome(False, f"The shapes differ: {ours.shape} and {expected.shape}.")
    largest = float(np.abs(ours.astype(np.float64) - expected).max())
    T, V = ours.shape
    return Outcome(
        largest < CLOSE,
        f"{ours.size:,} logits ({T} positions × {V:,} tokens): the largest difference is {_small(largest)}, "
        f"and less than {CLOSE:g} counts as the same.",
    )


def all_checks(model: Model, folder: Path = FOLDER) -> dict[str, Callable[[Model], Outcome]]:
    """The checks that make sense for a model -> {title: function of the model}."""
    ours = model.runs_in
    others = {f"{ours} against {title}": against(one) for title, one in model.references(folder).items()}
    return {
        **others,
        f"{ours} against Hugging Face transformers": against_transformers,
        **({"RoPE by hand": rope_by_hand} if "rotary" in model.has else {}),
        **({"The tied matrix is one matrix": tied} if "tied" in model.has else {}),
        "No token sees the future": causal,
        "Looking changes nothing": unchanged_by_looking,
        "Counted is stored": counted,
    }
