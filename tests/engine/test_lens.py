"""The lens against one written anew in NumPy from the files, against the output, and against itself."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import engine
from engine import lens as lens_readings
from engine import weights
from tests import tiny

NAMES = weights.available()
TEXT = "A robot named Zorbin Plax. Zorbin 🦊 <b>"


@pytest.fixture(scope="module", params=NAMES)
def seen(request):
    model = engine.load(request.param)
    trace = engine.run(model, TEXT)
    return model, trace, engine.logit_lens(model, trace)


def own_scores(name, streams):
    """Scores (R, T, V) by nothing but the files and float64."""
    home = weights.FOLDER / name
    files = {n: w.astype(np.float64) for n, w in load_file(home / "model.safetensors").items()}
    store = name == "store"
    matrix = files["embedding" if store else "embedding.weight"]
    gain = files["final_gain" if store else "final_norm.gain"]
    x = streams.astype(np.float64)
    rms = np.sqrt((x**2).mean(-1, keepdims=True) + (1e-5 if store else 1e-6))
    return (x / rms * gain) @ matrix.T


def own_probabilities(scores):
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


def test_the_lens_equals_an_independent_one(seen):
    model, trace, lens = seen
    p = own_probabilities(own_scores(model.name, trace.streams))
    R, T, k = lens.ids.shape
    np.testing.assert_allclose(lens.probabilities, -np.sort(-p, axis=-1)[..., :k], atol=1e-4)
    np.testing.assert_allclose(np.take_along_axis(p, lens.ids, -1), lens.probabilities, atol=1e-4)
    right = np.take_along_axis(p[:, :-1], np.broadcast_to(trace.ids[1:, None], (R, T - 1, 1)), -1)
    np.testing.assert_allclose(lens.next_probability[:, :-1], right[..., 0], atol=1e-4)
    np.testing.assert_allclose(lens.entropy, -(p * np.log(np.maximum(p, 1e-300))).sum(-1), atol=1e-4)
    divergence = (p[-1] * (np.log(p[-1]) - np.log(p))).sum(-1)
    np.testing.assert_allclose(lens.divergence, divergence, atol=1e-4)


def test_ranks_count_the_likelier_tokens_only(seen):
    model, trace, lens = seen
    scores = own_scores(model.name, trace.streams)[:, :-1]
    right = np.take_along_axis(scores, np.broadcast_to(trace.ids[1:, None], (*scores.shape[:2], 1)), -1)
    fewest, most = 1 + (scores > right + 1e-4).sum(-1), (scores > right - 1e-4).sum(-1)  # itself too
    rank = lens.next_rank[:, :-1]
    assert ((fewest <= rank) & (rank <= most)).all()
    assert (fewest == most).mean() > 0.5  # most leave no doubt


def test_ties_do_not_inflate_a_rank():
    scores = np.float32([[[2, 5, 2, 2]]])
    room = np.empty(4, np.float32), np.empty(1, np.float32)
    (*_, rank, _, _), _, _ = lens_readings._read(scores, 2, np.array([3]), room)
    assert rank.item() == 2


def test_the_last_row_is_the_models_output(seen):
    _, trace, lens = seen
    p = own_probabilities(trace.logits.astype(np.float64))
    np.testing.assert_allclose(lens.probabilities[-1], -np.sort(-p, axis=-1)[:, :5], atol=1e-5)
    assert (lens.divergence[-1] == 0).all()


def test_a_lens_of_another_output_is_refused(small):
    model, trace, _ = small
    with pytest.raises(AssertionError, match="not the model's own output"):
        engine.logit_lens(model, trace, streams=trace.streams[:-1] + 1)


def test_nothing_comes_after_the_last_token(seen):
    _, _, lens = seen
    assert np.isnan(lens.next_probability[:, -1]).all()
    assert (lens.next_rank[:, -1] == 0).all()
    assert lens.next_ids[-1] == -1


@pytest.fixture(params=["sprout", "store"])
def small(request):
    model = tiny.model(request.param)
    trace = engine.run(model, "The dog sat.\nThe cat <b> 🦊")
    return model, trace, engine.logit_lens(model, trace)


def test_a_column_does_not_change_when_the_text_goes_on(small):
    model, trace, lens = small
    shorter = engine.logit_lens(model, engine.run(model, trace.ids[:9]))
    np.testing.assert_allclose(shorter.probabilities, lens.probabilities[:, :9], atol=1e-4)


def test_tiles_change_nothing(small, monkeypatch):
    model, trace, lens = small
    for tile in (1, 7):
        monkeypatch.setattr(lens_readings, "TILE", tile)
        tiled = engine.logit_lens(model, trace)
        for name in ("probabilities", "next_probability", "entropy", "divergence", "log_total"):
            np.testing.assert_allclose(getattr(tiled, name), getattr(lens, name), atol=1e-4)


@pytest.mark.parametrize("k", [1, 5, 40, 300])
def test_the_likeliest_are_found_as_topk_finds_them(k):
    import torch

    scores = torch.randn(2, 3, 4142, generator=torch.Generator().manual_seed(0))
    best, ids = lens_readings._likeliest(scores, k)
    expected = scores.topk(k)
    assert torch.equal(best, expected.values)
    assert torch.equal(ids, expected.indices)


def test_the_rows_within_a_block_lie_between_its_ends(small):
    model, trace, lens = small
    L = model.architecture.n_layer
    streams = lens_readings.streams_within(trace)
    keys = lens_readings.row_keys(L, within=True)
    assert len(keys) == len(lens_readings.row_names(L, within=True)) == len(streams) == 2 * L + 1
    np.testing.assert_array_equal(streams[keys.index(f"{L}")], trace.streams[L])
    after = streams[keys.index("1a")] + trace.feed_forward_added[0]
    np.testing.assert_allclose(after, trace.streams[1], atol=1e-5)
    inner = engine.logit_lens(model, trace, streams=streams)
    np.testing.assert_allclose(inner.probabilities[::2], lens.probabilities, atol=1e-5)


def test_following_a_token_gives_its_probability_in_every_cell(seen):
    model, trace, lens = seen
    for token in (0, int(lens.ids[-1, 3, 0]), model.architecture.vocab_size - 1):
        p = own_probabilities(own_scores(model.name, trace.streams))[..., token]
        np.testing.assert_allclose(
            lens_readings.probability_of(model, lens, trace.streams, token), p, atol=1e-4
        )
    for token in (-1, model.architecture.vocab_size):
        with pytest.raises(ValueError, match="can't be followed"):
            lens_readings.probability_of(model, lens, trace.streams, token)


def fake(top, following, p=None):
    """A lens of given top candidates (R, T) and following ids (T,)."""
    ids = np.array(top)[..., None]
    empty = np.zeros(ids.shape[:2])
    p = np.zeros(ids.shape) if p is None else np.array(p)[..., None]
    return lens_readings.Lens(ids, p, np.array(following), empty, empty, empty, empty, empty)


def test_an_answer_settles_where_it_comes_to_stay():
    lens = fake([[7, 7, 0, 7], [0, 7, 0, 7], [7, 7, 0, 7]], [7, 7, 7, -1])
    assert lens_readings.settles(lens).tolist() == [2, 0, 3, 3]


def test_confidence_leaves_the_last_column_out():
    lens = fake([[1, 2, 3], [1, 5, 3]], [1, 5, -1], [[0.2, 0.4, 1.0], [0.5, 0.7, 1.0]])
    np.testing.assert_allclose(lens_readings.confidence(lens), [[0.3, 0.6], [0.5, 1.0]])
    assert np.isnan(lens_readings.confidence(fake([[1], [1]], [-1]))).all()


def test_a_row_that_repeats_what_it_read_is_told_from_one_that_predicts():
    lens = fake([[9, 5, 6, 7], [5, 6, 6, 8]], [5, 6, 7, -1])  # the tokens: one unknown, 5, 6, 7
    assert lens_readings.echoes(lens).tolist() == [1.0, 1 / 3]
    assert np.isnan(lens_readings.echoes(fake([[1], [1]], [-1]))).all()


@pytest.mark.parametrize("k", [0, 10**6])
def test_a_list_that_can_not_be_is_refused(small, k):
    model, trace, _ = small
    with pytest.raises(ValueError, match="can't be listed"):
        engine.logit_lens(model, trace, k=k)


@pytest.mark.parametrize("name", NAMES)
def test_512_equal_words_fill_every_column(name):
    model = engine.load(name)
    limit = model.context
    assert json.loads((weights.FOLDER / name / "config.json").read_text())["context"] == limit
    ids = np.full(limit, model.tokenizer.encode(" dog", start=False)[0])
    lens = engine.logit_lens(model, engine.run(model, ids))
    assert lens.ids.shape == (model.architecture.n_layer + 1, limit, 5)
    assert np.isfinite(lens.probabilities).all()
