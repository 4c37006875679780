"""Measurements over our own texts, which no model was trained on, with a sign of how far they are.

Each text's measurement is kept by the weights' checksum, so a reader who leaves stops the work and one who
comes back goes on where it stopped.
"""

import time

import streamlit as st

import engine
from engine import gate, measures, units
from ui import cache

PATIENCE = 0.3  # seconds before a progress bar appears


def over_texts(name, measure, keep=()):
    """measure(trace) of every held-out text of the model's kind -> a list, in the texts' order.

    measure: a function of the engine, known by its name; keep: what its traces must hold.
    """
    checksum = cache.model(name).checksum
    count = len(_rows(name, checksum))
    label = f"{measure.__module__}.{measure.__qualname__}"
    found, began, bar = [], time.monotonic(), None
    for index in range(count):
        found.append(_measured(label, name, checksum, index, keep, measure))
        if bar is None and time.monotonic() - began > PATIENCE:
            bar = st.progress(0.0)
        if bar is not None:
            bar.progress((index + 1) / count, f"Measured {index + 1} of {count} texts")
    if bar is not None:
        bar.empty()
    return found


def driving(name):
    """The texts that drive each unit most -> (gate.Driving, whether it was measured beforehand)."""
    checksum = cache.model(name).checksum
    kept = _kept_units(name, checksum)
    if kept is not None:
        return kept, True
    return _driving(name, checksum, over_texts(name, gate.peaks, ("gate", "value"))), False


def kind(name):
    """What the held-out texts are: "40 stories" or "100 products"."""
    return (
        f"{len(measures.own_products())} products"
        if name == "store"
        else f"{len(measures.own_stories())} stories"
    )


def ids(name):
    """The held-out texts -> a list of ids each, as the model reads them."""
    return _rows(name, cache.model(name).checksum)


@st.cache_resource(show_spinner=False, max_entries=8)
def _rows(name, checksum):
    return measures.own_rows(cache.model(name))


@st.cache_resource(show_spinner=False, max_entries=8)
def _kept_units(name, checksum):
    return units.load(cache.model(name))


@st.cache_resource(show_spinner=False, max_entries=8)
def _driving(name, checksum, _peaks):
    return gate.driving(_peaks, units.KEPT)


@st.cache_resource(show_spinner=False, max_entries=2000)
def _measured(label, name, checksum, index, keep, _measure):
    row = _rows(name, checksum)[index]
    return _measure(engine.run(cache.model(name), row, keep))
