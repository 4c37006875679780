"""A run's state on disk: one safetensors file, tensors by name and the rest as JSON in its header.

Nothing in it can run when it is opened.
"""

import json
import os
from dataclasses import asdict

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from engine.model import Settings, Transformer
from training.plan import Plan, Progress
from training.store_model import StoreModel, StoreSettings

FILE = "checkpoint.safetensors"
_FAMILIES = {"stories": (Settings, Transformer), "store": (StoreSettings, StoreModel)}


def save(state, path):
    """Write a state whole or not at all.

    state: settings, plan, progress, batches (epoch, place), weights {name: tensor}, optimiser
    {weight's name: {name: tensor}}, random (the generator's state); the last four may be missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {f"weights/{name}": w.detach() for name, w in state["weights"].items()}
    for name, values in state.get("optimiser", {}).items():
        tensors |= {f"optimiser/{name}/{key}": value for key, value in values.items()}
    if "random" in state:
        tensors["random"] = state["random"]
    plain = {
        "family": "store" if isinstance(state["settings"], StoreSettings) else "stories",
        "settings": asdict(state["settings"]),
        "plan": asdict(state["plan"]),
        "progress": asdict(state["progress"]),
        "batches": state.get("batches", (0, 0)),
    }
    new = path.with_suffix(".new")
    save_file({n: t.contiguous() for n, t in tensors.items()}, new, {"state": json.dumps(plain)})
    os.replace(new, path)


def restore(path):
    """A state as save() took it, on the processor."""
    with safe_open(path, framework="pt") as file:
        plain = json.loads(file.metadata()["state"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    settings, _ = _FAMILIES[plain["family"]]
    state = {
        "settings": settings(**plain["settings"]),
        "plan": Plan(**plain["plan"]),
        "progress": Progress(**plain["progress"]),
        "batches": tuple(plain["batches"]),
        "weights": {},
        "optimiser": {},  # of a weight that was never moved: nothing
    }
    if "random" in tensors:
        state["random"] = tensors.pop("random")
    for name, tensor in tensors.items():
        group, weight, *key = name.split("/")
        if group == "weights":
            state["weights"][weight] = tensor
            state["optimiser"].setdefault(weight, {})
        else:
            state["optimiser"].setdefault(weight, {})[key[0]] = tensor
    return state


def model_of(state):
    """The model of a state, with its weights."""
    settings = state["settings"]
    _, kind = _FAMILIES["store" if isinstance(settings, StoreSettings) else "stories"]
    model = kind(settings)
    with torch.no_grad():
        for name, weight in model.named_parameters():  # a tied weight comes once
            weight.copy_(state["weights"][name])
    return model
