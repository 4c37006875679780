"""The same texts under one change after the other, with results as they come.

A sweep is a generator: it can be stopped after any text by not asking for more, and what was finished
stays in `known`, where the next sweep finds it.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.experiments import measure, runner
from engine.families import Change, Model

Try = tuple[Change, ...]
Key = tuple[str, str, Try]


@dataclass(frozen=True)
class Result:
    """What one model, changed or not, said about all the texts."""

    nats: float  # mean surprise at a token
    top: float  # mean probability of the likeliest token
    tokens: int  # how many were predicted

    @property
    def perplexity(self) -> float:
        """e^nats: as unsure as if among so many equally likely tokens; infinity when it overflows."""
        return math.exp(self.nats) if self.nats < 700 else math.inf


def fingerprint(texts: object) -> str:
    """A short name for these very texts, for use in keys."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:16]


def key(model: Model, mark: str, changes: Iterable[Change]) -> Key:
    """What a result is remembered by: the weights' checksum, the texts' fingerprint and the changes."""
    return model.checksum, mark, tuple(changes)


def sweep(
    model: Model, texts: Iterable[Sequence[int]], tries: Sequence[Try], known: MutableMapping[Key, Result]
) -> Iterator[tuple[float, dict[Try, Result]]]:
    """Run all texts under every try, a tuple of changes; () is the model as trained.

    Yields (share done, {try: Result}) after every text, the results growing; the last share is 1.
    known: earlier results by key(), which is read first and filled.
    """
    texts = [list(ids) for ids in texts]
    mark = fingerprint(texts)
    keys = {one: key(model, mark, one) for one in tries}
    found = {one: known[keys[one]] for one in tries if keys[one] in known}
    missing = [one for one in tries if one not in found]
    done, total = 0, len(missing) * len(texts)
    for one in missing:
        forward, nats, top = runner(model, *one), [], []
        for number, ids in enumerate(texts, start=1):
            surprise, likeliest = measure(forward(ids), ids)
            nats.append(surprise)
            top.append(likeliest)
            done += 1
            if number == len(texts):
                found[one] = known[keys[one]] = summary(nats, top)
            yield done / total, dict(found)
    if not missing:
        yield 1.0, found


def summary(nats: Sequence[np.ndarray], top: Sequence[np.ndarray]) -> Result:
    """Lists of arrays, one a text -> Result, every token counted alike."""
    all_nats = np.concatenate(nats)
    return Result(float(all_nats.mean()), float(np.concatenate(top).mean()), len(all_nats))
