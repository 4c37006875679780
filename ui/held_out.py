"""Measurements over our own texts, which no model was trained on, with a sign of how far they are.

Each text's measurement is kept by the model's checksum, so a reader who leaves stops the work and one who
comes back goes on where it stopped.
"""

import time

import streamlit as st

import engine
from engine import families, gate, measures, passing, units
from ui import cache, kept

PATIENCE = 0.3  # seconds before a progress bar appears


def over_texts(model, measure, keep=()):
    """measure(trace) of every held-out text of a model's kind -> a list, in the texts' order.

    measure: a function of the engine, known by its name; keep: what its traces must hold.
    """
    label = f"{measure.__module__}.{measure.__qualname__}"
    count = len(ids(model))
    found, began, bar = [], time.monotonic(), None
    for index in range(count):
        found.append(_measured(label, cache.key(model), index, keep, measure, model))
        if bar is None and time.monotonic() - began > PATIENCE:
            bar = st.progress(0.0)
        if bar is not None:
            bar.progress((index + 1) / count, f"Measured {index + 1} of {count} texts")
    if bar is not None:
        bar.empty()
    return found


def driving(model):
    """The texts that drive each unit most -> (gate.Driving, whether it was measured beforehand)."""
    found = _kept_units(cache.key(model), model)
    if found is not None:
        return found, True
    return _driving(cache.key(model), over_texts(model, gate.peaks, ("gate", "value"))), False


def kept_driving(model):
    """The gate.Driving that was measured beforehand, or None."""
    return _kept_units(cache.key(model), model)


def one(model):
    """What one of a model's held-out texts is called."""
    return measures.ONE[model.texts]


def kind(model):
    """What the held-out texts of a model, or of its name, are: "40 stories", "20 plain texts"."""
    texts = families.texts_of(model) if isinstance(model, str) else model.texts
    return f"{len(measures.OWN[texts]())} {measures.MANY[texts]}"


def ids(model):
    """The held-out texts -> a list of ids each, as the model reads them."""
    return _rows(cache.key(model), model)


@kept.result()
def _rows(key, _model):
    return measures.own_rows(_model)


@kept.result()
def _kept_units(key, _model):
    return units.load(_model)


@kept.result()
def _driving(key, _peaks):
    return gate.driving(_peaks, units.KEPT)


def _needs(label, key, index, keep, measure, model):
    return passing.run(model, len(ids(model)[index]), keep)


@kept.result(needs=_needs)
def _measured(label, key, index, keep, _measure, _model):
    return _measure(engine.run(_model, ids(_model)[index], keep))
