"""A checkpoint's network with one detail unlike its training, or put together otherwise.

Every function alters a twin of the network that readers share.

B batch · T tokens · d stream width · H query heads · D head width
"""

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from engine.errors import LacksError
from engine.families import altered
from engine.families.changes import Change, other_matrix, possible
from engine.families.hooks import first
from engine.wiring import Wiring

if TYPE_CHECKING:
    from engine.families.checkpoints.opened import Checkpoint


def details(model: "Checkpoint") -> tuple[str, ...]:
    """The changes that a checkpoint can have, without those that would change nothing or make no sense."""
    left_out = {"norms-after"} if model.parallel else set()
    left_out |= {"neighbours", "base"} if model.rotated <= 2 else set()  # one pair, which turns by 1
    return tuple(one for one in possible(model.has) if one not in left_out)


def epsilon_of(norm: Any) -> str:
    """What a norm of the library calls its ε."""
    return "variance_epsilon" if hasattr(norm, "variance_epsilon") else "eps"


def change(network: Any, model: "Checkpoint", change: Change) -> None:
    """Change one of details() in a network of its own."""
    m = model.modules
    match change.kind:
        case "neighbours":
            _pair_neighbours(network, model)
        case "base":
            _exchange(network, model.settings.layout.rotary, _with_base(model, float(change.value or 1)))
        case "no-rope":
            still = _with_base(model, 1.0)
            still.inv_freq = torch.zeros_like(still.inv_freq)
            _exchange(network, model.settings.layout.rotary, still)
        case "epsilon":
            for name, module in network.named_modules():
                if name.rpartition(".")[2] in _norms(model):
                    setattr(module, epsilon_of(module), change.value)
        case "norms-after":
            for number, block in enumerate(blocks(network, model)):
                _exchange(network, f"{m.blocks}.{number}", _NormsAfter(block, model))
        case "no-gate":
            for block in blocks(network, model):
                _exchange(block, m.feed_forward, _WithoutGate(block.get_submodule(m.feed_forward)))
        case "untied":
            V, d = model.directions.shape
            output = nn.Linear(d, V, bias=False, device="meta")
            other = torch.from_numpy(other_matrix(model.directions))
            output.weight = nn.Parameter(other, requires_grad=False)
            _exchange(network, m.output, output)
        case "no-qk-norm":
            for block in blocks(network, model):
                for norm in (m.q_norm, m.k_norm):
                    _exchange(block, norm, nn.Identity())
        case _:
            raise LacksError(f"{model.title} is not made for this change.")


def wire(network: Any, model: "Checkpoint", wiring: Wiring) -> None:
    """Put a network of its own together as wiring says, but for what tokens see."""
    m = model.modules
    if not wiring.turned:
        change(network, model, Change("no-rope"))
    for number, block in enumerate(blocks(network, model)):
        if not wiring.feed_forward:
            altered.leave_out(block.get_submodule(m.feed_forward))
        if not wiring.skips:
            other = _WithoutSkips(block, model, wiring.feed_forward)
            _exchange(network, f"{m.blocks}.{number}", other)


def blocks(network: Any, model: "Checkpoint") -> list[Any]:
    """The network's blocks."""
    return list(network.get_submodule(model.modules.blocks))


def _norms(model: "Checkpoint") -> set[str]:
    m = model.modules
    names = (m.norm1, m.norm2, m.final_norm, m.q_norm, m.k_norm)
    return {name.rpartition(".")[2] for name in names if name}


def _exchange(network: Any, name: str | None, module: nn.Module) -> None:
    """Put another module where one of this name stands."""
    parent, _, own = (name or "").rpartition(".")
    network.get_submodule(parent)._modules[own] = module.eval()


def _with_base(model: "Checkpoint", base: float) -> Any:
    """The library's own rotation once more, with another base."""
    rotary = model.network.get_submodule(model.settings.layout.rotary or "")
    config = deepcopy(rotary.config)
    config.rope_parameters = {**config.rope_parameters, "rope_theta": base}
    return type(rotary)(config)


def is_scaled(model: "Checkpoint") -> bool:
    """Whether RoPE's angles are stretched for longer texts."""
    told = model.network.config.rope_parameters or {}
    return told.get("rope_type", "default") != "default"


def unscale(network: Any, model: "Checkpoint") -> None:
    """Turn by the angles of the base alone, in a network of its own."""
    rotary = model.network.get_submodule(model.settings.layout.rotary or "")
    config = deepcopy(rotary.config)
    kept = {
        key: config.rope_parameters[key]
        for key in ("rope_theta", "partial_rotary_factor")
        if key in config.rope_parameters
    }
    config.rope_parameters = {"rope_type": "default", **kept}
    _exchange(network, model.settings.layout.rotary, type(rotary)(config))


def _pair_neighbours(network: Any, model: "Checkpoint") -> None:
    """The same pairs of numbers, brought to where the library's rotation looks for halves."""
    m, D, R = model.modules, model.architecture.width_of_head, model.rotated
    order = torch.cat((torch.arange(0, R, 2), torch.arange(1, R, 2), torch.arange(R, D)))

    def by_head(_module: nn.Module, _inputs: tuple, output: Tensor) -> Tensor:
        return output.unflatten(-1, (-1, D))[..., order].flatten(-2)

    def by_thirds(_module: nn.Module, _inputs: tuple, output: Tensor) -> Tensor:
        heads = output.unflatten(-1, (-1, 3, D)).clone()
        heads[..., :2, :] = heads[..., :2, order]
        return heads.flatten(-3)

    def of_one(_module: nn.Module, _inputs: tuple, output: Tensor) -> Tensor:
        return output[..., order]

    for block in blocks(network, model):
        if model.settings.layout.interleaved:
            block.get_submodule(m.matrices[0]).register_forward_hook(by_thirds)
        elif m.q_norm and "qk_norm" in model.has:
            for norm in (m.q_norm, m.k_norm):
                block.get_submodule(norm).register_forward_hook(of_one)
        else:
            for matrix in m.matrices[:2]:
                block.get_submodule(matrix).register_forward_hook(by_head)


class _WithoutGate(nn.Module):
    """A feed-forward layer whose gates are always open; its matrices keep their names."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.up_proj, self.down_proj = layer.up_proj, layer.down_proj

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.up_proj(x))


class _NormsAfter(nn.Module):
    """The block of Vaswani et al. 2017, with the modules of a checkpoint's: add first, then norm.

    Its parts keep their names, so that they can be watched and left out.
    """

    def __init__(self, block: Any, model: "Checkpoint") -> None:
        super().__init__()
        self._modules = dict(block._modules)
        self._of = model.modules

    def _attend(self, x: Tensor, rest: tuple, more: dict[str, Any]) -> Tensor:
        """What attention adds.  rest: what the library gives a block of GPT-2's by its place."""
        if len(rest) > 1:
            more = {**more, "attention_mask": rest[1]}
        return first(self.get_submodule(self._of.attention)(hidden_states=x, **more))

    def _part(self, name: str, x: Tensor) -> Tensor:
        return self.get_submodule(name)(x)

    def forward(self, x: Tensor, *rest: Any, **more: Any) -> Tensor:
        m = self._of
        x = self._part(m.norm1, x + self._attend(x, rest, more))
        return self._part(m.norm2, x + self._part(m.feed_forward, x))


class _WithoutSkips(_NormsAfter):
    """The block whose parts take the stream's place: attention alone, or both, one after the other."""

    def __init__(self, block: Any, model: "Checkpoint", both: bool) -> None:
        super().__init__(block, model)
        self._both, self._parallel = both, model.parallel

    def forward(self, x: Tensor, *rest: Any, **more: Any) -> Tensor:
        m = self._of
        gathered = self._attend(self._part(m.norm1, x), rest, more)
        made = self._part(m.feed_forward, self._part(m.norm2, x if self._parallel else gathered))
        return (gathered + made if self._parallel else made) if self._both else gathered
