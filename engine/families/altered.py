"""A PyTorch network with a part left out, or with functions on its stream and its matrices.

Every function alters a network of its own, a twin of the one that readers share.  D head width
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.families.hooks import apart, first, with_first, with_module

Through = Callable[[np.ndarray], np.ndarray]


def leave_out(module: nn.Module) -> None:
    """Let what a module makes be 0; the first of it, where it makes several."""
    module.register_forward_hook(
        lambda _module, _inputs, output: with_first(output, torch.zeros_like(first(output)))
    )


def pass_by(module: nn.Module) -> None:
    """Let a module hand on what came in, as if it were not there."""
    module.register_forward_hook(lambda _module, inputs, output: with_first(output, inputs[0]))


def leave_out_head(projection: nn.Module, head: int, D: int) -> None:
    """Set what one head gathered to 0 before the matrix reads it."""

    def silence(_module: nn.Module, inputs: tuple) -> tuple:
        gathered = inputs[0].clone()
        gathered[..., head * D : (head + 1) * D] = 0
        return (gathered, *inputs[1:])

    projection.register_forward_pre_hook(silence)


class _Enough(Exception):
    """What was asked for is there: the rest of a pass needn't run."""


def between(
    network: nn.Module, blocks: str, begin: int, end: int, x: Tensor, run: Callable[[Any, Tensor], None]
) -> Tensor:
    """Blocks begin to end - 1 of a network on a stream of one's own, x (B, T, d) -> (B, T, d).

    The network's own code calls them, so they are given what it gives them beside the stream; what it does
    before is done for ids that nobody reads, what it does after is not done at all.  blocks: the list's
    name.  run(network, ids (B, T)): one pass.  begin < end.
    """
    left: list[Any] = []

    def leave(_module: nn.Module, _inputs: tuple, output: Any) -> None:
        left.append(output)
        raise _Enough

    def through(some: list[nn.Module], shape: tuple[int, ...]) -> Any:
        some[-1].register_forward_hook(leave)
        with suppress(_Enough):
            run(with_module(network, blocks, nn.ModuleList(some)), torch.zeros(shape, dtype=torch.int64))
        return left.pop()

    every = list(network.get_submodule(blocks))
    several = isinstance(
        through([apart(every[0])], (1, 1)), tuple
    )  # whether a block hands on more than a stream
    # Blocks that are not run stay in the list: a network may give each what belongs to its place.
    some = [_idle(one, several) for one in every[:begin]] + [apart(one) for one in every[begin:end]]
    some[begin].register_forward_pre_hook(lambda _module, inputs: (x, *inputs[1:]))
    return first(through(some, x.shape[:2]))


def _idle(block: nn.Module, several: bool) -> Any:
    """A block that does nothing with what it is given."""
    again = apart(block)
    again.forward = lambda x, *_args, **_more: (x, None) if several else x
    return again


def put_stream_through(blocks: nn.ModuleList, function: Through) -> None:
    """Put every row of the stream (T, d) through a function: entering block 1 and leaving each block."""

    def through(x: Tensor) -> Tensor:
        return torch.stack([torch.from_numpy(function(one.numpy())) for one in x])

    blocks[0].register_forward_pre_hook(lambda _module, inputs: (through(inputs[0]), *inputs[1:]))
    for block in blocks:
        block.register_forward_hook(
            lambda _module, _inputs, output: with_first(output, through(first(output)))
        )


def put_matrices_through(network: nn.Module, function: Through) -> None:
    """Put every matrix, as (made, read), through a function."""
    for module in network.modules():
        weight = module._parameters.get("weight")
        if weight is not None and weight.ndim == 2:
            made_read = isinstance(module, nn.Linear | nn.Embedding)  # GPT-2's own are (read, made)
            array = weight.detach().numpy()
            array = function(array) if made_read else function(array.T).T
            module.weight = nn.Parameter(torch.from_numpy(array), requires_grad=False)
