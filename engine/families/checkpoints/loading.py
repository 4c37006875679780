"""A checkpoint's weights into memory, tensor by tensor, and the model that they make."""

import json
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from engine.errors import ReaderError
from engine.families.checkpoints import pieces
from engine.families.checkpoints.folder import Folder
from engine.one_at_a_time import LATE

os.environ["HF_HUB_OFFLINE"] = "1"  # before the library is imported: nothing is ever asked of the network
DTYPES = ("float32", "bfloat16")
Told = Callable[[float], None]  # is told which share is done


def load(folder: Folder, name: str, title: str, dtype: str = "float32", told: Told = lambda _: None) -> Any:
    """A Checkpoint from its folder.  Raises ReaderError when its files don't fit together.

    told: is called again and again with the share of the weights that is read.
    """
    from engine.families.checkpoints.opened import Checkpoint, Settings

    tokenizer = pieces.read(folder.path, folder.config, folder.architecture.vocab_size, folder.layout.kind)
    weights = _weights(folder, dtype, told)
    with LATE:
        network = _network(folder, dtype, weights)
    a, config, spare = folder.architecture, json.dumps(folder.config), _spare(folder, weights)
    settings = Settings(title, a, folder.layout, a.context, folder.activation, config, spare)
    files = {"model.safetensors": f"{folder.checksum}-{dtype}", "tokenizer.json": folder.pieces}
    return Checkpoint(name, settings, tokenizer, network, {"files": files})


def _weights(folder: Folder, dtype: str, told: Told) -> dict[str, Any]:
    """{the library's name: a tensor of its own, of this dtype}."""
    import torch
    from safetensors import SafetensorError, safe_open

    kind, found = getattr(torch, dtype), {}
    for file in sorted({one.file for _, one in folder.tensors.values()}):
        own = {name: held for name, (held, one) in folder.tensors.items() if one.file == file}
        try:
            with safe_open(folder.path / file, framework="pt") as opened:
                for name, held in own.items():
                    # A copy: a file that changes underneath must not change a model.
                    found[name] = _whole(held, opened.get_tensor(held).to(kind, copy=True))
                    told(len(found) / len(folder.tensors))
        except (OSError, SafetensorError, RuntimeError) as error:
            raise ReaderError(f"{file} can't be read ({type(error).__name__}): copy it again.") from error
    return found


def _whole(name: str, weight: Any) -> Any:
    """A weight whose numbers are all numbers.  Raises ReaderError."""
    odd = int((~weight.isfinite()).sum())
    if odd:
        raise ReaderError(
            f"{name[:80]} has {weight.numel():,} numbers, of which {odd:,} are infinite or none at all "
            "(NaN): nothing can be computed with it. The file is damaged, or was written with too few bits."
        )
    return weight


def _spare(folder: Folder, weights: dict[str, Any]) -> Any:
    """An output matrix that the config leaves unused, float32; None for the embedding once more."""
    from safetensors import safe_open

    if folder.spare is None:
        return None
    held, tensor = folder.spare
    with safe_open(folder.path / tensor.file, framework="pt") as opened:
        spare = opened.get_tensor(held).float()
    same = bool((spare == weights[f"{folder.layout.embedding}.weight"].float()).all())
    return None if same else spare.clone()


def _network(folder: Folder, dtype: str, weights: dict[str, Any]) -> Any:
    """The library's network with these weights."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()  # the page has one of its own
    layout = folder.layout
    try:
        network = getattr(import_module(layout.module), layout.network).from_pretrained(
            None,
            config=_config(folder),
            state_dict=weights,
            dtype=getattr(torch, dtype),
            attn_implementation="eager",
        )
    except Exception as error:  # the library checks a config in many ways
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise ReaderError(f"The transformers library does not take its config.json ({said}).") from error
    if not all(bool(held.isfinite().all()) for held in network.buffers() if held.is_floating_point()):
        raise ReaderError(
            "Its config.json makes RoPE turn by angles that are no numbers: its base can't be so."
        )
    network = network.eval().requires_grad_(False)
    if dtype != "float32":
        _read_out_in_float32(network, layout)
    return network


def _config(folder: Folder) -> Any:
    """The library's config; code that a folder brings along is not looked for."""
    from transformers import CONFIG_MAPPING

    left_out = ("auto_map", "model_type", "dtype", "torch_dtype", "_attn_implementation")
    given = {key: value for key, value in folder.config.items() if key not in left_out}
    return CONFIG_MAPPING[folder.layout.kind].from_dict(given)


def _read_out_in_float32(network: Any, layout: Any) -> None:
    """The final norm and the output layer in float32, so that every row is read as the last one is."""
    import torch

    norm = network.get_submodule(layout.modules["final_norm"]).float()
    norm.register_forward_pre_hook(lambda _module, inputs: (inputs[0].float(), *inputs[1:]))
    output = network.get_submodule(layout.modules["output"])
    output.weight = torch.nn.Parameter(output.weight.detach().float(), requires_grad=False)
