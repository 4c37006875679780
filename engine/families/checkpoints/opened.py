"""A checkpoint of one of Hugging Face's families, run by the transformers library and watched from outside.

B batch · T tokens · d stream width · H query heads · K key/value heads · D head width · V vocabulary
L blocks
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.counting.architecture import Architecture
from engine.errors import LacksError
from engine.families.changes import Change, made
from engine.families.checkpoints import lines, rewired
from engine.families.checkpoints.layouts import Layout
from engine.families.hooks import twin
from engine.families.torch_model import Modules, TorchModel
from engine.wiring import Wiring, earlier

LONGEST = 512  # tokens that are read at once: attention's weights for more would fill the memory
FARTHEST = 4096  # tokens of the longest pass that is made at all


@dataclass(frozen=True)
class Settings:
    """What is known of a checkpoint beside its weights.

    title: on pages; layout: where its family keeps its parts; trained_on: the longest text its config
    declares, in tokens; activation: as Model has it.  config: its config.json as text; spare: see
    Model.spare_output.
    """

    title: str
    architecture: Architecture
    layout: Layout
    trained_on: int
    activation: str | None = None
    config: str = "{}"
    spare: Tensor | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Checkpoint(TorchModel):
    """An opened checkpoint.  settings: Settings; network: a transformers model for causal language."""

    texts = "plain"
    joined = False
    in_library = True

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.settings.title

    @property
    def family(self) -> str:  # type: ignore[override]
        serial = self.settings.layout.interleaved and not self.parallel
        return lines.SERIAL if serial else self.settings.layout.kind

    @cached_property
    def modules(self) -> Modules:  # type: ignore[override]
        return Modules(**self.settings.layout.modules, weighs=True)

    @cached_property
    def rows(self) -> dict[str, tuple[str, int | None]]:  # type: ignore[override]
        return self.settings.layout.rows()

    @property
    def architecture(self) -> Architecture:
        return self.settings.architecture

    @property
    def context(self) -> int:
        return min(self.architecture.context, LONGEST)

    @property
    def window(self) -> int:
        return self.settings.trained_on

    @property
    def parallel(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.network.config, "use_parallel_residual", False))

    @property
    def epsilon(self) -> float:
        return float(getattr(self._final_norm, rewired.epsilon_of(self._final_norm)))

    @property
    def _final_norm(self) -> Any:
        return self.network.get_submodule(self.modules.final_norm)

    @property
    def rope_base(self) -> float | None:
        return self.network.config.rope_parameters["rope_theta"] if self._rotary is not None else None

    @property
    def _rotary(self) -> Any:
        name = self.settings.layout.rotary
        return None if name is None else self.network.get_submodule(name)

    @property
    def rotated(self) -> int:
        return 0 if self._rotary is None else 2 * self._rotary.inv_freq.numel()

    @property
    def rope_speeds(self) -> np.ndarray:
        return self._rotary.inv_freq.double().numpy()

    @property
    def rope_gain(self) -> float:
        return float(self._rotary.attention_scaling) ** 2

    @property
    def activation(self) -> str | None:  # type: ignore[override]
        return self.settings.activation

    @property
    def random_ids(self) -> range:
        return range(min(260, self.architecture.vocab_size // 2), len(self.tokenizer))

    @property
    def details(self) -> tuple[str, ...]:
        return rewired.details(self)

    @cached_property
    def stored(self) -> int:
        held = {id(one): one.numel() for one in self.network.parameters()}
        if self.architecture.tied:
            held.pop(id(self.network.get_submodule(self.modules.output).weight), None)
            held |= {id(one): one.numel() for one in [self._embedding.weight]}
        return sum(held.values())

    @property
    def _embedding(self) -> Any:
        return self.network.get_submodule(self.settings.layout.embedding)

    # the pass

    def scores(self, ids: Tensor) -> Tensor:
        more = {}
        if self.sees is not earlier:
            hidden = torch.from_numpy(~self.sees(ids.shape[1]))
            lowest = torch.finfo(self.network.dtype).min
            mask = torch.zeros(hidden.shape, dtype=self.network.dtype).masked_fill(hidden, lowest)
            more["attention_mask"] = mask[None, None].expand(len(ids), 1, -1, -1)
        return self.network(ids, use_cache=False, **more).logits

    def normed_heads(self, made: Tensor) -> Tensor:
        return made.transpose(1, 2)  # the library norms before it puts the heads first

    def third(self, made: Tensor, which: int) -> Tensor:
        if not self.settings.layout.interleaved:
            return super().third(made, which)
        H, D = self.architecture.n_head, self.architecture.width_of_head
        return made.unflatten(-1, (H, 3, D))[..., which, :].flatten(-2)

    def turned(self, x: Tensor) -> Tensor:
        if self._rotary is None:
            return x
        T, D = x.shape[-2:]
        cos, sin = self._rotary(x, torch.arange(T)[None])
        turn = sys.modules[self.settings.layout.module].apply_rotary_pos_emb
        heads = x.reshape(1, -1, T, D)
        return turn(heads, heads, cos, sin)[0].reshape(x.shape)

    def activated(self, scores: Tensor) -> Tensor:
        function = self.network.get_submodule(self._name(0, self.modules.feed_forward)).act_fn
        return function(scores)

    def part(self, row: str, block: int | None = None) -> np.ndarray:
        if row == "embedding.matrix" and self.architecture.tied:
            changed = any(change.kind == "untied" for change in self.changes)
            return self._embedding.weight.detach().float().numpy() if changed else self.directions
        try:
            return super().part(row, block)
        except AttributeError:
            raise LacksError(f"{self.title} has no {row!r}.") from None

    # what it could be

    @property
    def config(self) -> str:
        return self.settings.config

    @property
    def spare_output(self) -> np.ndarray | None:
        return None if self.settings.spare is None else self.settings.spare.numpy()

    def unscaled(self) -> "Checkpoint | None":
        if self._rotary is None or not rewired.is_scaled(self):
            return None
        network = twin(self.network)
        rewired.unscale(network, self)
        return replace(self, network=network, changes=(*self.changes, made("unscaled")))

    def reaching(self, length: int) -> "Checkpoint":
        if self._rotary is None:
            return super().reaching(length)  # type: ignore[return-value]
        if length > FARTHEST:
            raise LacksError(
                f"{self.title} is declared for texts of {self.window:,} tokens. A pass over {length:,} "
                f"takes more memory than is given to one reader here; {FARTHEST:,} tokens are the most."
            )
        longer = replace(self.architecture, context=max(length, self.architecture.context))
        changes = (*self.changes, Change("reaching", value=length))
        return replace(self, settings=replace(self.settings, architecture=longer), changes=changes)

    def wired(self, wiring: Wiring) -> "Checkpoint":
        if not wiring.turned and self._rotary is None:
            raise LacksError(f"{self.title} has no rotation that could be left out.")
        network = twin(self.network)
        rewired.wire(network, self, wiring)
        return replace(self, network=network, sees=wiring.sees, changes=(*self.changes, made("wired")))

    def remade(
        self,
        stream: Callable[[np.ndarray], np.ndarray] | None = None,
        matrix: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> "TorchModel":
        if self.network.dtype != torch.float32:
            raise LacksError(
                f"{self.title} runs in {str(self.network.dtype).removeprefix('torch.')} here, whose own "
                "rounding would be mixed with what is measured."
            )
        return super().remade(stream, matrix)

    def _change(self, network: Any, change: Change) -> Any:
        rewired.change(network, self, change)

    def in_transformers(self) -> Any:
        raise LacksError(
            f"{self.title} runs in the transformers library itself: it has nothing to be held against there."
        )
