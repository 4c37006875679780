"""What if: a model with a part left out, or with one detail unlike its training.

A change is made to a second model that shares the first one's weights.  The first is never touched, so
there is nothing to put back, however a run ends.

T tokens · d stream width · H heads · D head width · V vocabulary
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, ModuleType

import numpy as np

from engine import rope, store
from engine.trace import token_ids

PARTS = ("block", "attention", "feed-forward", "head")
DETAILS = ("neighbours", "base", "no-rope", "epsilon", "norms-after", "no-gate", "untied", "no-qk-norm")


@dataclass(frozen=True)
class Change:
    """One difference from the model as trained.  Blocks and heads are counted from 0.

    kind: one of PARTS, which `block` (and `head`) then name, or of DETAILS; "base" and "epsilon"
    need a `value`, the other details have none.
    """

    kind: str
    block: int | None = None
    head: int | None = None
    value: float | None = None

    def __str__(self):
        """As a page writes it; blocks and heads are counted from 1 there."""
        block = f"block {self.block + 1}" if self.block is not None else ""
        return {
            "block": f"without {block}",
            "attention": f"without the attention of {block}",
            "feed-forward": f"without the feed-forward layer of {block}",
            "head": f"without head {(self.head or 0) + 1} of {block}",
            "neighbours": "RoPE pairs neighbours",
            "base": f"RoPE base {self.value or 0:,.0f}",
            "no-rope": "no RoPE",
            "epsilon": f"ε = {plainly(self.value or 0)} in the norms",
            "norms-after": "norms after the parts",
            "no-gate": "the gate left out",
            "untied": "another output matrix",
            "no-qk-norm": "QK-norm left out",
        }[self.kind]


def plainly(x):
    """A number without an exponent: 0.00001, 10."""
    return f"{x:.10f}".rstrip("0").rstrip(".")


def trained_epsilon(model):
    """The ε in the norms that the model was trained with."""
    return store.EPSILON if model.name == "store" else model.network.final_norm.eps


def parts(model, kinds=PARTS):
    """Every single part of these kinds that can be left out -> a list of changes."""
    found = []
    for kind in kinds:
        for block in range(model.setting("n_layer")):
            heads = range(model.setting("n_head")) if kind == "head" else (None,)
            found += [Change(kind, block, head) for head in heads]
    return found


def check(model, change):
    """Raise ValueError when a model has no such part or detail."""
    L, H = model.setting("n_layer"), model.setting("n_head")
    if change.kind in PARTS:
        if change.block is None or not 0 <= change.block < L:
            raise ValueError(f"{model.title} has {L} blocks: choose one from 1 to {L}.")
        if change.kind == "head" and (change.head is None or not 0 <= change.head < H):
            raise ValueError(f"A block of {model.title} has {H} heads: choose one from 1 to {H}.")
    elif change.kind not in DETAILS:
        raise ValueError(f"Nothing called {change.kind!r} can be changed.")
    elif change.kind == "no-qk-norm" and model.name == "store":
        raise ValueError("The store's model has no QK-norm that could be left out.")
    elif change.kind in ("base", "epsilon") and not 0 < (change.value or 0) < float("inf"):
        raise ValueError(f"The {change.kind} must be a positive number.")


def runner(model, *changes):
    """The pass of a model with these changes -> a function: ids (T,) -> logits (T, V), float32.

    Raises ValueError for a change that the model can't have.
    """
    for change in changes:
        check(model, change)
    if model.name == "store":
        return _store_runner(model, changes)
    import torch

    network = changed(model, *changes).network

    def forward(ids):
        with torch.inference_mode():
            return network(torch.from_numpy(np.asarray(ids, dtype=np.int64))[None])[0].numpy()

    return forward


def changed(model, *changes):
    """A model of the Sprout family with these changes, sharing the weights; it can be traced too."""
    network = twin(model.network)
    for change in changes:
        check(model, change)
        _change_sprout(network, change)
    return replace(model, network=network)


def twin(module):
    """A module again, with the same weights but hooks, parts and attributes of its own."""
    again = type(module).__new__(type(module))
    again.__dict__ = {
        **module.__dict__,
        "_parameters": dict(module._parameters),
        "_buffers": dict(module._buffers),
        "_modules": {name: twin(child) for name, child in module._modules.items()},
        "_forward_hooks": OrderedDict(),
        "_forward_pre_hooks": OrderedDict(),
    }
    return again


def measure(logits, ids):
    """What a pass said about its own text.  logits (T, V), ids (T,) -> two arrays (T-1,):

    the surprise in nats at every token after the first, and the probability of the likeliest token there.
    """
    below = logits[:-1] - logits[:-1].max(-1, keepdims=True)  # how far each is below the highest
    right = below[np.arange(len(below)), np.asarray(ids)[1:]]
    total = np.exp(below, out=below).sum(-1)
    return np.log(total) - right, 1 / total


def continue_greedily(model, text, n, *changes):
    """The likeliest token n times over -> the ids that follow the text; ends early at an end marker.

    Raises ValueError for a text that does not fit.
    """
    from engine.generation import generate

    ids = token_ids(model, text)
    stop = (model.tokenizer.end_id,)
    return list(generate(runner(model, *changes), ids, n, model.setting("context"), 0, stop=stop))


def other_matrix(embedding):
    """A random matrix like the embedding (V, d): same shape, same deviation, always the same numbers."""
    drawn = np.random.default_rng(0).standard_normal(embedding.shape, dtype=np.float32)
    return drawn * np.float32(np.std(np.asarray(embedding)))


def store_with(**functions):
    """The functions of engine/store.py again, some exchanged for others, which the rest then calls."""
    again = ModuleType(store.__name__)
    space = vars(again)
    space.update(vars(store))
    for name, one in vars(store).items():
        if isinstance(one, FunctionType) and one.__module__ == store.__name__:
            space[name] = FunctionType(one.__code__, space, name, one.__defaults__)
    space.update(functions)
    return again


def _store_runner(model, changes):
    """Parts go by `skip` and by zeros in the matrices; details by settings, `positions` and functions."""
    weights, settings = dict(model.network), dict(model.settings)
    D = settings["d_model"] // settings["n_head"]
    skip, positions, output, functions = set(), None, weights, {}
    for change in changes:
        prefix = f"blocks.{change.block}."
        match change.kind:
            case "block":
                skip.add(change.block)
            case "attention":
                weights[prefix + "o"] = np.zeros_like(weights[prefix + "o"])
            case "feed-forward":
                weights[prefix + "down"] = np.zeros_like(weights[prefix + "down"])
            case "head":  # zeros in the rows that read this head: the same as zeroing what it gathered
                weights[prefix + "o"] = weights[prefix + "o"].copy()
                weights[prefix + "o"][change.head * D : (change.head + 1) * D] = 0
            case "neighbours":
                positions = _turn_neighbours
            case "base":
                settings["rope_base"] = change.value
            case "no-rope":
                positions = _stay
            case "epsilon":
                settings["norm_eps"] = float(change.value)
            case "norms-after":
                functions["block"] = _store_norms_after
            case "no-gate":
                functions["feed_forward"] = _store_without_gate
            case "untied":
                output = {**weights, "embedding": other_matrix(weights["embedding"])}
    own = store_with(**functions)
    if "block" in functions:
        own.block = partial(functions["block"], own)

    def forward(ids):
        streams, _ = own.run(ids, weights, settings, positions, skip)
        return own.unembed(streams[-1], output, settings.get("norm_eps", store.EPSILON))

    return forward


def _store_norms_after(own, x, layer, heads, positions, epsilon):
    """The block of Vaswani et al. 2017, with the functions of ours: add first, then norm."""
    gathered, seen = own.attention(x, layer, heads, positions)
    between = own.rms_norm(x + gathered, layer["attention_gain"], epsilon)
    made, opened = own.feed_forward(between, layer)
    x = own.rms_norm(between + made, layer["feed_forward_gain"], epsilon)
    return x, {**seen, **opened, "attention_added": gathered, "feed_forward_added": made}


def _store_without_gate(x, layer):
    """The feed-forward layer with nothing that opens or shuts."""
    value = x @ layer["up"]
    return value @ layer["down"], {"value": value}


def _turn_neighbours(x):
    places = np.broadcast_to(np.arange(x.shape[-2]), x.shape[:-1])
    return rope.turn(x, places, pairing="neighbours").astype(x.dtype)


def _stay(x):
    return x


def _change_sprout(network, change):
    """Make one change to a network of the Sprout family, by hooks and by exchanging its modules."""
    import torch
    from torch import nn

    from engine.model import RMSNorm, rope_tables

    settings, blocks = network.settings, network.blocks
    D = settings.d_model // settings.n_head
    block = blocks[change.block] if change.block is not None else None
    match change.kind:
        case "block":
            block.register_forward_hook(lambda _module, inputs, _output: inputs[0])
        case "attention" | "feed-forward":
            part = block.attention if change.kind == "attention" else block.feed_forward
            part.register_forward_hook(lambda _module, _inputs, output: torch.zeros_like(output))
        case "head":
            own = slice(change.head * D, (change.head + 1) * D)

            def silence(_module, inputs):
                gathered = inputs[0].clone()
                gathered[..., own] = 0
                return (gathered,)

            block.attention.proj.register_forward_pre_hook(silence)
        case "neighbours":  # the same pairs, brought to where the model's rotation looks for them
            order = torch.cat((torch.arange(0, D, 2), torch.arange(1, D, 2)))
            for one in blocks:
                for norm in (one.attention.q_norm, one.attention.k_norm):
                    norm.register_forward_hook(lambda _module, _inputs, output: output[..., order])
        case "base":
            network.cos, network.sin = rope_tables(settings.context, D, change.value)
        case "no-rope":
            network.cos, network.sin = torch.ones_like(network.cos), torch.zeros_like(network.sin)
        case "epsilon":
            for module in network.modules():
                if isinstance(module, RMSNorm):
                    module.eps = change.value
        case "norms-after":
            for i, one in enumerate(blocks):
                blocks[i] = _norms_after(one)
        case "no-gate":
            for one in blocks:
                one.feed_forward = nn.Sequential(one.feed_forward.w3, one.feed_forward.w2)
        case "untied":
            network.output = nn.Linear(settings.d_model, settings.vocab_size, bias=False)
            other = torch.from_numpy(other_matrix(network.embedding.weight.detach().numpy()))
            network.output.weight = nn.Parameter(other, requires_grad=False)
        case "no-qk-norm":
            for one in blocks:
                one.attention.q_norm = one.attention.k_norm = nn.Identity()


def _norms_after(block):
    """The block of Vaswani et al. 2017, with the modules of ours: add first, then norm."""
    from torch import nn

    class NormsAfter(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.attention = block.norm1, block.attention
            self.norm2, self.feed_forward = block.norm2, block.feed_forward

        def forward(self, x, cos, sin):
            x = self.norm1(x + self.attention(x, cos, sin))
            return self.norm2(x + self.feed_forward(x))

    return NormsAfter()
