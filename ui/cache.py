"""Models and measurements, loaded and run once for all readers.

Everything here is read-only and shared as it is, and lies in the room of ui/kept.py: within one budget, what
was used longest ago goes first.  A cold rush of readers waits for one loading, not for thirty.  Functions
take the model itself; what is kept is kept by its name and checksum.
"""

import functools
from dataclasses import replace

import numpy as np

import engine
from engine import families, passing, tuned_lens
from engine import lens as lens_readings
from engine import untrained as untrained_lens
from ui import choice, kept, opened, process, warm

LARGE = 8_000_000  # bytes of attention's weights in all blocks
SHORT = 64  # tokens: about as many as a ready-made text has


def model(name):
    """A loaded model.  Raises WeightsError."""
    warm.need("models")
    _calm_torch()
    if families.offered(name):
        return opened.model(name)
    return families.load(name) if families.is_added(name) else _shipped(name)


@kept.result(spinner="Loading the model …")
def _shipped(name):
    loaded = families.load(name)
    process.tidy()
    return loaded


@functools.cache
def _calm_torch():
    """One thread a pass: with two, sessions that compute at the same time slow each other down."""
    import torch

    torch.set_num_threads(1)


def key(one):
    """What results of a model are kept by: its name, and the checksum of its weights and changes."""
    return one.name, one.checksum


def _ids(ids):
    return tuple(int(i) for i in ids)


def _pass_needs(key, ids, keep, scores, model):
    return passing.run(model, len(ids), keep)


@kept.result(needs=_pass_needs)
def _trace(key, ids, keep, scores, _model):
    passed = engine.run(_model, list(ids), keep)
    return passed if scores else _without_scores(passed)


def _without_scores(passed):
    """A pass whose logits are the last row's alone: all of them are half of what a pass takes."""
    return replace(passed, logits=passed.logits[-1:].copy())


@kept.result(needs=lambda key, ids, k, rows, model: passing.lens(model, len(ids)))
def _lens(key, ids, k, rows, _model):
    passed = engine.run(_model, list(ids))
    _trace.put(key, ids, (), False, _model, made=_without_scores(passed))
    return engine.logit_lens(_model, passed, k, _streams(_model, passed, rows))


@kept.result()
def _translators(key, _model):
    return tuned_lens.load(_model)


def trace(one, ids, keep=(), scores=True):
    """engine.run of a model on ids.  scores: whether all logits are kept, or those of the last row alone."""
    return _trace(key(one), _ids(ids), tuple(sorted(keep)), scores, one)


@kept.result(needs=lambda key, ids, block, model: passing.run(model, len(ids), ("attention",)))
def _attention(key, ids, block, _model):
    return engine.run(_model, list(ids), ("attention",)).attention[block].copy()


def attention(one, ids, block):
    """The weights of attention in a block, from 0, of a model's pass over ids, (H, T, T).

    Of a long text those of the other blocks are not kept: they are large.
    """
    a, T = one.architecture, len(ids)
    if passing.NUMBER * a.n_layer * a.n_head * T * T > LARGE:
        return _attention(key(one), _ids(ids), block, one)
    return trace(one, ids, ("attention",), scores=False).attention[block]


@kept.result(needs=lambda label, key, ids, keep, measure, model: passing.run(model, len(ids), keep))
def _of_pass(label, key, ids, keep, _measure, _model):
    return _measure(trace(_model, ids, keep, scores=False))


def of_pass(measure, one, ids, keep=()):
    """measure(trace) of a model's pass over ids.  measure: a function of the engine, which asks no logits."""
    label = f"{measure.__module__}.{measure.__qualname__}"
    return _of_pass(label, key(one), _ids(ids), keep, measure, one)


def lens(one, ids, k=5, rows="plain"):
    """engine.logit_lens of a model on ids.  rows: as lens_streams takes them."""
    return _lens(key(one), _ids(ids), k, rows, one)


def lens_streams(one, ids, rows="plain"):
    """The streams a lens reads: "plain" the trace's, "within" those within the blocks too, "tuned"
    through the learned maps."""
    return _streams(one, trace(one, ids, scores=False), rows)


def _streams(one, passed, rows):
    if rows == "within":
        return lens_readings.streams_within(passed)
    if rows == "tuned":
        return tuned_lens.translate(translators(one), passed.streams)
    return passed.streams


def translators(one):
    """A model's tuned lens, or None where there is none for these weights."""
    return _translators(key(one), one)


@kept.result("Reading the ready-made texts …", lambda key, texts, rows, model: passing.lens(model, SHORT))
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


@kept.result(needs=lambda key, ids, model: passing.lens(model, len(ids)) + 2 * passing.NUMBER * model.stored)
def _untrained(key, ids, _model):
    return untrained_lens.before_training(_model, list(ids)), untrained_lens.measure(_model, list(ids))


def untrained(one, ids):
    """engine.untrained.Measured of ids with the weights a model starts from, and with the trained ones."""
    return _untrained(key(one), _ids(ids), one)


def fitting_ids(one, text):
    """A text -> ids that fit the model, and how many tokens were cut off at the end."""
    ids = one.tokenizer.encode(text)
    if len(ids) > one.context < one.architecture.context:
        from views import opened as opened_view

        choice.say(opened_view.read_at_most(one))
    return ids[: one.context], max(0, len(ids) - one.context)
