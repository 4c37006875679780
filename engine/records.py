"""What a folder of weights says about its own making: results, training log, card.

Reads only these small files; neither torch nor the weights are loaded.  Each file stands for itself:
one that is damaged is named, and the others are read all the same.
"""

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import families
from engine.counting import Architecture, count_parameters, to_architecture
from engine.weights import FOLDER, WeightsError, checked, read_manifest, reason, shown, there

LOGGED = {"tokens", "blocks", "rate", "train_nats", "held_out_nats"}  # the columns of log.csv that are drawn
_UNUSABLE = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, ArithmeticError)


@dataclass(frozen=True)
class Record:
    """One model's record.  What was never written, or can't be read, is None or empty."""

    name: str
    settings: dict[str, Any] | Architecture | None
    manifest: dict[str, Any]
    results: dict[str, Any] | None
    log: tuple[dict[str, float], ...]  # rows of log.csv as dicts of numbers, in order
    card: str  # Markdown
    faults: tuple[str, ...] = ()  # a sentence for each file that should be there and can't be used

    @property
    def architecture(self) -> Architecture | None:
        """The model's shape, or None where it can't be read."""
        return None if self.settings is None else to_architecture(self.settings)


def of(name: str) -> Record:
    """The record of any model that can be loaded; one that was added has no files that tell of its making."""
    if families.is_added(name):
        return Record(name, families.architecture_of(name), families.manifest_of(name), None, (), "")
    return read(name)


def read(name: str, folder: Path = FOLDER) -> Record:
    """The record of one model; what can't be read is told in its faults."""
    home = folder / name
    faults: list[str] = []
    try:
        manifest = read_manifest(home)
    except WeightsError as error:
        return Record(name, None, {}, None, (), "", (str(error),))

    def part(file: str, understand: Callable[[str], Any], missing: Any) -> Any:
        """What one file says; `missing` where it is not there or can't be used."""
        try:
            if file not in manifest["files"] and not there(home / file):
                return missing
            return understand(checked(home, file, manifest).decode("utf-8"))
        except WeightsError as error:
            faults.append(str(error))
        except _UNUSABLE as error:
            faults.append(f"{shown(home / file)} can't be used ({reason(error)}).")
        return missing

    if not _counts(manifest.get("tokens_seen")):
        faults.append(f"{shown(home / 'manifest.json')} does not say how many tokens were seen in training.")
        manifest = {**manifest, "tokens_seen": None}
    return Record(
        name,
        part("config.json", _settings, None),
        manifest,
        part("results.json", _results, None),
        part("log.csv", _log, ()),
        part("card.md", str, ""),
        tuple(faults),
    )


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _settings(text: str) -> dict[str, Any]:
    found = json.loads(text)
    count_parameters(found)
    return found


def _results(text: str) -> dict[str, Any]:
    """results.json, each figure that is shown a number."""
    found = json.loads(text)
    for score in (*found["held_out"].values(), found["own_texts"]):
        math.exp(_finite(score["nats"]))
    if "copying" in found:
        _finite(found["copying"]["second"])
    return found


def _log(text: str) -> tuple[dict[str, float], ...]:
    rows = tuple({k: _finite(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(text)))
    absent = LOGGED - (rows[0].keys() if rows else set())
    if absent:
        raise ValueError(f"no {', '.join(sorted(absent))} in it")
    return rows


def _finite(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is no measurement")
    return number
