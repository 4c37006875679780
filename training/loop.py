"""The training loop: one process or many, stopped and resumed at any step."""

import contextlib
import csv
import os
import signal
import time
from pathlib import Path

import torch
import torch.distributed as dist
from tqdm import tqdm

from training import checkpoint, dropout
from training.attention import InBlocks
from training.data import Batches
from training.muon import Optimiser
from training.output_loss import tied_loss
from training.plan import Progress, rate

LOG_FIELDS = ("step", "tokens", "seconds", "blocks", "rate", "train_nats", "held_out_nats")


class Workers:
    """The processes of this run; one, unless torchrun started more."""

    def __init__(self):
        self.world = int(os.environ.get("WORLD_SIZE", 1))
        self.rank = int(os.environ.get("RANK", 0))
        self.device = torch.device("cpu")
        if torch.cuda.is_available():
            self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
            torch.cuda.set_device(self.device)
        if self.world > 1:
            dist.init_process_group("nccl" if self.device.type == "cuda" else "gloo")

    @property
    def first(self):
        return self.rank == 0

    def sum(self, tensors):
        """Add the tensors of all processes, in place."""
        if self.world > 1:
            flat = torch.cat([t.flatten() for t in tensors])
            dist.all_reduce(flat)
            for tensor, part in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def close(self):
        if self.world > 1:
            dist.destroy_process_group()


def precision_for(device, wish):
    """The number type of the matrix products: bfloat16 where the processor multiplies it itself."""
    if wish != "auto":
        return getattr(torch, wish)
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return torch.bfloat16 if "avx512_bf16" in flags or "amx_bf16" in flags else torch.float32


class Run:
    """One model in training: the model, its optimiser, its data and where it stands."""

    def __init__(self, model, source, plan, workers, progress=None, batches=None):
        self.plan, self.workers, self.source = plan, workers, source
        self.progress = progress or Progress()
        epoch, place = batches or (0, 0)
        self.batches = Batches(source, plan.rows, epoch, place, workers.rank, workers.world)
        self.precision = precision_for(workers.device, plan.precision)
        self.use(model)

    def use(self, model, optimiser_state=None):
        """Train this model from now on."""
        plan = self.plan
        self.model = model.to(self.workers.device).train()
        dropout.install(self.model, plan.dropout)
        self.optimiser = Optimiser(
            self.model, plan.matrix_lr, plan.other_lr, plan.matrix_decay, plan.other_decay
        )
        if optimiser_state:
            self.optimiser.restore(optimiser_state)
        torch.compiler.reset()
        # Random numbers from torch's own generator: faster on CPUs, and the checkpoint holds its state.
        options = {"fallback_random": True}
        self.stream = torch.compile(model.stream, options=options) if plan.compile else model.stream

    def autocast(self):
        half = self.precision != torch.float32
        return torch.autocast(self.workers.device.type, self.precision, enabled=half)

    def summed_loss(self, ids, counted, total):
        """Nats over this process's share of a batch, divided by the whole batch's tokens."""
        ids, counted = ids.to(self.workers.device), counted.to(self.workers.device)
        with self.autocast(), InBlocks() if self.plan.compile else contextlib.nullcontext():
            hidden = self.stream(ids[:, :-1])
        scale = counted[:, 1:].flatten().float() / total
        hidden = hidden.flatten(0, 1).to(self.precision)
        target = ids[:, 1:].flatten()
        return tied_loss(hidden, self.model.embedding.weight, target, scale, compiled=self.plan.compile)

    def step(self):
        """One update -> the batch's mean nats a token."""
        ids, counted, total = next(self.batches)
        loss = self.summed_loss(ids, counted, total)
        loss.backward()
        gradients = [w.grad for w in self.model.parameters()]
        self.workers.sum([*gradients, loss := loss.detach()])
        self.optimiser.step(rate(self.progress, self.plan))
        for weight in self.model.parameters():
            weight.grad = None
        self.progress.step += 1
        self.progress.tokens += total
        return loss.item()

    def state(self):
        """All that is needed to go on from here."""
        return {
            "settings": self.model.settings,
            "weights": dict(self.model.named_parameters()),
            "optimiser": self.optimiser.state(),
            "progress": self.progress,
            "batches": (self.batches.epoch, self.batches.place),
            "random": torch.get_rng_state(),
            "plan": self.plan,
        }

    def train(self, folder, held_out=None, until=None, watch=None):
        """Step until so many tokens are seen (else the budget is spent), or a signal to end comes.

        held_out(model) -> nats a token, for the log.  watch(model, progress, budget) is called before the
        first step and after every one, by the first process alone.  Returns False when asked to end.
        """
        until = self.plan.tokens if until is None else min(until, self.plan.tokens)
        plan, progress, first = self.plan, self.progress, self.workers.first
        last_save, smooth, asked = time.monotonic(), None, []
        bar = tqdm(
            total=plan.tokens,
            initial=progress.tokens,
            unit="tok",
            unit_scale=True,
            disable=not first,
            mininterval=10,
            smoothing=0.05,
        )
        watch = watch if watch and first else lambda *_: None
        with bar, _signals_into(asked):
            watch(self.model, progress, plan.tokens)
            while progress.tokens < until and not self._agree(bool(asked)):
                began, before = time.monotonic(), progress.tokens
                nats = self.step()
                progress.seconds += time.monotonic() - began
                smooth = nats if smooth is None else 0.98 * smooth + 0.02 * nats
                bar.update(progress.tokens - before)
                bar.set_postfix_str(f"{smooth:.3f} nats", refresh=False)
                watch(self.model, progress, plan.tokens)
                if _passed(plan.evaluate_every, before, progress.tokens):
                    self._log(folder, smooth, held_out)
                if first and _passed(plan.keep_every, before, progress.tokens):
                    checkpoint.save(self.state(), folder / f"kept-{progress.tokens:010}.safetensors")
                if first and time.monotonic() - last_save > plan.save_every:
                    checkpoint.save(self.state(), folder / checkpoint.FILE)
                    last_save = time.monotonic()
        self._log(folder, smooth, held_out)
        if first:
            checkpoint.save(self.state(), folder / checkpoint.FILE)
        return progress.tokens >= until

    def _agree(self, asked):
        """True when any process was asked to stop: all stop at the same step."""
        votes = torch.tensor([float(asked)], device=self.workers.device)
        self.workers.sum([votes])
        return bool(votes.item())

    def _log(self, folder, train_nats, held_out):
        log, step = self.progress.log, self.progress.step
        if not self.workers.first or train_nats is None or (log and log[-1][0] == step):
            return
        with torch.inference_mode(), self.autocast():
            score = held_out(self.model.eval()) if held_out else float("nan")
        self.model.train()
        p = self.progress
        p.log.append(
            (
                p.step,
                p.tokens,
                round(p.seconds, 1),
                self.model.settings.n_layer,
                round(rate(p, self.plan), 4),
                round(train_nats, 4),
                round(score, 4),
            )
        )
        write_log(p.log, folder / "log.csv")


def _passed(every, before, now):
    """Whether a multiple of so many tokens lies between two counts; of 0 none does."""
    return bool(every) and before // every != now // every


def write_log(rows, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([LOG_FIELDS, *rows])


@contextlib.contextmanager
def _signals_into(asked):
    """Collect requests to end (Ctrl-C, SIGTERM) so that a step is never cut in two."""
    kept = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        kept[number] = signal.signal(number, lambda n, _: asked.append(n))
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
