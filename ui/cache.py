"""Models and measurements, loaded and run once for all readers.

Everything kept here is read-only, so it is shared as it is instead of copied at every look
(st.cache_resource).  A cold rush of readers waits for one loading, not for thirty.
"""

import gc

import numpy as np
import streamlit as st

import engine
from engine import lens as reading
from engine import tuned_lens, weights


@st.cache_resource(show_spinner="Loading the model …")
def model(name):
    """A loaded model.  Raises WeightsError."""
    if name != "store":
        _calm_torch()
    loaded = weights.load(name)
    gc.collect()
    gc.freeze()  # what lives as long as the server needs no looking through after every run
    return loaded


@st.cache_resource(show_spinner=False)
def _calm_torch():
    """One thread a pass: with two, sessions that compute at the same time slow each other down."""
    import torch

    torch.set_num_threads(1)


@st.cache_resource(max_entries=64, show_spinner=False)
def _trace(name, checksum, ids, keep):
    return engine.run(model(name), list(ids), keep)


@st.cache_resource(max_entries=12, show_spinner=False)
def _wide_trace(name, checksum, ids, keep):
    """A pass with extras: up to 70 MB each."""
    return engine.run(model(name), list(ids), keep)


@st.cache_resource(max_entries=64, show_spinner=False)
def _lens(name, checksum, ids, k, rows):
    return engine.logit_lens(model(name), trace(name, ids), k, lens_streams(name, ids, rows))


@st.cache_resource(max_entries=8, show_spinner=False)
def _translators(name, checksum):
    return tuned_lens.load(model(name))


def trace(name, ids, keep=()):
    """engine.run on ids; the last 64 passes are kept, 12 of those with extras, by the weights' checksum."""
    kept = _wide_trace if keep else _trace
    return kept(name, model(name).checksum, tuple(int(i) for i in ids), tuple(sorted(keep)))


@st.cache_resource(max_entries=64, show_spinner=False)
def _of_pass(label, name, checksum, ids, keep, _measure):
    return _measure(trace(name, ids, keep))


def of_pass(measure, name, ids, keep=()):
    """measure(trace) of a pass over ids, kept as the passes are.  measure: a function of the engine."""
    label = f"{measure.__module__}.{measure.__qualname__}"
    return _of_pass(label, name, model(name).checksum, tuple(int(i) for i in ids), keep, measure)


def lens(name, ids, k=5, rows="plain"):
    """engine.logit_lens on ids; the last 64 are kept.  rows: as lens_streams takes them."""
    return _lens(name, model(name).checksum, tuple(int(i) for i in ids), k, rows)


def lens_streams(name, ids, rows="plain"):
    """The streams a lens reads: "plain" the trace's, "within" those within the blocks too, "tuned"
    through the learned maps."""
    return _streams(name, trace(name, ids), rows)


def _streams(name, passed, rows):
    if rows == "within":
        return reading.streams_within(passed)
    if rows == "tuned":
        return tuned_lens.translate(translators(name), passed.streams)
    return passed.streams


def translators(name):
    """A model's tuned lens, or None where there is none for these weights."""
    return _translators(name, model(name).checksum)


@st.cache_data(max_entries=32, show_spinner="Reading the ready-made texts …")
def _confidence(name, checksum, texts, rows):
    found = []
    for text in texts:
        ids = fitting_ids(name, text)[0]
        passed = engine.run(model(name), ids)
        lens = engine.logit_lens(model(name), passed, 1, _streams(name, passed, rows))
        found.append((np.vstack((reading.confidence(lens), reading.echoes(lens))), len(ids) - 1))
    return np.average([one for one, _ in found], axis=0, weights=[n for _, n in found])


def confidence(name, texts, rows="plain"):
    """By row, over all columns of texts, (3, R): mean probability of the top candidate, share of right
    ones, share of those that repeat the token that stands there."""
    return _confidence(name, model(name).checksum, tuple(texts), rows)


def fitting_ids(name, text):
    """A text -> ids that fit the model, and how many tokens were cut off at the end."""
    loaded = model(name)
    ids = loaded.tokenizer.encode(text)
    limit = loaded.setting("context")
    return ids[:limit], max(0, len(ids) - limit)
