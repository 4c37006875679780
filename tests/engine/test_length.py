"""Past the training length: the loss where it belongs, in one go, held to the window, and text by text."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import engine
from engine import length, wiring
from engine.errors import LacksError
from engine.wiring import Wiring
from tests import tiny
from tests.families import stranger


@pytest.fixture(scope="module")
def model():
    return engine.load("gpt-1")


def test_every_row_starts_with_another_text(model):
    rows = length.joined_rows(model, 400, 4)
    assert [len(row) for row in rows] == [400] * 4
    assert len({tuple(row[:20]) for row in rows}) == 4
    assert all(row[0] == model.tokenizer.marker_id for row in rows)


def nats(model, ids, how=wiring.AS_TRAINED):
    logits = torch.from_numpy(wiring.logits(model, ids, how))
    return cross_entropy(logits[:-1], torch.tensor(ids[1:]), reduction="none").numpy()


@pytest.mark.parametrize("kind", ["sprout", "store"])
def test_a_rows_three_readings_are_pytorchs(kind):
    model = tiny.model(kind)
    marker = model.tokenizer.marker_id
    texts = [[marker, 9, 8, 7, 6], [marker, 5], [marker], [marker, 4, 3, 2 + marker, 30, 31, 32, 33]]
    row = [token for text in texts for token in text]
    whole, near, alone = length.readings(model, row)
    counted = [token != marker for token in row[1:]]
    assert (~np.isnan(whole) == counted).all()
    np.testing.assert_allclose(whole[counted], nats(model, row)[counted], rtol=1e-4, atol=1e-4)
    held = Wiring(wiring.latest(model.window))
    np.testing.assert_allclose(near[counted], nats(model, row, held)[counted], rtol=1e-4, atol=1e-4)
    by_itself = np.concatenate([nats(model, text) for text in texts if len(text) > 1])
    np.testing.assert_allclose(alone[counted], by_itself, rtol=1e-4, atol=1e-4)


def test_up_to_the_training_length_the_window_hides_nothing(model):
    row = length.joined_rows(model, model.window, 1)[0]
    whole, near, _ = length.readings(model, row)
    np.testing.assert_allclose(near, whole, atol=1e-3)


def test_bins_hold_the_mean_of_their_tokens(model, monkeypatch):
    limit = model.window
    drawn = np.random.default_rng(0)

    def made_up(_model, row):
        found = drawn.uniform(0, 9, (3, len(row) - 1))
        found[:, drawn.random(len(row) - 1) < 0.1] = np.nan
        given.append(found)
        return found

    given = []
    monkeypatch.setattr(length, "readings", made_up)
    steps = list(length.loss_by_place(model, times=2, rows=3, bins=4))
    assert [share for share, _ in steps] == pytest.approx([1 / 3, 2 / 3, 1])
    loss, all_rows = steps[-1][1], np.stack(given)
    assert (loss.rows, loss.starts[0], loss.ends[-1]) == (3, 1, 2 * limit + 1)
    for number, name in enumerate(("whole", "near", "alone")):
        by_bin = [
            np.nanmean(all_rows[:, number, a - 1 : b - 1])
            for a, b in zip(loss.starts, loss.ends, strict=True)
        ]
        np.testing.assert_allclose(getattr(loss, name), by_bin)
        assert loss.within[number] == pytest.approx(np.nanmean(all_rows[:, number, :limit]))
        assert loss.beyond[number] == pytest.approx(np.nanmean(all_rows[:, number, limit:]))


def test_a_bin_without_a_counted_token_has_no_loss():
    means = length._means(np.zeros((3, 4)), np.array([1.0, 1, 0, 0]), [0, 2, 4])
    assert np.isnan(means[:, 1]).all()
    assert not np.isnan(means[:, 0]).any()


def test_a_model_without_positions_that_far_says_so_before_anything_is_read():
    with pytest.raises(LacksError, match=f"positions for {stranger().context} tokens and for no more"):
        length.check(stranger())
    for kind in ("sprout", "store"):
        length.check(tiny.model(kind))
