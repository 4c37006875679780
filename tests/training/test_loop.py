"""The training loop: stopped and resumed it ends where it would have, and shared it learns the same."""

import csv
import os
import signal
from dataclasses import replace

import pytest
import torch

from engine import measures
from engine.model import Transformer
from tests import tiny
from training import checkpoint, growth, loop
from training.data import Stories
from training.evaluate import held_out_nats
from training.loop import LOG_FIELDS, Run, Workers
from training.plan import Plan, Progress, rate

PLAN = Plan(tokens=2000, rows=4, warmup_steps=3, precision="float32", compile=False, evaluate_every=500)


def source():
    return Stories(list(measures.own_stories()), tiny.stories_tokenizer(), tiny.SPROUT.context, seed=1)


def new_model(**more):
    torch.manual_seed(0)
    return Transformer(replace(tiny.SPROUT, **more))


def new_run(plan=PLAN, **more):
    return Run(new_model(**more), source(), plan, Workers())


def resumed(folder, plan=PLAN):
    """A run from a checkpoint, put together as `python -m training` does."""
    saved = checkpoint.restore(folder / checkpoint.FILE)
    run = Run(checkpoint.model_of(saved), source(), plan, Workers(), saved["progress"], saved["batches"])
    run.optimiser.restore(saved["optimiser"])
    return run


def same(one, other):
    """Whether two runs stand at the very same place."""
    for (name, a), b in zip(one.model.named_parameters(), other.model.parameters(), strict=True):
        assert a.equal(b), name
    mine, theirs = one.optimiser.state(), other.optimiser.state()
    assert all(v.equal(theirs[name][key]) for name, state in mine.items() for key, v in state.items())
    assert (one.progress.step, one.progress.tokens) == (other.progress.step, other.progress.tokens)
    assert (one.batches.epoch, one.batches.place) == (other.batches.epoch, other.batches.place)
    return True


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run from start to end, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    run = new_run()
    rows = [tiny.stories_tokenizer().encode(text) for text in measures.own_stories()[:4]]
    assert run.train(folder, lambda model: held_out_nats(model, rows))
    return run, folder


# stopping and going on


def test_the_budget_is_spent_and_something_is_learned(whole):
    run, folder = whole
    assert PLAN.tokens <= run.progress.tokens < PLAN.tokens + 4 * 48
    with open(folder / "log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == LOG_FIELDS
    steps = [int(row["step"]) for row in rows]
    assert steps == sorted(set(steps))
    assert len(steps) >= 4
    assert steps[-1] == run.progress.step
    assert float(rows[-1]["held_out_nats"]) < float(rows[0]["held_out_nats"]) < 6.3
    assert all(0 <= float(row["rate"]) <= 1 for row in rows)


@pytest.mark.parametrize("at", [1, 700, 1999])
def test_interrupted_and_resumed_it_ends_where_it_would_have(whole, tmp_path, at):
    first = new_run()
    assert first.train(tmp_path, until=at)
    assert first.progress.tokens < PLAN.tokens or at == 1999
    second = resumed(tmp_path)
    assert same(first, second)
    assert second.train(tmp_path)
    assert same(second, whole[0])


class Interrupting:
    """Rows whose reading asks the process to end, as Ctrl-C or the system would."""

    def __init__(self, number):
        self.number, self.source = number, source()

    def rows(self, epoch):
        os.kill(os.getpid(), self.number)
        return self.source.rows(epoch)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_end_it_finishes_its_step_and_saves(whole, tmp_path, number):
    handler = signal.getsignal(number)
    run = Run(new_model(), Interrupting(number), PLAN, Workers())
    assert run.train(tmp_path) is False
    assert run.progress.step == 1
    assert signal.getsignal(number) is handler
    again = resumed(tmp_path)
    again.train(tmp_path)
    assert same(again, whole[0])


def test_a_finished_run_that_is_started_again_changes_nothing(whole, tmp_path):
    run, folder = whole
    again = resumed(folder)
    assert again.train(tmp_path)
    assert same(again, run)


def test_a_checkpoint_is_saved_on_the_way(tmp_path):
    run = new_run(replace(PLAN, save_every=0.0))
    seen = []
    run.train(tmp_path, lambda _: seen.append((tmp_path / checkpoint.FILE).exists()) or 1.0, until=1000)
    assert any(seen)


def test_weights_are_kept_every_so_many_tokens(tmp_path):
    new_run(replace(PLAN, keep_every=800)).train(tmp_path)
    kept = [checkpoint.restore(path) for path in sorted(tmp_path.glob("kept-*.safetensors"))]
    assert [one["progress"].tokens // 800 for one in kept] == [1, 2]
    name = "embedding.weight"
    assert not torch.equal(kept[0]["weights"][name], kept[1]["weights"][name])


# the rate


@pytest.mark.parametrize(("step", "tokens", "expected"), [
    (0, 0, 0.25), (2, 10, 0.75), (3, 20, 1.0), (9, 400, 1.0), (9, 700, 0.5),
    (9, 940, 0.1), (9, 1000, 0.0), (9, 1100, 0.0),
])  # fmt: skip
def test_the_rate_warms_up_stays_and_falls_to_nothing(step, tokens, expected):
    plan = Plan(tokens=1000, warmup_steps=4, decay_share=0.6)
    assert rate(Progress(step=step, tokens=tokens), plan) == pytest.approx(expected)


def test_a_plan_without_warm_up_or_decay_is_flat():
    plan = Plan(tokens=1000, warmup_steps=0, decay_share=0)
    assert [rate(Progress(step, tokens), plan) for step, tokens in ((0, 0), (5, 500), (9, 999))] == [1, 1, 1]


# sharing


class Shared(Workers):
    """One of several processes, without the others."""

    def __init__(self, rank, world):
        super().__init__()
        self.rank, self.world = rank, world

    def sum(self, tensors):
        raise AssertionError("there is nobody to add to")


def gradients(workers):
    run = Run(new_model(), source(), PLAN, workers)
    loss = run.summed_loss(*next(run.batches))
    loss.backward()
    return loss.item(), {name: weight.grad for name, weight in run.model.named_parameters()}


@pytest.mark.parametrize("world", [2, 4])
def test_the_parts_of_all_processes_add_up_to_one_process_s(world):
    loss, whole = gradients(Workers())
    parts = [gradients(Shared(rank, world)) for rank in range(world)]
    assert sum(part[0] for part in parts) == pytest.approx(loss, rel=1e-5)
    for name, gradient in whole.items():
        torch.testing.assert_close(sum(part[1][name] for part in parts), gradient, atol=1e-6, rtol=1e-4)


def test_the_loss_of_a_step_is_the_mean_over_the_tokens_that_count():
    run = new_run()
    ids, counted, total = next(run.batches)
    expected = run.model.surprise(ids)[counted[:, 1:].bool()].mean().item()
    assert run.summed_loss(ids, counted, total).item() == pytest.approx(expected, rel=1e-5)
    assert counted[:, 1:].sum() == total


def test_the_second_process_neither_logs_nor_saves(tmp_path):
    class Second(Workers):
        rank, sum = 1, lambda *_: None

        def __init__(self):
            self.world, self.device = 2, torch.device("cpu")

    run = Run(new_model(), source(), PLAN, Second())
    assert run.train(tmp_path, until=500)
    assert list(tmp_path.iterdir()) == []


# precision and growth


def test_in_bfloat16_the_weights_stay_in_float32_and_the_loss_is_near():
    half = new_run(replace(PLAN, precision="bfloat16"))
    assert half.step() == pytest.approx(new_run().step(), rel=0.01)
    assert {weight.dtype for weight in half.model.parameters()} == {torch.float32}


def test_the_precision_asked_for_is_used():
    cpu = torch.device("cpu")
    assert loop.precision_for(cpu, "bfloat16") == torch.bfloat16
    assert loop.precision_for(cpu, "float32") == torch.float32
    assert loop.precision_for(cpu, "auto") in (torch.bfloat16, torch.float32)


def test_a_run_goes_on_with_a_grown_model(tmp_path):
    run = new_run(n_layer=1)
    run.train(tmp_path, until=600)
    before = run.progress.tokens
    state = growth.stacked(run.optimiser.state(), 1, 3)
    run.use(growth.grow(run.model, 3), state)
    assert run.train(tmp_path)
    assert run.progress.tokens > before
    assert run.progress.log[0][3] == 1
    assert run.progress.log[-1][3] == 3
    assert same(run, resumed(tmp_path))
