"""The Sprout family: engine/model.py, whose weights are float16 on disk and float32 in use."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu

from engine import model as model_file
from engine import sound
from engine.counting.architecture import Architecture, to_architecture
from engine.families import altered
from engine.families.changes import Change, made, other_matrix, possible
from engine.families.hooks import twin
from engine.families.interface import Ids
from engine.families.torch_model import Modules, TorchModel
from engine.one_at_a_time import random_start
from engine.tokenizer import Tokenizer
from engine.wiring import Wiring, earlier


@dataclass(frozen=True, eq=False, repr=False)
class Sprout(TorchModel):
    """A model of engine/model.py.  settings: its Settings; network: its Transformer."""

    family = "sprout"
    texts = "stories"
    joined = True
    activation = "silu"
    has_start = True
    modules = Modules(
        blocks="blocks", norm1="norm1", attention="attention", projection="attention.proj", norm2="norm2",
        feed_forward="feed_forward", final_norm="final_norm", output="output", matrices=("attention.qkv",),
        q_norm="attention.q_norm", k_norm="attention.k_norm", gate="feed_forward.w1", value="feed_forward.w3",
    )  # fmt: skip
    rows: ClassVar[dict[str, tuple[str, int | None]]] = {
        "embedding.matrix": ("embedding.weight", None),
        "norm1": ("norm1.gain", None),
        "q": ("attention.qkv.weight", 0),
        "k": ("attention.qkv.weight", 1),
        "v": ("attention.qkv.weight", 2),
        "q_norm": ("attention.q_norm.gain", None),
        "k_norm": ("attention.k_norm.gain", None),
        "projection": ("attention.proj.weight", None),
        "norm2": ("norm2.gain", None),
        "w1": ("feed_forward.w1.weight", None),
        "w3": ("feed_forward.w3.weight", None),
        "w2": ("feed_forward.w2.weight", None),
        "final_norm": ("final_norm.gain", None),
    }

    @cached_property
    def architecture(self) -> Architecture:
        return to_architecture(self.settings)

    @property
    def epsilon(self) -> float:
        return self.network.final_norm.eps

    @property
    def rope_base(self) -> float:
        return self.settings.rope_base

    @property
    def details(self) -> tuple[str, ...]:
        return possible(self.has)

    def turned(self, x: Tensor) -> Tensor:
        T = x.shape[-2]
        return model_file.rotate(x, self.network.cos[:T], self.network.sin[:T])

    def activated(self, scores: Tensor) -> Tensor:
        return silu(scores)

    def surprises(self, ids: Ids) -> np.ndarray:
        with torch.inference_mode():
            return self.network.surprise(torch.from_numpy(np.array(ids, dtype=np.int64))[None])[0].numpy()

    @property
    def config(self) -> str:
        return json.dumps({"model_type": "sprout", **vars(self.settings)})

    def reaching(self, length: int) -> "Sprout":
        network, settings = twin(self.network), self.settings
        D = settings.d_model // settings.n_head
        network.cos, network.sin = model_file.rope_tables(length, D, settings.rope_base)
        changes = (*self.changes, Change("reaching", value=length))
        return replace(self, network=network, settings=replace(settings, context=length), changes=changes)

    def at_start(self, seed: int) -> "Sprout":
        with random_start(seed):
            network = model_file.Transformer(self.settings)
        changes = (*self.changes, Change("start", value=seed))
        return replace(self, network=network.eval().requires_grad_(False), changes=changes)

    def wired(self, wiring: Wiring) -> "Sprout":
        network = twin(self.network)
        if not wiring.turned:
            network.cos, network.sin = torch.ones_like(network.cos), torch.zeros_like(network.sin)
        for i, block in enumerate(network.blocks):
            if wiring.sees is not earlier:
                _see(block.attention, wiring.sees)
            if not wiring.feed_forward:
                altered.leave_out(block.feed_forward)
            if not wiring.skips:
                network.blocks[i] = _WithoutSkips(block, wiring.feed_forward)
        return replace(self, network=network, sees=wiring.sees, changes=(*self.changes, made("wired")))

    def in_transformers(self) -> Any:
        from engine.families.huggingface import qwen3

        return qwen3(self)

    def _change(self, network: Any, change: Change) -> Any:
        settings = self.settings
        D = settings.d_model // settings.n_head
        match change.kind:
            case "neighbours":  # the same pairs, brought to where the model's rotation looks for them
                order = torch.cat((torch.arange(0, D, 2), torch.arange(1, D, 2)))
                for one in network.blocks:
                    for norm in (one.attention.q_norm, one.attention.k_norm):
                        norm.register_forward_hook(lambda _module, _inputs, output: output[..., order])
            case "base":
                network.cos, network.sin = model_file.rope_tables(len(network.cos), D, change.value)
                return replace(settings, rope_base=change.value)
            case "no-rope":
                network.cos, network.sin = torch.ones_like(network.cos), torch.zeros_like(network.sin)
            case "epsilon":
                for module in network.modules():
                    if isinstance(module, model_file.RMSNorm):
                        module.eps = change.value
            case "norms-after":
                for i, one in enumerate(network.blocks):
                    network.blocks[i] = _NormsAfter(one)
            case "no-gate":
                for one in network.blocks:
                    one.feed_forward = nn.Sequential(one.feed_forward.w3, one.feed_forward.w2)
            case "untied":
                network.output = nn.Linear(settings.d_model, settings.vocab_size, bias=False)
                other = torch.from_numpy(other_matrix(self.part("embedding.matrix")))
                network.output.weight = nn.Parameter(other, requires_grad=False)
            case "no-qk-norm":
                for one in network.blocks:
                    one.attention.q_norm = one.attention.k_norm = nn.Identity()
        return None


class _NormsAfter(nn.Module):
    """The block of Vaswani et al. 2017, with the modules of ours: add first, then norm."""

    def __init__(self, block: Any) -> None:
        super().__init__()
        self.norm1, self.attention = block.norm1, block.attention
        self.norm2, self.feed_forward = block.norm2, block.feed_forward

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x, cos, sin))
        return self.norm2(x + self.feed_forward(x))


class _WithoutSkips(_NormsAfter):
    """The block whose parts take the stream's place, attention alone or both."""

    def __init__(self, block: Any, both: bool) -> None:
        super().__init__(block)
        self.both = both

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = self.attention(self.norm1(x), cos, sin)
        made = self.feed_forward(self.norm2(x))
        return made if self.both else x


def _see(attention: Any, sees: Callable[[int], np.ndarray]) -> None:
    """Let attention look where sees(T) (T, T) says: its own lines run, but for the mask they are given."""

    def attend(q: Tensor, k: Tensor, v: Tensor, is_causal: bool) -> Tensor:
        return scaled_dot_product_attention(q, k, v, attn_mask=torch.from_numpy(sees(q.shape[-2])))

    space = {**vars(model_file), "scaled_dot_product_attention": attend}
    forward = model_file.Attention.forward
    attention.forward = MethodType(FunctionType(forward.__code__, space, "forward"), attention)


def shapes(settings: model_file.Settings) -> dict[str, tuple[int, ...]]:
    """{weight: shape} of a model's file, from its settings alone: the output layer is the embedding."""
    V, d, F, D = settings.vocab_size, settings.d_model, settings.d_ff, settings.d_model // settings.n_head
    block: dict[str, tuple[int, ...]] = {
        "norm1.gain": (d,), "attention.qkv.weight": (3 * d, d), "attention.q_norm.gain": (D,),
        "attention.k_norm.gain": (D,), "attention.proj.weight": (d, d), "norm2.gain": (d,),
        "feed_forward.w1.weight": (F, d), "feed_forward.w3.weight": (F, d), "feed_forward.w2.weight": (d, F),
    }  # fmt: skip
    blocks = {f"blocks.{i}.{name}": shape for i in range(settings.n_layer) for name, shape in block.items()}
    return {"embedding.weight": (V, d), "final_norm.gain": (d,), **blocks}


def read(home: Path, name: str, settings: dict, tokenizer: Tokenizer, manifest: dict) -> Sprout:
    """A model from its folder.  Raises one of many errors when the files don't fit together."""
    from safetensors.torch import load_file

    own_settings = model_file.Settings(**{name: settings[name] for name in settings if name != "model_type"})
    path = home / "model.safetensors"
    sound.tensors(sound.header(path), shapes(own_settings), ("F16", "F32"))
    network = model_file.Transformer(own_settings)
    tensors = {n: w.float() for n, w in load_file(path).items()}
    sound.finite({n: w.numpy() for n, w in tensors.items()})
    tensors["output.weight"] = tensors["embedding.weight"]  # tied: stored once
    network.load_state_dict(tensors)
    return Sprout(name, own_settings, tokenizer, network.eval().requires_grad_(False), manifest)
