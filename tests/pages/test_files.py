"""The numbers behind every figure, as files: each column holds one kind of value, numbers as numbers."""

import numbers
import re

import numpy as np
import pytest

from tests.pages.reader import SHORT, Reader, page_names
from ui import plot
from views.columns import csv_text

WRITTEN = re.compile(r"[<>≈−+-]?\s?\d[\d,.]*\s?(%|°|k|M|G|T|GB|MB|nats|×)?")  # a number made for reading


def trouble(columns):
    """The columns that a spreadsheet could not add up."""
    return [name for name, values in columns.items() if not _one_kind(list(values))]


def _one_kind(values):
    said = [one for one in values if one is not None]
    if any(isinstance(one, str) for one in said):
        texts = [one for one in said if isinstance(one, str)]
        return len(texts) == len(said) and not all(WRITTEN.fullmatch(one) for one in texts)
    return all(isinstance(one, numbers.Number | np.number | np.bool_) for one in said)


def test_what_no_spreadsheet_could_add_up_is_found():
    wrong = {"a": ["294,912"], "b": ["76°", "12°"], "c": [1, "none"], "d": [(1, 2)]}
    assert trouble({**wrong, "e": [1, None, 2.5], "f": ["a", "76 trombones"]}) == list(wrong)


@pytest.mark.parametrize("page", page_names())
def test_every_column_of_a_page_s_numbers_is_of_one_kind(page, monkeypatch):
    found = {}
    monkeypatch.setattr(plot, "table", lambda columns, name, label="": found.update({name: columns}))
    reader = Reader(page, **SHORT)
    for control in reader.controls():
        if control.kind in ("button_group", "expander"):
            for choice in control.choices:
                again = reader.control(control.key)
                if again is not None:
                    reader.choose((again, choice))
    assert not reader.trouble()
    assert {name: trouble(columns) for name, columns in found.items() if trouble(columns)} == {}
    for columns in found.values():
        lengths = {len(list(values)) for values in columns.values()}
        assert len(lengths) == 1
        assert csv_text(columns).count("\n") >= lengths.pop()
