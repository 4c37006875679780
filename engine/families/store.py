"""The store's family: engine/store.py, whose functions are pure: one can be exchanged in a copy of them."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from time import thread_time
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from engine import presets, rope, sound, store
from engine.counting.architecture import Architecture, to_architecture
from engine.errors import LacksError
from engine.families.changes import PARTS, Change, made, other_matrix, possible
from engine.families.interface import Ids, Model
from engine.tokenizer import Tokenizer
from engine.wiring import Wiring, earlier

# The calculator's rows by the names of the arrays.
_ROWS = {
    "embedding.matrix": "embedding", "norm1": "attention_gain", "q": "q", "k": "k", "v": "v",
    "projection": "o", "norm2": "feed_forward_gain", "w1": "gate", "w3": "up", "w2": "down",
    "final_norm": "final_gain",
}  # fmt: skip
_NAMES = {"head_values": "values", "raw_queries": "queries", "raw_keys": "keys"}  # it has no QK-norm


@dataclass(frozen=True, eq=False, repr=False)
class Store(Model):
    """A model of engine/store.py.  settings: a dict; network: its arrays by name."""

    name: str
    settings: dict[str, Any]
    tokenizer: Tokenizer
    network: dict[str, np.ndarray]
    manifest: dict[str, Any]
    changes: tuple[Change, ...] = ()
    functions: Any = store  # its file's functions, or a copy with some exchanged
    positions: Callable | None = None  # instead of RoPE
    skip: frozenset[int] = frozenset()  # blocks that add nothing

    family = "store"
    texts = "products"
    joined = False
    activation = "silu"
    runs_in = "NumPy"

    @property
    def title(self) -> str:  # type: ignore[override]
        return presets.TITLES.get(self.name, self.name)

    @cached_property
    def architecture(self) -> Architecture:
        return to_architecture({"model_type": "store", **self.settings})

    @property
    def checksum(self) -> str:
        return "+".join((self.manifest["files"]["model.safetensors"], *map(repr, self.changes)))

    @property
    def epsilon(self) -> float:
        return self.settings.get("norm_eps", store.EPSILON)

    @property
    def rope_base(self) -> float:
        return self.settings["rope_base"]

    @property
    def details(self) -> tuple[str, ...]:
        return possible(self.has)

    @property
    def stored(self) -> int:
        return sum(array.size for array in self.network.values())

    def logits(self, ids: Ids) -> np.ndarray:
        return self.functions.forward(ids, self.network, self.settings, self.positions, self.skip)

    def passed(
        self, ids: np.ndarray, keep: Collection[str] = (), last: bool = False
    ) -> dict[str, np.ndarray]:
        streams, seen = self.functions.run(ids, self.network, self.settings, self.positions, self.skip)
        if self.skip:
            first = self.functions.layer_weights(self.network, 0)
            _, one = self.functions.block(streams[0], first, self.settings["n_head"])
            nothing = {name: np.zeros_like(array) for name, array in one.items()}
            seen = [found or nothing for found in seen]
        wanted = ("attention_added", "feed_forward_added", *keep)
        rows = slice(-1 if last else 0, None)
        found = {
            name: np.stack([one[_NAMES.get(name, name)][..., rows, :] for one in seen]) for name in wanted
        }
        logits = self.functions.unembed(streams[-1], self.network, self.epsilon)[rows]
        return {**found, "streams": streams[:, rows], "logits": logits}

    def fed(self, block: int, x: np.ndarray) -> np.ndarray:
        layer = self.functions.layer_weights(self.network, block)
        return self.functions.feed_forward(self._norm(x, layer["feed_forward_gain"]), layer)[0]

    def onward(self, x: np.ndarray, first: int, last: int | None = None) -> np.ndarray:
        positions = self.positions or partial(self.functions.rope, base=self.settings["rope_base"])
        for block in range(first, self.settings["n_layer"] if last is None else last):
            if block not in self.skip:
                layer = self.functions.layer_weights(self.network, block)
                rest = (layer, self.settings["n_head"], positions, self.epsilon)
                x = np.stack([self.functions.block(one, *rest)[0] for one in x])
        return x

    def _norm(self, x: np.ndarray, gain: np.ndarray) -> np.ndarray:
        return self.functions.rms_norm(x, gain, self.epsilon)

    def normed(self, x: np.ndarray) -> np.ndarray:
        return self._norm(x, self.network["final_gain"])

    @property
    def directions(self) -> np.ndarray:
        untied = any(change.kind == "untied" for change in self.changes)
        return other_matrix(self.network["embedding"]) if untied else self.network["embedding"]

    def part(self, row: str, block: int | None = None) -> np.ndarray:
        if row not in _ROWS:
            raise LacksError(f"{self.title} has no {row!r}.")
        return self.network[_ROWS[row] if block is None else f"blocks.{block}.{_ROWS[row]}"]

    def timed(self, ids: np.ndarray) -> dict[str, float]:
        found = {"attention": 0.0, "feed_forward": 0.0, "output": 0.0}

        def watched(part: str, function: Callable) -> Callable:
            def run(*arguments: Any) -> Any:
                before = thread_time()
                result = function(*arguments)
                found[part] += thread_time() - before
                return result

            return run

        own = exchanged(
            self.functions,
            attention=watched("attention", self.functions.attention),
            feed_forward=watched("feed_forward", self.functions.feed_forward),
            unembed=watched("output", self.functions.unembed),
        )
        start = thread_time()
        replace(self, functions=own).logits(ids)
        return {**found, "whole": thread_time() - start}

    @property
    def config(self) -> str:
        return json.dumps({"model_type": "store", **self.settings})

    def reaching(self, length: int) -> "Store":
        changes = (*self.changes, Change("reaching", value=length))
        return replace(self, settings={**self.settings, "context": length}, changes=changes)

    def remade(
        self,
        stream: Callable[[np.ndarray], np.ndarray] | None = None,
        matrix: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> "Store":
        functions: dict[str, Callable] = {}
        weights = self.network
        if stream is not None:
            functions = {
                "block": partial(_before, self.functions, function=self.functions.block, stream=stream),
                "unembed": lambda x, *rest: self.functions.unembed(stream(x), *rest),
            }
        if matrix is not None:
            weights = {name: _remade(name, array, matrix) for name, array in weights.items()}
        own, changes = exchanged(self.functions, **functions), (*self.changes, made("remade"))
        return replace(self, network=weights, functions=own, changes=changes)

    def wired(self, wiring: Wiring) -> "Store":
        functions: dict[str, Callable] = {}
        if wiring.sees is not earlier:
            functions["hidden"] = lambda T: np.where(wiring.sees(T), 0, -np.inf).astype(np.float32)
        if not (wiring.skips and wiring.feed_forward):
            functions["block"] = partial(_rewired, self.functions, wiring=wiring)
        positions = self.positions if wiring.turned else _stay
        own, changes = exchanged(self.functions, **functions), (*self.changes, made("wired"))
        return replace(self, positions=positions, functions=own, changes=changes)

    def in_transformers(self) -> Any:
        from engine.families.huggingface import llama

        return llama(self)

    def references(self, folder: Path) -> dict[str, Any]:
        from engine.families import store_in_torch

        return {
            "PyTorch's saved logits": partial(store_in_torch.saved, folder / self.name, self.manifest),
            "PyTorch, now": partial(store_in_torch.now, self),
        }

    def _changed(self, changes: tuple[Change, ...]) -> "Store":
        model = self
        for change in changes:
            model = model._left_out(change) if change.kind in PARTS else model._otherwise(change)
        return replace(model, changes=(*self.changes, *changes))

    def _left_out(self, change: Change) -> "Store":
        """Without a part: blocks by `skip`, what is smaller by zeros in the matrix that it ends with."""
        block, head = change.block or 0, change.head or 0
        if change.kind == "block":
            return replace(self, skip=self.skip | {block})
        last = f"blocks.{block}.{'down' if change.kind == 'feed-forward' else 'o'}"
        array = self.network[last].copy()
        if change.kind == "head":  # the rows that read this head: the same as zeroing what it gathered
            D = self.architecture.width_of_head
            array[head * D : (head + 1) * D] = 0
        else:
            array[:] = 0
        return replace(self, network={**self.network, last: array})

    def _otherwise(self, change: Change) -> "Store":
        """With one detail unlike its training, by the settings, `positions` or a function of its file."""
        functions: dict[str, Callable] = {}
        match change.kind:
            case "neighbours":
                return replace(self, positions=_turn_neighbours)
            case "base":
                return replace(self, settings={**self.settings, "rope_base": change.value})
            case "no-rope":
                return replace(self, positions=_stay)
            case "epsilon":
                return replace(self, settings={**self.settings, "norm_eps": float(change.value or 0)})
            case "norms-after":
                functions["block"] = partial(_norms_after, self.functions)
            case "no-gate":
                functions["feed_forward"] = _without_gate
            case "untied":
                other = {"embedding": other_matrix(self.network["embedding"])}
                functions["unembed"] = partial(_unembed_otherwise, other)
        return replace(self, functions=exchanged(self.functions, **functions))


def exchanged(module: Any, **functions: Callable) -> Any:
    """The functions of a module again, some exchanged for others, which all the rest then calls."""
    again = ModuleType(module.__name__)
    space = vars(again)
    space.update(vars(module))
    for name, one in vars(module).items():
        if isinstance(one, FunctionType) and one.__module__ == store.__name__:
            space[name] = FunctionType(one.__code__, space, name, one.__defaults__)
    space.update(functions)
    if isinstance(space["block"], partial):  # a block of another kind calls the functions of this copy
        space["block"] = partial(space["block"].func, again, **space["block"].keywords)
    return again


def _norms_after(
    own: Any,
    x: np.ndarray,
    layer: dict,
    heads: int,
    positions: Callable = store.rope,
    epsilon: float = store.EPSILON,
) -> tuple:
    """The block of Vaswani et al. 2017, with the functions of ours: add first, then norm."""
    gathered, seen = own.attention(x, layer, heads, positions)
    between = own.rms_norm(x + gathered, layer["attention_gain"], epsilon)
    made, opened = own.feed_forward(between, layer)
    after = own.rms_norm(between + made, layer["feed_forward_gain"], epsilon)
    added = {"attention_added": gathered, "feed_forward_added": made}
    return after, {"norm1": between, **seen, "norm2": after, **opened, **added}


def _rewired(
    own: Any,
    x: np.ndarray,
    layer: dict,
    heads: int,
    positions: Callable = store.rope,
    epsilon: float = store.EPSILON,
    *,
    wiring: Wiring,
) -> tuple:
    """The block whose parts are added or take the stream's place, with the feed-forward layer or without."""
    normed = own.rms_norm(x, layer["attention_gain"], epsilon)
    gathered, seen = own.attention(normed, layer, heads, positions)
    x = x + gathered if wiring.skips else gathered
    normed_again = own.rms_norm(x, layer["feed_forward_gain"], epsilon)
    made, opened = own.feed_forward(normed_again, layer)
    if not wiring.feed_forward:
        made = np.zeros_like(made)
    elif wiring.skips:
        x = x + made
    else:
        x = made
    added = {"attention_added": gathered, "feed_forward_added": made}
    return x, {"norm1": normed, **seen, "norm2": normed_again, **opened, **added}


def _before(_own: Any, x: np.ndarray, *rest: Any, function: Callable, stream: Callable) -> tuple:
    """A block that reads the stream put through a function first."""
    return function(stream(x), *rest)


def _remade(name: str, array: np.ndarray, matrix: Callable) -> np.ndarray:
    """A gain as it is; a matrix through a function of (made, read), which ours, used as x @ W, are not."""
    if array.ndim < 2:
        return array
    return matrix(array) if name == "embedding" else matrix(array.T).T


def _without_gate(x: np.ndarray, layer: dict) -> tuple:
    """The feed-forward layer with a gate that is always open."""
    value = x @ layer["up"]
    return value @ layer["down"], {"gate": np.ones_like(value), "value": value, "units": value}


def _unembed_otherwise(other: dict, x: np.ndarray, weights: dict, epsilon: float = store.EPSILON) -> Any:
    return store.unembed(x, {**weights, **other}, epsilon)


def _turn_neighbours(x: np.ndarray) -> np.ndarray:
    places = np.broadcast_to(np.arange(x.shape[-2]), x.shape[:-1])
    return rope.turn(x, places, pairing="neighbours").astype(x.dtype)


def _stay(x: np.ndarray) -> np.ndarray:
    return x


def read(home: Path, name: str, settings: dict, tokenizer: Tokenizer, manifest: dict) -> Store:
    """A model from its folder.  Raises one of many errors when the files don't fit together."""
    from safetensors.numpy import load_file

    path = home / "model.safetensors"
    sound.tensors(sound.header(path), _shapes(settings), ("F32",))
    arrays = load_file(path)
    sound.finite(arrays)
    for one in arrays.values():
        one.flags.writeable = False
    return Store(name, settings, tokenizer, arrays, manifest)


def _shapes(settings: dict) -> dict[str, tuple[int, ...]]:
    """The shape of every array of the model, by name."""
    V, d, F = settings["vocab_size"], settings["d_model"], settings["d_ff"]
    block: dict[str, tuple[int, ...]] = dict.fromkeys("qkvo", (d, d))
    block |= {"gate": (d, F), "up": (d, F), "down": (F, d), "attention_gain": (d,), "feed_forward_gain": (d,)}
    blocks = {f"blocks.{i}.{n}": shape for i in range(settings["n_layer"]) for n, shape in block.items()}
    return {"embedding": (V, d), "final_gain": (d,), **blocks}
