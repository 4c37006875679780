"""The same texts as declared and with one detail changed: a declared detail that loses is likely a wrong one.

T tokens
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine import measures
from engine.experiments import measure
from engine.families import Change, Model

TEXTS = 12  # of our own are read each time
BASES = (0.1, 10.0, 50.0)  # what RoPE's declared base is multiplied by
EPSILONS = (1e-6, 1e-5, 1e-3, 0.1)
GAIN = 0.01  # nats a token: what is lost by less is no finding
SURE = 3.0  # standard errors that a gain has to be larger than
Reading = tuple[np.ndarray, ...]  # for each text (T-1,) the surprise in nats at every token after the first


@dataclass(frozen=True)
class Compared:
    """One detail changed, against the model as declared, over the same texts.

    extra: what a token costs more, in nats; error: the standard error of that over the texts.
    """

    change: Change
    perplexity: float
    extra: float
    error: float

    @property
    def better(self) -> bool:
        """Whether the declared detail loses to this one: by more than GAIN, and than SURE errors."""
        return self.extra < -GAIN and self.extra < -SURE * self.error


def rows(model: Model) -> list[list[int]]:
    """The texts that are read -> a list of ids each."""
    return measures.own_rows(model)[:TEXTS]


def alternatives(model: Model) -> list[Change]:
    """What could have been declared in place of what is, as far as the model can be run so.

    "tied" is the embedding in the place of an output matrix of its own, "spare" the file's own in the place
    of the embedding, "unscaled" RoPE without the stretching that is declared.
    """
    base, found = model.rope_base, []
    if base and "base" in model.details:
        found += [Change("base", value=base * times) for times in BASES]
    if "epsilon" in model.details:
        found += [
            Change("epsilon", value=e) for e in EPSILONS if not math.isclose(e, model.epsilon, rel_tol=0.01)
        ]
    found += [
        Change(kind) for kind in ("neighbours", "no-rope", "no-qk-norm", "untied") if kind in model.details
    ]
    more = {
        "tied": not model.architecture.tied,
        "spare": model.spare_output is not None,
        "unscaled": model.unscaled() is not None,
    }
    return [*found, *(Change(kind) for kind, there in more.items() if there)]


def reading(
    model: Model, change: Change | None, texts: Sequence[Sequence[int]]
) -> Iterator[tuple[float, Reading]]:
    """Texts under one change, None for as declared.  Yields (share done, Reading so far) after each."""
    found: list[np.ndarray] = []
    read = _reader(model, change)
    for ids in texts:
        found.append(read(np.asarray(ids, dtype=np.int64)))
        yield len(found) / len(texts), tuple(found)


def _reader(model: Model, change: Change | None) -> Callable[[np.ndarray], np.ndarray]:
    """ids (T,) -> (T-1,) surprises, under one change."""
    match change.kind if change else None:
        case "tied":
            return lambda ids: _read_out(model, model.part("embedding.matrix"), ids)
        case "spare":
            spare = model.spare_output
            assert spare is not None
            return lambda ids: _read_out(model, spare, ids)
        case "unscaled":
            other = model.unscaled()
            assert other is not None
            return other.surprises
    return model.changed(*([change] if change else [])).surprises


def _read_out(model: Model, output: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """The surprises with another output matrix (V, d): ids (T,) -> (T-1,)."""
    last = model.normed(model.passed(ids)["streams"][-1])
    nats, _ = measure(last @ output.T, ids)
    return nats


def perplexity(read: Reading) -> float:
    """e^(mean surprise), every token counted alike; infinity when it overflows."""
    mean = float(np.concatenate(read).mean(dtype=np.float64))
    return math.exp(mean) if mean < 700 else math.inf


def compare(change: Change, declared: Reading, other: Reading) -> Compared:
    """A reading with a detail changed against one as declared, of the same texts."""
    sizes = np.array([len(one) for one in declared], dtype=np.float64)
    apart = np.array([np.mean(b - a, dtype=np.float64) for a, b in zip(declared, other, strict=True)])
    extra = float((sizes * apart).sum() / sizes.sum())
    spread = (sizes * (apart - extra)) ** 2
    return Compared(change, perplexity(other), extra, float(np.sqrt(spread.sum()) / sizes.sum()))
