"""A token's journey as a table to take away."""

import csv
import io

import engine
from tests import tiny
from views import journey_words


def test_every_number_is_in_the_table_as_it_is_shown():
    model = tiny.model("sprout")
    ids = model.tokenizer.encode('A "quoted", odd\ntext')
    pieces = [model.tokenizer.label(i) for i in ids]
    found = journey_words.shown(engine.journey_of(model, ids, 2), pieces, model.tokenizer.label)
    rows = list(csv.DictReader(io.StringIO(journey_words.as_csv(found))))
    for part, shown in found["parts"].items():
        own = [row for row in rows if row["part"] == part]
        blocks = shown["values"] if shown.get("by_block") else [shown["values"]]
        flat = [
            one
            for values in blocks
            for value in values
            for one in ([value] if isinstance(value, str) else value)
        ]
        assert [row["value"] for row in own] == flat
        assert {row["what"] for row in own} == set(shown["labels"])
