"""What a folder of weights says about its own making: results, training log, card.

Reads only these small files; neither torch nor the weights are loaded.
"""

import csv
import json
from dataclasses import dataclass

from engine.weights import FOLDER, WeightsError, read_manifest, shown


@dataclass(frozen=True)
class Record:
    """One model's record.  results is None, and card empty, for weights that were never measured."""

    name: str
    settings: dict
    manifest: dict
    results: dict | None
    log: tuple  # rows of log.csv as dicts of numbers, in order
    card: str  # Markdown


def read(name, folder=FOLDER):
    """The record of one model.  Raises WeightsError."""
    home = folder / name
    manifest = read_manifest(home)
    try:
        settings = json.loads((home / "config.json").read_text(encoding="utf-8"))
        results, card = home / "results.json", home / "card.md"
        with open(home / "log.csv", encoding="utf-8", newline="") as file:
            log = tuple({k: float(v) for k, v in row.items()} for row in csv.DictReader(file))
        return Record(
            name,
            settings,
            manifest,
            json.loads(results.read_text(encoding="utf-8")) if results.exists() else None,
            log,
            card.read_text(encoding="utf-8") if card.exists() else "",
        )
    except (OSError, ValueError, TypeError) as error:
        raise WeightsError(f"The records in {shown(home)} can't be read ({error}).") from error
