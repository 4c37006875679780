"""A token's journey for the diagram, measured when it is wanted and kept for all readers."""

import engine
from engine import passing
from engine.errors import ReaderError
from ui import cache, choice, kept, pattern
from views import journey_table, journey_words, marks


def measured(model, text):
    """What each part did at the chosen token of a text, as the diagram takes it; or {"error": sentence}."""
    try:
        ids, left_out = cache.fitting_ids(model, text)
        last = len(ids) - 1
        token = min(choice.get("token", last, choice.number(0, 10**6)), last)
        found = _measured(cache.key(model), tuple(ids), token, model)
    except ReaderError as error:
        return {"error": str(error)}
    return {**found, "note": journey_words.left_out(left_out, len(ids))} if left_out else found


def matrix(model, text, of):
    """All weights of a head of a text, as the diagram takes them; None where there is no such head.

    of: (block, head), from 1.
    """
    try:
        ids, _ = cache.fitting_ids(model, text)
        attention = cache.trace(model, ids, ("attention",)).attention
    except ReaderError as error:
        return {"of": of, "error": str(error)}
    block, head = of
    if block > len(attention) or head > len(attention[block - 1]):
        return None
    weights = attention[block - 1][head - 1]
    return {"of": of, "size": len(ids), "weights": pattern.packed(weights), "ramp": marks.RAMP}


def as_csv(model, text, token):
    """The same numbers in full, as a table to take away."""
    ids, _ = cache.fitting_ids(model, text)
    pieces = [model.tokenizer.label(i) for i in ids]
    with kept.work(_needs(None, ids, token, model)):
        found = engine.journey_of(model, ids, token)
    return journey_table.as_csv(found, pieces, model.tokenizer.label)


def _needs(key, ids, token, model):
    return passing.journey(model, token + 1)


@kept.result(needs=_needs)
def _measured(key, ids, token, _model):
    pieces = [_model.tokenizer.label(i) for i in ids]
    return journey_words.shown(engine.journey_of(_model, list(ids), token), pieces, _model.tokenizer.label)
