"""How many bytes a result takes: its arrays, texts and numbers, each counted once."""

import sys
from types import FunctionType, MethodType, ModuleType

import numpy as np

_NOT_OURS = (type, ModuleType, FunctionType, MethodType, property)


def size_of(thing):
    """Bytes of everything that can be reached from a thing."""
    seen, waiting, total = set(), [thing], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or one is None or isinstance(one, _NOT_OURS):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            waiting.append(one.base)  # of a view, the whole is what is held
            total += one.nbytes if one.base is None else 0
        elif _is_tensor(one):
            storage = one.untyped_storage()
            total += 0 if storage.data_ptr() in seen else storage.nbytes()
            seen.add(storage.data_ptr())
        else:
            total += sys.getsizeof(one)
            waiting += _parts(one)
    return total


def _is_tensor(one):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(one, torch.Tensor)


def _parts(one):
    """What a container or an object holds."""
    if isinstance(one, dict):
        return [*one.keys(), *one.values()]
    if isinstance(one, (list, tuple, set, frozenset)):
        return list(one)
    slots = [getattr(one, name, None) for name in getattr(type(one), "__slots__", ())]
    return [*slots, *vars(one).values()] if hasattr(one, "__dict__") else slots
