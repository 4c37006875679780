"""The diagram's live numbers, measured when they are wanted and kept for all readers."""

import csv
import io

import streamlit as st

import engine
from engine.errors import ReaderError
from ui import cache, choice
from views import passage


def numbers(model, text):
    """What each part did at the chosen token of a text, as the diagram takes it; or {"error": sentence}."""
    try:
        model = cache.given(model)
        ids, left_out = cache.fitting_ids(model, text)
        last = len(ids) - 1
        token = min(choice.get("token", last, choice.number(0, 10**6)), last)
        found = _measured(cache.key(model), tuple(ids), token, model)
    except ReaderError as error:
        return {"error": str(error)}
    if left_out:
        note = (
            f"The last {left_out:,} tokens do not fit this model, which reads {len(ids)}, and are left out."
        )
        return {**found, "note": note}
    return found


def as_csv(live):
    """The same numbers as a table: part, block, what, value."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["part", "block", "head", "what", "value"])
    for part, shown in live["parts"].items():
        by_block = shown.get("by_block")
        for block, values in enumerate(shown["values"] if by_block else [shown["values"]], start=1):
            for what, value in zip(shown["labels"], values, strict=True):
                for head, one in enumerate(value, start=1) if isinstance(value, list) else [("", value)]:
                    table.writerow([part, block if by_block else "", head, what, one])
    return out.getvalue()


@st.cache_data(max_entries=256, show_spinner=False)
def _measured(key, ids, token, _model):
    pieces = [_model.tokenizer.label(i) for i in ids]
    return passage.numbers(engine.follow(_model, list(ids), token), pieces, _model.tokenizer.label)
