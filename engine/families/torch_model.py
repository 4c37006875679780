"""A model whose pass is a PyTorch network, watched and changed from outside (hooks.py, altered.py).

A family says in a table of names where its parts are.

B batch · T tokens · d stream width · H query heads · K key/value heads · D head width
F feed-forward width · V vocabulary · L blocks
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from itertools import pairwise
from time import thread_time
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from engine import presets
from engine.errors import LacksError
from engine.families import altered
from engine.families.changes import PARTS, Change, made
from engine.families.hooks import Watcher, first, hooked, twin
from engine.families.interface import Ids, Model
from engine.tokenizer import Tokenizer
from engine.wiring import earlier


@dataclass(frozen=True)
class Modules:
    """Where a network keeps its parts: names of modules, those within a block from the block on."""

    blocks: str  # the list of blocks
    norm1: str
    attention: str
    projection: str  # the matrix that reads what the heads gathered
    norm2: str
    feed_forward: str
    final_norm: str
    output: str
    matrices: tuple[str, ...]  # what makes queries, keys and values: three modules, or one for all
    q_norm: str | None = None
    k_norm: str | None = None
    gate: str | None = None  # the gate's scores
    value: str | None = None  # what it lets through
    weighs: bool = False  # whether attention hands out its weights, beside what it adds


@dataclass(frozen=True, eq=False, repr=False)
class TorchModel(Model):
    """A model whose pass is a PyTorch module.  A family adds its table of names and what is its own."""

    name: str
    settings: Any
    tokenizer: Tokenizer
    network: Any
    manifest: dict[str, Any]
    changes: tuple[Change, ...] = ()
    sees: Callable[[int], np.ndarray] = earlier  # T -> (T, T) bool: what its mask lets each token look at

    runs_in = "PyTorch"
    modules: ClassVar[Modules]
    # The calculator's rows and the weights that hold them, in a block from the block on; of a matrix that
    # makes queries, keys and values at once, which of the three.
    rows: ClassVar[dict[str, tuple[str, int | None]]]

    @property
    def title(self) -> str:  # type: ignore[override]
        return presets.TITLES.get(self.name, self.name)

    @property
    def checksum(self) -> str:
        return "+".join((self.manifest["files"]["model.safetensors"], *map(repr, self.changes)))

    @property
    def stored(self) -> int:
        return sum(weight.numel() for weight in self.network.parameters())

    @property
    def extras(self) -> tuple[str, ...]:
        return tuple(one for one in super().extras if one != "units" or "w2" in self.rows)

    # what a family may do otherwise

    def scores(self, ids: Tensor) -> Tensor:
        """The whole pass: ids (B, T) -> logits (B, T, V)."""
        return self.network(ids)

    def heads(self, made: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor]:
        """What the matrices made, each (T, …) -> queries (H, T, D), keys and values (K, T, D)."""
        D = self.architecture.width_of_head
        q, k, v = made if len(made) == 3 else (self.third(made[0], which) for which in range(3))
        return tuple(one.unflatten(-1, (-1, D)).transpose(0, 1) for one in (q, k, v))

    def _widths(self) -> list[int]:
        a = self.architecture
        return [heads * a.width_of_head for heads in (a.n_head, a.kv_heads, a.kv_heads)]

    def normed_heads(self, made: Tensor) -> Tensor:
        """What QK-norm made in all blocks -> queries or keys (L, heads, T, D)."""
        return made

    def third(self, made: Tensor, which: int) -> Tensor:
        """Queries' (0), keys' (1) or values' (2) part of what one matrix makes for all three, (…, made)."""
        return made.split(self._widths(), dim=-1)[which]

    def turned(self, x: Tensor) -> Tensor:
        """Queries or keys (…, T, D) as they are compared, with their positions in them."""
        return x

    def activated(self, scores: Tensor) -> Tensor:
        """The gate from its scores."""
        raise LacksError(f"{self.title} has no gate.")

    def _change(self, network: Any, change: Change) -> Any:
        """Change one of `details` in a network of its own -> the settings with the change, if it is one."""
        raise LacksError(f"{self.title} is not made for this change.")

    # the pass

    def logits(self, ids: Ids) -> np.ndarray:
        with torch.inference_mode():
            return self.scores(torch.from_numpy(np.array(ids, dtype=np.int64))[None])[0].float().numpy()

    def passed(
        self, ids: np.ndarray, keep: Collection[str] = (), last: bool = False
    ) -> dict[str, np.ndarray]:
        seen: dict[str, Any] = {}  # in the block that runs
        found: dict[str, Tensor] = {}
        watchers = self._watchers(seen, found, keep, last)
        with torch.inference_mode(), hooked(self.network, watchers):
            logits = self.scores(torch.from_numpy(np.array(ids, dtype=np.int64))[None])[0]
            found["logits"] = (logits[-1:].clone() if last else logits).float()
        return {name: tensor.numpy() for name, tensor in found.items()}

    def _watchers(
        self, seen: dict[str, Any], found: dict[str, Tensor], keep: Collection[str], last: bool
    ) -> dict[str, Watcher]:
        """What looks at every part while a pass runs; at a block's end, what it saw there is collected."""
        m = self.modules
        blocks = {self._name(block, None): block for block in range(self.architecture.n_layer)}
        weighing = f".{m.attention}" if m.weighs and "attention" in keep else None
        reading = tuple(f".{one}" for one in (m.projection, self._last_of_feed_forward) if one)

        def keeping(name: str) -> Watcher:
            def watcher(_module: nn.Module, inputs: tuple, output: Any) -> None:
                seen[name] = first(output)[0]
                if weighing and name.endswith(weighing):
                    seen[f"{name}.weights"] = output[1][0]
                if name.endswith(reading):
                    seen[f"{name} reads"] = inputs[0][0]
                if name in blocks:
                    seen["entering"] = inputs[0][0]
                    self._collect(found, blocks[name], seen, keep, last)
                    seen.clear()

            return watcher

        return {name: keeping(name) for name in self._watched(keep)}

    def _watched(self, keep: Collection[str]) -> list[str]:
        """The names of the modules that have to be watched for what is kept."""
        m = self.modules
        inner: dict[str, tuple[str | None, ...]] = {
            "norm1": (m.norm1,),
            "norm2": (m.norm2,),
            "gate": (m.gate,),
            "value": (m.value,),
            "queries": (m.q_norm, *(() if m.q_norm else m.matrices)),
            "keys": (m.k_norm, *(() if m.k_norm else m.matrices)),
            "gathered": (m.projection,),
            "units": (self._last_of_feed_forward,),
            **dict.fromkeys(("raw_queries", "raw_keys", "head_values"), m.matrices),
        }
        inner["attention"] = () if m.weighs else (*inner["queries"], *inner["keys"])
        parts = {"", m.attention, m.feed_forward, *(part for one in keep for part in inner[one] if part)}
        return [self._name(block, part) for block in range(self.architecture.n_layer) for part in parts]

    @property
    def _last_of_feed_forward(self) -> str:
        """The matrix that ends the feed-forward layer."""
        return self.rows.get("w2", ("", None))[0].rpartition(".")[0]

    def _name(self, block: int, part: str | None) -> str:
        name = f"{self.modules.blocks}.{block}"
        return f"{name}.{part}" if part else name

    def _collect(
        self, found: dict[str, Tensor], block: int, seen: dict[str, Any], keep: Collection[str], last: bool
    ) -> None:
        """Put what the hooks saw in a block into the arrays of all blocks, by the names of a Trace."""
        L = self.architecture.n_layer

        def put(name: str, value: Tensor, place: int = block, places: int = L) -> None:
            value = value[..., -1:, :] if last else value
            if name not in found:
                found[name] = torch.empty((places, *value.shape), dtype=torch.float32)
            found[name][place] = value

        def part(name: str | None) -> Tensor:
            return seen[self._name(block, name)]

        m = self.modules
        if block == 0:
            put("streams", seen["entering"], 0, L + 1)
        put("streams", part(None), block + 1, L + 1)
        put("attention_added", part(m.attention))
        put("feed_forward_added", part(m.feed_forward))
        read = {"gathered": f"{m.projection} reads", "units": f"{self._last_of_feed_forward} reads"}
        plain = {"norm1": m.norm1, "norm2": m.norm2, "value": m.value, **read}
        for name in keep:
            if name in plain:
                put(name, part(plain[name]))
            else:
                put(name, self.activated(part(m.gate)) if name == "gate" else self._compared(name, part))

    def _compared(self, name: str, part: Callable[[str | None], Tensor]) -> Tensor:
        """What attention compares and gathers in a block, by name.  part: what a module made there."""
        m = self.modules
        if name == "attention" and m.weighs:
            return part(f"{m.attention}.weights")
        if name == "attention":
            q, k = (self._compared(one, part)[None] for one in ("queries", "keys"))
            return self._weights(q, k)[0]
        if name == "queries" and m.q_norm:
            return self.normed_heads(part(m.q_norm)[None])[0]
        if name == "keys" and m.k_norm:
            return self.normed_heads(part(m.k_norm)[None])[0]
        which = {"queries": 0, "raw_queries": 0, "keys": 1, "raw_keys": 1, "head_values": 2}[name]
        return self.heads(tuple(part(one) for one in m.matrices))[which]

    def _weights(self, q: Tensor, k: Tensor) -> Tensor:
        """Attention's weights from queries (L, H, T, D) and keys (L, K, T, D) -> (L, H, T, T)."""
        T, D = q.shape[-2:]
        k = self.turned(k).repeat_interleave(q.shape[1] // k.shape[1], dim=1)
        scores = (self.turned(q) @ k.mT).div_(D**0.5)
        hidden = torch.from_numpy(~self.sees(T))
        return torch.softmax(scores.masked_fill_(hidden, -torch.inf), -1)

    def fed(self, block: int, x: np.ndarray) -> np.ndarray:
        m, read = self.modules, self._read(x)[None]
        norm, layer = (
            self.network.get_submodule(self._name(block, one)) for one in (m.norm2, m.feed_forward)
        )
        with torch.inference_mode():
            return first(layer(norm(read)))[0].float().numpy()

    def onward(self, x: np.ndarray, first: int, last: int | None = None) -> np.ndarray:
        def run(network: Any, ids: Tensor) -> None:
            replace(self, network=network).scores(ids)

        read = self._read(x)
        last = self.architecture.n_layer if last is None else last
        if first == last:
            return x
        with torch.inference_mode():
            return altered.between(self.network, self.modules.blocks, first, last, read, run).float().numpy()

    def _read(self, x: np.ndarray) -> Tensor:
        """Vectors as the network's blocks read them: of the kind of its embedding."""
        return torch.from_numpy(np.array(x, np.float32)).to(next(self.network.parameters()).dtype)

    def normed(self, x: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return self.network.get_submodule(self.modules.final_norm)(torch.from_numpy(np.array(x))).numpy()

    @property
    def directions(self) -> np.ndarray:
        return self.network.get_submodule(self.modules.output).weight.detach().float().numpy()

    @property
    def output_bias(self) -> np.ndarray | None:
        bias = getattr(self.network.get_submodule(self.modules.output), "bias", None)
        return None if bias is None else bias.detach().float().numpy()

    def part(self, row: str, block: int | None = None) -> np.ndarray:
        if row not in self.rows:
            raise LacksError(f"{self.title} has no {row!r}.")
        name, which = self.rows[row]
        name = name if block is None else self._name(block, name)
        weight = self.network.get_parameter(name).detach()
        if isinstance(self.network.get_submodule(name.rpartition(".")[0]), nn.Linear) and weight.ndim == 2:
            weight = weight.T  # nn.Linear uses x @ W.T
        return (weight if which is None else self.third(weight, which)).float().numpy()

    def timed(self, ids: np.ndarray) -> dict[str, float]:
        """Each part lasts from the end of the norm before it to its own end, both seen by hooks."""
        m, marks = self.modules, []

        def note(part: str) -> Watcher:
            return lambda *_: marks.append((part, thread_time()))

        watchers = {m.final_norm: note(""), m.output: note("output")}
        for block in range(self.architecture.n_layer):
            for part, of in (
                ("", m.norm1),
                ("attention", m.attention),
                ("", m.norm2),
                ("feed_forward", m.feed_forward),
            ):
                watchers[self._name(block, of)] = note(part)
        with torch.inference_mode(), hooked(self.network, watchers):
            start = thread_time()
            self.scores(torch.from_numpy(np.array(ids, dtype=np.int64))[None])
            whole = thread_time() - start
        found = dict.fromkeys(("attention", "feed_forward", "output"), 0.0)
        for (_, before), (part, after) in pairwise(marks):
            if part:
                found[part] += after - before
        return {**found, "whole": whole}

    # changes

    def _changed(self, changes: tuple[Change, ...]) -> "TorchModel":
        network, settings = twin(self.network), self.settings
        for change in sorted(changes, key=lambda one: one.kind in PARTS):  # modules first, then their hooks
            if change.kind in PARTS:
                self._leave_out(network, change)
            else:
                settings = self._change(network, change) or settings
        return replace(self, network=network, settings=settings, changes=(*self.changes, *changes))

    def _leave_out(self, network: nn.Module, change: Change) -> None:
        """Take a block, one of its two parts, or a head out of every pass."""
        m, block = self.modules, change.block or 0
        name = {"attention": m.attention, "feed-forward": m.feed_forward}
        left_out = (
            name.values() if change.kind == "block" else [name[change.kind]] if change.kind in name else []
        )
        for part in left_out:
            altered.leave_out(network.get_submodule(self._name(block, part)))
        if change.kind == "block":
            altered.pass_by(network.get_submodule(self._name(block, None)))
        if change.kind == "head":
            projection = network.get_submodule(self._name(block, m.projection))
            altered.leave_out_head(projection, change.head or 0, self.architecture.width_of_head)

    def remade(
        self, stream: altered.Through | None = None, matrix: altered.Through | None = None
    ) -> "TorchModel":
        network = twin(self.network)
        if stream is not None:
            altered.put_stream_through(network.get_submodule(self.modules.blocks), stream)
        if matrix is not None:
            altered.put_matrices_through(network, matrix)
        return replace(self, network=network, changes=(*self.changes, made("remade")))
