"""A token's journey as a table to take away: all that was measured, in full, one kind of value a column."""

import csv
import io
import math
from dataclasses import fields

import numpy as np
import pytest

import engine
from tests import tiny
from views import journey_table

COUNTED = {"token", "top", "read", "parallel"}  # what names a token or a shape, and is no measurement
TEXT = 'A "quoted", odd\ntext'


def taken(kind, place):
    model = tiny.model(kind)
    ids = model.tokenizer.encode(TEXT)
    p = engine.journey_of(model, ids, place % len(ids))
    label = model.tokenizer.label
    file = io.StringIO(journey_table.as_csv(p, [label(i) for i in ids], label), newline="")
    return p, list(csv.DictReader(file)), [label(i) for i in ids]


@pytest.mark.parametrize("kind", ["sprout", "store"])
@pytest.mark.parametrize("place", [0, 2, -1])
def test_every_number_that_was_measured_is_in_the_table_in_full(kind, place):
    p, rows, _ = taken(kind, place)
    listed = {float(row["value"]) for row in rows}
    for field in fields(p):
        if field.name not in COUNTED and getattr(p, field.name) is not None:
            measured = np.ravel(np.asarray(getattr(p, field.name), dtype=float))
            assert {float(one) for one in measured if not math.isnan(one)} <= listed, field.name


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_a_column_holds_one_kind_of_value(kind):
    for row in taken(kind, 2)[1]:
        assert math.isfinite(float(row["value"]))
        assert all(row[name] == "" or row[name].isdecimal() for name in ("block", "head", "position"))
        assert row["unit"] in ("", "1", "degrees", "nats", "tokens", "units")


def test_a_head_s_weights_stand_beside_the_tokens_it_looks_at():
    p, rows, pieces = taken("sprout", 2)
    own = [row for row in rows if row["measure"] == "attention weight" and row["block"] == row["head"] == "1"]
    assert [row["token"] for row in own] == pieces[:3]
    assert [float(row["value"]) for row in own] == p.attention[0, 0].tolist()


def test_the_last_token_has_no_next_one():
    assert not [row for row in taken("sprout", -1)[1] if row["part"] == "loss"]
