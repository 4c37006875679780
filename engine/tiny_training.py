"""A model so small that it is trained while one looks: will it learn to copy?

Its texts are random pieces that come twice, so nothing in them can be known but that the second half says
the first again (after Olsson et al. 2022).  A half's length changes from step to step: counting is no help.

B rows of a step · T tokens, 1 + 2 · half · L blocks · H heads
"""

import hashlib
from collections.abc import Generator, Iterator
from copy import deepcopy
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, pre_tokenizers
from torch import Tensor

from engine import heads, trace
from engine.errors import ReaderError
from engine.families.sprout import Sprout
from engine.model import Settings, Transformer
from engine.muon import Muon
from engine.one_at_a_time import LATE, random_start
from engine.tokenizer import MARKER, Tokenizer

ROWS = 32  # texts in a step
SHORTEST = 8  # pieces in the shortest half
LOOK_EVERY = 20  # steps
TESTED = 6  # texts that copying and the heads are measured on, never trained on
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+="
PIECES = range(1, 1 + len(LETTERS))  # their ids: the marker is 0
CONTEXT = 512  # what the finished model can be asked with
NAME = "trained"  # of the finished model, in addresses


@dataclass(frozen=True)
class Choices:
    """What a reader can choose.  Raises ReaderError beyond BOUNDS."""

    blocks: int = 2
    heads: int = 4
    width: int = 64
    longest: int = 24  # pieces in the longest half
    rate: float = 0.02  # how far a step goes: the matrices' learning rate; the embedding's is half of it
    steps: int = 1500
    seed: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value, (low, high) = getattr(self, field.name), BOUNDS[field.name]
            if not low <= value <= high:
                raise ReaderError(f"{field.name} = {value} is not possible here: choose {low} to {high}.")
        if self.width % (2 * self.heads):
            raise ReaderError(
                f"A width of {self.width} can't be shared by {self.heads} heads in pairs of numbers: choose "
                f"a multiple of {2 * self.heads}."
            )


BOUNDS = {
    "blocks": (1, 3), "heads": (1, 8), "width": (16, 96), "longest": (10, 32), "rate": (0.001, 0.1),
    "steps": (100, 3000), "seed": (0, 10**6),
}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """What a model in training can do after so many steps."""

    step: int
    loss: float  # nats a token, of the last step's texts
    copied: float  # mean probability of the right piece in the second half, from its second piece on
    previous: np.ndarray  # (L, H) every head's score, as in engine.heads
    induction: np.ndarray  # (L, H)


def repeated(rows: int, half: int, dice: torch.Generator) -> Tensor:
    """The marker, `half` random pieces, and the same again -> ids (rows, 1 + 2 half)."""
    pieces = torch.randint(PIECES.start, PIECES.stop, (rows, half), generator=dice)
    return torch.cat((torch.zeros(rows, 1, dtype=torch.long), pieces, pieces), 1)


def new_model(choices: Choices) -> Transformer:
    """A model with first weights of its seed's own, whatever else draws numbers meanwhile."""
    settings = Settings(
        vocab_size=PIECES.stop,
        context=CONTEXT,
        n_layer=choices.blocks,
        n_head=choices.heads,
        d_model=choices.width,
        d_ff=2 * choices.width,
    )
    with LATE:
        import_module("torch._dynamo")  # torch's optimisers would, with the first step
    with random_start(choices.seed):
        return Transformer(settings)


def learn(choices: Choices) -> Iterator[tuple[int, float, Transformer]]:
    """Train a new model, a step at a time.  Yields (step, loss, model) after each."""
    model, dice = new_model(choices), torch.Generator().manual_seed(choices.seed)
    named = dict(model.named_parameters())
    matrices = {name: w for name, w in named.items() if w.ndim == 2 and "blocks" in name}
    others = [w for name, w in named.items() if name not in matrices]
    fused = {name: 3 for name in matrices if "qkv" in name}  # three matrices in one
    muon = Muon(matrices, choices.rate, split=fused, precision=torch.float32)
    adam = torch.optim.AdamW(others, lr=choices.rate / 2, betas=(0.9, 0.95), fused=True)
    for step in range(1, choices.steps + 1):
        half = torch.randint(SHORTEST, choices.longest + 1, (), generator=dice).item()
        loss = model.loss(repeated(ROWS, half, dice))
        loss.backward()
        muon.step(1.0)
        adam.step()
        model.zero_grad()
        yield step, loss.item(), model


def looks(choices: Choices) -> Generator[tuple[Look, Transformer], None, None]:
    """The same, looked at every LOOK_EVERY steps.  Yields (Look, network); the first before any step."""
    test = repeated(TESTED, choices.longest, torch.Generator().manual_seed(10**7))
    first = new_model(choices)
    with torch.no_grad():
        loss = first.loss(test).item()
    yield look(first, 0, loss, test), first
    for step, loss, model in learn(choices):
        if step % LOOK_EVERY == 0 or step == choices.steps:
            yield look(model, step, loss, test), model


def race(wanted: dict[str, Choices]) -> Iterator[tuple[str, Look, Transformer]]:
    """Several models trained side by side, look by look in turn.  wanted: {title: Choices}.

    Yields (title, Look, network), until all are done.
    """
    running = {title: looks(choices) for title, choices in wanted.items()}
    try:
        while running:
            for title in tuple(running):
                found = next(running[title], None)
                if found is None:
                    del running[title]
                else:
                    yield title, *found
    finally:
        for one in running.values():
            one.close()


def look(network: Transformer, step: int, loss: float, test: Tensor) -> Look:
    """test: ids (N, T) that the network was not trained on -> Look."""
    half = test.shape[1] // 2
    model = Trained(NAME, network.settings, tokenizer(), network, {})
    attention: list[Any] = [trace.run(model, ids.numpy(), ("attention",)).attention for ids in test]
    scores = [np.mean([heads.follow(one, back) for one in attention], axis=0) for back in (1, half - 1)]
    return Look(step, loss, copied(network, test), *scores)


@torch.no_grad()
def copied(network: Transformer, test: Tensor) -> float:
    """The mean probability of the right piece in the second half of test (N, T), from its second piece on."""
    half = test.shape[1] // 2
    given = network(test[:, :-1])[:, half + 1 :].softmax(-1)
    return given.gather(-1, test[:, half + 2 :, None]).mean().item()


@dataclass(frozen=True, eq=False, repr=False)
class Trained(Sprout):
    """A tiny model behind the interface of all models."""

    title = "The model trained here"
    texts = "repeats"
    random_ids = PIECES


def as_model(network: Transformer, longest: int = 24) -> Trained:
    """A network -> a Model for all that looks into models, with weights of its own that stay as they are."""
    still = deepcopy(network).eval().requires_grad_(False)
    checksum = hashlib.sha256(b"".join(w.numpy().tobytes() for w in still.parameters())).hexdigest()
    files = {"model.safetensors": checksum, "tokenizer.json": NAME}
    manifest = {"files": files, "training_window": 1 + 2 * longest}
    return Trained(NAME, still.settings, tokenizer(), still, manifest)


@cache
def tokenizer() -> Tokenizer:
    """A piece for every one of LETTERS, and the marker; any other byte is read as the last of them."""
    vocabulary = {piece: i for i, piece in enumerate((MARKER, *LETTERS))}
    library = Library(models.BPE(vocab=vocabulary, merges=[], unk_token=LETTERS[-1]))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens([MARKER])
    return Tokenizer(library)
