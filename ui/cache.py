"""Models and measurements, loaded and run once for all readers.

Everything kept here is read-only, so it is shared as it is instead of copied at every look
(st.cache_resource).  A cold rush of readers waits for one loading, not for thirty.
"""

import gc

import streamlit as st

import engine
from engine import weights


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


@st.cache_resource(max_entries=64, show_spinner=False)
def _lens(name, checksum, ids, k):
    return engine.logit_lens(model(name), trace(name, ids), k)


def trace(name, ids, keep=()):
    """engine.run on ids; the last 64 passes are kept, by the weights' checksum."""
    return _trace(name, model(name).checksum, tuple(int(i) for i in ids), tuple(sorted(keep)))


def lens(name, ids, k=5):
    """engine.logit_lens on ids; the last 64 are kept."""
    return _lens(name, model(name).checksum, tuple(int(i) for i in ids), k)


def fitting_ids(name, text):
    """A text -> ids that fit the model, and how many tokens were cut off at the end."""
    loaded = model(name)
    ids = loaded.tokenizer.encode(text)
    limit = loaded.setting("context")
    return ids[:limit], max(0, len(ids) - limit)
