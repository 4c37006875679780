"""A run's state on disk: everything comes back, and nothing in the file can run."""

import pickle

import pytest
import torch

from tests import tiny
from training import checkpoint
from training.loop import Run, Workers
from training.plan import Plan

PLAN = Plan(tokens=900, rows=2, precision="float32", compile=False)


class Rows:
    """Rows of random ids."""

    def rows(self, epoch):
        ids = torch.randint(0, tiny.PIECES, (4, 33), generator=torch.Generator().manual_seed(epoch)).numpy()
        return ids.astype("uint16"), ids >= 0


def run_of(network):
    for weight in network.parameters():
        weight.requires_grad_(True)
    return Run(network, Rows(), PLAN, Workers())


@pytest.mark.parametrize("network", [tiny.sprout_network, tiny.store_network])
def test_everything_comes_back(network, tmp_path):
    run = run_of(network())
    run.step()
    run.progress.log.append((1, 64, 0.5, 3, 0.1, 6.0, float("nan")))
    state = run.state()
    checkpoint.save(state, tmp_path / checkpoint.FILE)
    again = checkpoint.restore(tmp_path / checkpoint.FILE)
    for name in ("settings", "plan", "batches"):
        assert again[name] == state[name]
    assert (again["progress"].step, again["progress"].tokens) == (1, run.progress.tokens)
    assert [tuple(row[:-1]) for row in again["progress"].log] == [(1, 64, 0.5, 3, 0.1, 6.0)]
    assert again["random"].equal(state["random"])
    assert set(again["weights"]) == set(state["weights"])
    assert all(w.equal(state["weights"][name]) for name, w in again["weights"].items())
    assert all(
        value.equal(state["optimiser"][name][key])
        for name, values in again["optimiser"].items()
        for key, value in values.items()
    )
    assert {n: set(v) for n, v in again["optimiser"].items()} == {
        n: set(v) for n, v in state["optimiser"].items()
    }
    ids = torch.arange(20)[None]
    assert checkpoint.model_of(again)(ids).equal(run.model(ids))


def test_a_run_that_never_stepped_is_taken_up_again(tmp_path):
    run = run_of(tiny.sprout_network())
    checkpoint.save(run.state(), tmp_path / checkpoint.FILE)
    saved = checkpoint.restore(tmp_path / checkpoint.FILE)
    again = Run(checkpoint.model_of(saved), Rows(), PLAN, Workers(), saved["progress"], saved["batches"])
    again.optimiser.restore(saved["optimiser"])
    assert again.step() == run.step()


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / checkpoint.FILE
    run = run_of(tiny.sprout_network())
    checkpoint.save(run.state(), path)

    def break_off(_tensors, target, _told):
        target.write_bytes(b"half a chec")
        raise OSError("no space left")

    run.step()
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save_file", break_off)
        with pytest.raises(OSError, match="no space left"):
            checkpoint.save(run.state(), path)
    assert checkpoint.restore(path)["progress"].step == 0
    checkpoint.save(run.state(), path)
    assert checkpoint.restore(path)["progress"].step == 1
    assert [left.name for left in tmp_path.iterdir()] == [checkpoint.FILE]


def test_a_file_that_could_run_something_is_refused(tmp_path):
    path = tmp_path / checkpoint.FILE
    path.write_bytes(pickle.dumps({"step": 1}))
    with pytest.raises(Exception, match=r"(?i)header|deserializ"):
        checkpoint.restore(path)
    torch.save({"step": 1}, path)
    with pytest.raises(Exception, match=r"(?i)header|deserializ"):
        checkpoint.restore(path)
