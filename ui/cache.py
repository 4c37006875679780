"""Models and measurements, loaded and run once for all readers.

Everything kept here is read-only, so it is shared as it is instead of copied at every look
(st.cache_resource).  A cold rush of readers waits for one loading, not for thirty.  Functions take the
model itself; what is kept is kept by its name and checksum.
"""

import gc

import numpy as np
import streamlit as st

import engine
from engine import families, tuned_lens
from engine import lens as lens_readings
from engine import untrained as untrained_lens
from ui import warm


def model(name):
    """A loaded model.  Raises WeightsError."""
    warm.need("models")
    _calm_torch()
    return families.load(name) if families.is_added(name) else _shipped(name)


@st.cache_resource(show_spinner="Loading the model …")
def _shipped(name):
    loaded = families.load(name)
    gc.collect()
    gc.freeze()  # what lives as long as the server needs no looking through after every run
    return loaded


@st.cache_resource(show_spinner=False)
def _calm_torch():
    """One thread a pass: with two, sessions that compute at the same time slow each other down."""
    import torch

    torch.set_num_threads(1)


def key(one):
    """What results of a model are kept by: its name, and the checksum of its weights and changes."""
    return one.name, one.checksum


@st.cache_resource(max_entries=64, show_spinner=False)
def _trace(key, ids, keep, _model):
    return engine.run(_model, list(ids), keep)


@st.cache_resource(max_entries=12, show_spinner=False)
def _wide_trace(key, ids, keep, _model):
    """A pass with extras: up to 70 MB each."""
    return engine.run(_model, list(ids), keep)


@st.cache_resource(max_entries=64, show_spinner=False)
def _lens(key, ids, k, rows, _model):
    return engine.logit_lens(_model, trace(_model, ids), k, lens_streams(_model, ids, rows))


@st.cache_resource(max_entries=8, show_spinner=False)
def _translators(key, _model):
    return tuned_lens.load(_model)


def trace(one, ids, keep=()):
    """engine.run of a model on ids; the last 64 passes are kept, 12 of those with extras."""
    kept = _wide_trace if keep else _trace
    return kept(key(one), tuple(int(i) for i in ids), tuple(sorted(keep)), one)


@st.cache_resource(max_entries=64, show_spinner=False)
def _of_pass(label, key, ids, keep, _measure, _model):
    return _measure(trace(_model, ids, keep))


def of_pass(measure, one, ids, keep=()):
    """measure(trace) of a model's pass over ids, kept as passes are.  measure: a function of the engine."""
    label = f"{measure.__module__}.{measure.__qualname__}"
    return _of_pass(label, key(one), tuple(int(i) for i in ids), keep, measure, one)


def lens(one, ids, k=5, rows="plain"):
    """engine.logit_lens of a model on ids; the last 64 are kept.  rows: as lens_streams takes them."""
    return _lens(key(one), tuple(int(i) for i in ids), k, rows, one)


def lens_streams(one, ids, rows="plain"):
    """The streams a lens reads: "plain" the trace's, "within" those within the blocks too, "tuned"
    through the learned maps."""
    return _streams(one, trace(one, ids), rows)


def _streams(one, passed, rows):
    if rows == "within":
        return lens_readings.streams_within(passed)
    if rows == "tuned":
        return tuned_lens.translate(translators(one), passed.streams)
    return passed.streams


def translators(one):
    """A model's tuned lens, or None where there is none for these weights."""
    return _translators(key(one), one)


@st.cache_data(max_entries=32, show_spinner="Reading the ready-made texts …")
def _confidence(key, texts, rows, _model):
    found = []
    for text in texts:
        ids = fitting_ids(_model, text)[0]
        passed = engine.run(_model, ids)
        lens = engine.logit_lens(_model, passed, 1, _streams(_model, passed, rows))
        found.append((np.vstack((lens_readings.confidence(lens), lens_readings.echoes(lens))), len(ids) - 1))
    return np.average([one for one, _ in found], axis=0, weights=[n for _, n in found])


def confidence(one, texts, rows="plain"):
    """By row, over all columns of texts, (3, R): mean probability of the top candidate, share of right
    ones, share of those that repeat the token that stands there."""
    return _confidence(key(one), tuple(texts), rows, one)


@st.cache_resource(max_entries=32, show_spinner=False)
def _untrained(key, ids, _model):
    return untrained_lens.before_training(_model, list(ids)), untrained_lens.measure(_model, list(ids))


def untrained(one, ids):
    """engine.untrained.Measured of ids with the weights a model starts from, and with the trained ones."""
    return _untrained(key(one), tuple(int(i) for i in ids), one)


def fitting_ids(one, text):
    """A text -> ids that fit the model, and how many tokens were cut off at the end."""
    ids = one.tokenizer.encode(text)
    return ids[: one.context], max(0, len(ids) - one.context)
