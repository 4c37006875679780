"""Head scores tell the two kinds of head apart."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

import engine
from engine import experiments, heads, store
from engine.errors import LacksError
from tests import tiny
from tests.families import stranger

LENGTH = 8


def attention_to(places):
    """One head that looks from row t at places(t) alone -> (1, 1, T, T)."""
    T = 1 + 2 * LENGTH
    weights = np.zeros((1, 1, T, T), np.float32)
    for t in range(T):
        weights[0, 0, t, places(t)] = 1
    return weights


@pytest.mark.parametrize(
    ("places", "previous", "induction"),
    [
        (lambda t: max(t - 1, 0), 1, 0),  # a previous-token head is no induction head
        (lambda t: t - LENGTH + 1 if t > LENGTH else 0, 0, 1),
        (lambda t: t - LENGTH if t > LENGTH else 0, 0, 0),  # the same token the last time: neither
        (lambda t: t, 0, 0),
    ],
)
def test_a_made_up_head_gets_the_score_of_its_kind(places, previous, induction):
    weights = attention_to(places)
    assert heads.follow(weights, 1)[0, 0] == previous
    assert heads.follow(weights, LENGTH - 1)[0, 0] == induction


def test_the_induction_score_is_the_attention_to_the_previous_occurrence_plus_one():
    model = engine.load("gpt-1")
    ids = heads.repeated_pieces(model, LENGTH)
    attention = engine.run(model, ids, ("attention",)).attention[0]
    expected = []
    for t in range(LENGTH + 1, len(ids)):
        earlier = next(p for p in range(t - 1, 0, -1) if ids[p] == ids[t])
        expected.append(attention[:, t, earlier + 1])
        assert heads.earlier_place(ids, t) == earlier
    scores = heads.score_heads(model, sequences=1, length=LENGTH)
    np.testing.assert_allclose(scores.induction[0], np.mean(expected, axis=0), rtol=1e-5)


def test_scores_come_step_by_step_and_end_at_the_mean_of_all():
    model = engine.load("gpt-1")
    steps = list(heads.scoring(model, 3, LENGTH))
    assert [share for share, _ in steps] == pytest.approx([1 / 3, 2 / 3, 1])
    alone = heads.score_heads(model, 1, LENGTH)
    np.testing.assert_array_equal(steps[0][1].induction, alone.induction)
    np.testing.assert_array_equal(steps[-1][1].previous, heads.score_heads(model, 3, LENGTH).previous)


@pytest.mark.parametrize("name", ["gpt-1", "store"])
def test_pieces_come_twice_and_no_oftener(name):
    model = engine.load(name)
    ids = heads.repeated_pieces(model)
    assert ids[0] == model.tokenizer.marker_id
    assert sorted(np.unique(ids[1:], return_counts=True)[1]) == [2] * 32
    scores = heads.score_heads(model, sequences=2, length=LENGTH)
    for part in (scores.previous, scores.induction):
        assert part.shape == (model.architecture.n_layer, model.architecture.n_head)
        assert ((part >= 0) & (part <= 1)).all()


def test_the_best_head_is_found():
    scores = heads.Scores(np.array([[0.1, 0.2], [0.9, 0.0]]), np.array([[0.1, 0.3], [0.2, 0.0]]))
    assert scores.best("previous") == (1, 0)
    assert scores.best("induction") == (0, 1)


def test_a_token_that_was_not_there_before_has_no_earlier_place():
    assert heads.earlier_place([1, 2, 3, 2, 2], 4) == 3
    assert heads.earlier_place([1, 2, 3], 2) is None


@pytest.mark.parametrize(
    ("ids", "starts", "length"),
    [
        ([9, 1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3], [1, 5, 9], 3),
        ([1, 2, 8, 1, 2, 3, 4, 7, 3, 4], [0, 3], 2),
        ([1, 1, 1, 1], [0, 2], 2),  # a run does not overlap itself
        ([1, 2, 1, 3, 1], [], 0),
        ([5], [], 0),
        ([], [], 0),
    ],
)
def test_the_longest_run_that_comes_again(ids, starts, length):
    assert heads.longest_repeat(ids) == (starts, length)


def test_what_may_not_stand_at_the_ends_is_cut_off():
    ids = [0, 1, 2, 0, 5, 0, 1, 2, 0, 6, 1, 2]
    assert heads.longest_repeat(ids) == ([0, 5], 4)
    assert heads.longest_repeat(ids, edge=bool) == ([1, 6, 10], 2)
    assert heads.longest_repeat(ids, edge=lambda i: False) == ([], 0)


@pytest.mark.parametrize("edge", [None, lambda token: token % 3 > 0], ids=["any ends", "some ends"])
def test_the_longest_run_is_what_a_search_through_all_runs_finds(edge):
    generator = np.random.default_rng(3)
    for _ in range(100):
        ids = generator.integers(0, 5, 24).tolist()
        runs = [
            size
            for size in range(2, 13)
            for a in range(len(ids) - size)
            for b in range(a + size, len(ids) - size + 1)
            if ids[a : a + size] == ids[b : b + size]
            and (edge is None or (edge(ids[a]) and edge(ids[a + size - 1])))
        ]
        starts, length = heads.longest_repeat(ids, edge)
        assert length == max(runs, default=0)
        assert len({tuple(ids[s : s + length]) for s in starts}) == (1 if starts else 0)
        assert all(b - a >= length for a, b in pairwise(starts))


def test_a_repeated_name_is_found_beside_a_longer_run_that_may_not_stand():
    ids = [5, 6, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 5, 6]
    assert heads.longest_repeat(ids, edge=bool) == ([0, 13], 2)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_what_the_heads_add_sums_to_what_attention_adds(kind):
    model = tiny.model(kind)
    ids = [0, 7, 9, 1, 20, 3]
    for block, whole in enumerate(engine.run(model, ids).attention_added):
        added = heads.added(model, ids, block)
        assert added.shape == (2, 6, 32)
        np.testing.assert_allclose(added.sum(0), whole, atol=1e-4)


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_what_a_head_adds_is_what_goes_when_it_is_switched_off(kind):
    model = tiny.model(kind)
    ids, last = [0, 7, 9, 1, 20, 3], model.architecture.n_layer - 1
    kept = [head for head in range(2) if head != 1]
    stream = engine.run(model, ids).streams[last] + heads.added(model, ids, last)[kept].sum(0)
    without = experiments.runner(
        model, experiments.Change("head", last, 1), experiments.Change("feed-forward", last)
    )(ids)
    if kind == "store":
        expected = store.unembed(stream, model.network)
    else:
        network = model.network
        expected = network.output(network.final_norm(torch.from_numpy(stream))).numpy()
    np.testing.assert_allclose(without, expected, atol=1e-3)


def test_scores_without_a_head_are_those_of_the_changed_model():
    model, off = tiny.model("sprout"), [(0, 1)]
    *_, (_, found) = heads.scoring_without(model, off, 1, LENGTH)
    changed = model.changed(experiments.Change("head", 0, 1))
    expected = heads.score_heads(changed, 1, LENGTH)
    np.testing.assert_array_equal(found.induction, expected.induction)
    np.testing.assert_array_equal(found.previous[0], heads.score_heads(model, 1, LENGTH).previous[0])
    assert (found.previous[1] != heads.score_heads(model, 1, LENGTH).previous[1]).any()


def test_a_model_that_reads_less_is_scored_on_as_many_pieces_as_it_reads_twice():
    own = stranger()
    model = replace(own, settings=replace(own.settings, context=40))
    assert heads.fitting(model) == (model.context - 1) // 2 < heads.LENGTH
    *_, (share, scores) = heads.scoring(model, 2)
    assert share == 1
    assert scores.induction.shape == (model.architecture.n_layer, model.architecture.n_head)
    assert heads.fitting(engine.load("gpt-1")) == heads.LENGTH


def test_a_model_that_reads_next_to_nothing_is_not_scored():
    model = tiny.model("store")
    short = replace(model, settings={**model.settings, "context": 2 * heads.LEAST})
    with pytest.raises(LacksError, match="reads no 3 different random pieces twice"):
        heads.score_heads(short)
