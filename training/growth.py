"""Growing a model: copies of its blocks stacked on top, so that it starts where the small one stood."""

import re
from copy import deepcopy
from dataclasses import replace

from engine.model import Transformer

_BLOCK = re.compile(r"^blocks\.(\d+)\.")


def stacked(by_name, old, new):
    """Values by weight name for old blocks -> for new blocks: block i is a copy of block i mod old."""
    grown = {name: deepcopy(value) for name, value in by_name.items() if not _BLOCK.match(name)}
    for block in range(new):
        prefix = f"blocks.{block % old}."
        for name, value in by_name.items():
            if name.startswith(prefix):
                grown[f"blocks.{block}." + name.removeprefix(prefix)] = deepcopy(value)
    return grown


def grow(model, n_layer):
    """A model with n_layer blocks, its weights those of model's blocks again and again."""
    old = model.settings.n_layer
    taller = Transformer(replace(model.settings, n_layer=n_layer))
    taller.load_state_dict(stacked(model.state_dict(), old, n_layer))
    return taller
