"""Watching a PyTorch network through hooks that are attached from outside for the time of one pass.

The network's own file knows nothing of them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any

from torch import nn

Watcher = Callable[[nn.Module, tuple, Any], Any]


@contextmanager
def hooked(network: nn.Module, watchers: dict[str, Watcher]) -> Iterator[None]:
    """Call watcher(module, inputs, output) after each named module, and let go however it ends.

    watchers: {module's name: function}; what a function returns, if not None, replaces the output.
    Readers share the network: a watcher sees, and changes, only the passes of the thread that set it.
    """
    modules, owner = dict(network.named_modules()), get_ident()

    def only_own(watcher: Watcher) -> Watcher:
        return lambda *seen: watcher(*seen) if get_ident() == owner else None

    handles = []
    try:
        for name, watcher in watchers.items():
            handles.append(modules[name].register_forward_hook(only_own(watcher)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def twin(module: nn.Module) -> Any:
    """A module again, with the same weights but hooks, parts and attributes of its own."""
    again: Any = object.__new__(type(module))
    again.__dict__ = {
        **module.__dict__,
        "_parameters": dict(module._parameters),
        "_buffers": dict(module._buffers),
        "_modules": {name: twin(child) for name, child in module._modules.items() if child is not None},
        "_forward_hooks": OrderedDict(),
        "_forward_pre_hooks": OrderedDict(),
    }
    return again


def apart(module: nn.Module) -> Any:
    """A module again with the same parts and hooks, to which more hooks can be given."""
    again: Any = object.__new__(type(module))
    own = ("_modules", "_forward_hooks", "_forward_pre_hooks")
    again.__dict__ = {**module.__dict__, **{name: module.__dict__[name].copy() for name in own}}
    return again


def with_module(network: nn.Module, name: str, module: nn.Module) -> Any:
    """A network again with another module at a place, "model.layers"; all others are the same ones."""
    again, (at, _, rest) = apart(network), name.partition(".")
    again._modules[at] = with_module(network._modules[at], rest, module) if rest else module
    return again


def first(output: Any) -> Any:
    """What a module made; the first of several."""
    return output[0] if isinstance(output, tuple) else output


def with_first(output: Any, other: Any) -> Any:
    """What a module made, the first of several exchanged."""
    return (other, *output[1:]) if isinstance(output, tuple) else other
