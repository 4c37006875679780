"""A reader who does nothing holds no result: what an open page showed can go from memory."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest

from tests.pages.reader import Reader, page_names
from ui import kept

LARGE = 200_000  # bytes
LONG = " ".join(["the old dog met a girl named Zorbin and went home"] * 60)
TEXTS = {
    "text": "own",
    "product": "own",
    "passage": "own",
    "own": LONG,
    "own_product": LONG,
    "own_passage": LONG,
}


def arrays(thing):
    """The large arrays in a result."""
    if isinstance(thing, np.ndarray):
        return [thing] if thing.nbytes > LARGE else []
    if dataclasses.is_dataclass(thing):
        thing = [getattr(thing, one.name) for one in dataclasses.fields(thing)]
    if isinstance(thing, (tuple, list)):
        return [found for one in thing for found in arrays(one)]
    return arrays([*thing.values()]) if isinstance(thing, dict) else []


@pytest.mark.parametrize("page", page_names())
def test_an_open_page_holds_no_result(page, monkeypatch):
    kept.clear()
    put, seen = kept.ROOM.put, []

    def noted(key, value):
        if "_shipped" not in str(key):  # a model is kept once for all
            seen.extend(weakref.ref(one) for one in arrays(value))
        put(key, value)

    monkeypatch.setattr(kept.ROOM, "put", noted)
    reader = Reader(page, model="gpt-1", **TEXTS)
    kept.clear()
    gc.collect()
    left = [one().shape for one in seen if one() is not None]
    assert not left, f"{page} holds {left}"
    assert reader.nodes()
