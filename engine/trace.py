"""Run a model on a text and keep what passed through it.

Hooks are attached from outside for the time of one pass; the model's file knows nothing of them.

B batch · T tokens · d stream width · H heads · D head width · F feed-forward width
V vocabulary · L blocks
"""

from contextlib import contextmanager
from dataclasses import dataclass
from threading import get_ident

import numpy as np

from engine import store

EXTRAS = ("attention", "gate", "value", "queries", "keys")


@dataclass(frozen=True, eq=False)
class Trace:
    """What one pass left behind: read-only arrays, float32 but for the ids."""

    ids: np.ndarray  # (T,) int64, the document marker first
    pieces: tuple  # T labels for showing
    streams: np.ndarray  # (L+1, T, d): entering block 1, then after every block
    attention_added: np.ndarray  # (L, T, d)
    feed_forward_added: np.ndarray  # (L, T, d)
    logits: np.ndarray  # (T, V): row t scores the token after token t
    attention: np.ndarray | None = None  # (L, H, T, T): row t is what token t looks at
    gate: np.ndarray | None = None  # (L, T, F): silu(x W1)
    value: np.ndarray | None = None  # (L, T, F): x W3, which the gate multiplies
    queries: np.ndarray | None = None  # (L, H, T, D): before RoPE turns them
    keys: np.ndarray | None = None  # (L, H, T, D)


def run(model, text_or_ids, keep=()):
    """One pass of a model over a text (or ids as they are) -> Trace.

    keep: which of EXTRAS to keep too; they are large.  Raises ValueError for a text that does
    not fit, ids that are no tokens, or an unknown extra.
    """
    unknown = set(keep) - set(EXTRAS)
    if unknown:
        raise ValueError(f"Nothing called {sorted(unknown)[0]!r} can be kept; {', '.join(EXTRAS)} can.")
    ids = token_ids(model, text_or_ids)
    found = (_run_store if model.name == "store" else _run_sprout)(model, ids, set(keep))
    for array in found.values():
        array.flags.writeable = False
    ids.flags.writeable = False
    return Trace(ids=ids, pieces=tuple(model.tokenizer.label(i) for i in ids), **found)


def token_ids(model, text_or_ids):
    """A text (the marker is put before it) or ids -> ids (T,), checked against the model's limits."""
    if isinstance(text_or_ids, str):
        ids = np.array(model.tokenizer.encode(text_or_ids), dtype=np.int64)
    else:
        try:
            ids = np.array(text_or_ids)
        except ValueError:  # lists of different lengths
            ids = np.array(None)
        if ids.ndim != 1 or not len(ids) or not np.issubdtype(ids.dtype, np.integer):
            raise ValueError("Ids must be a list of at least one whole number.")
        ids = ids.astype(np.int64)
    limit, vocabulary = model.setting("context"), model.setting("vocab_size")
    if len(ids) > limit:
        raise ValueError(f"{len(ids)} tokens do not fit: this model reads at most {limit}. Shorten the text.")
    if ids.min() < 0 or ids.max() >= vocabulary:
        raise ValueError(f"Ids must be from 0 to {vocabulary - 1}.")
    return ids


@contextmanager
def hooked(network, watchers):
    """Call watcher(module, inputs, output) after each named module, and let go however it ends.

    watchers: {module's name: function}; what a function returns, if not None, replaces the output.
    Readers share the network: a watcher sees, and changes, only the passes of the thread that set it.
    """
    modules, owner = dict(network.named_modules()), get_ident()

    def only_own(watcher):
        return lambda *seen: watcher(*seen) if get_ident() == owner else None

    handles = []
    try:
        for name, watcher in watchers.items():
            handles.append(modules[name].register_forward_hook(only_own(watcher)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _run_sprout(model, ids, keep):
    import torch
    from torch.nn.functional import silu

    from engine.model import rotate

    kept = {}

    def keeping(name):
        return lambda _module, _inputs, output: kept.__setitem__(name, output[0])

    L = model.settings.n_layer
    inner = {
        "attention": ("attention.q_norm", "attention.k_norm"),
        "queries": ("attention.q_norm",),
        "keys": ("attention.k_norm",),
        "gate": ("feed_forward.w1",),
        "value": ("feed_forward.w3",),
    }
    names = {"embedding"}
    for block in range(L):
        parts = {"", ".attention", ".feed_forward"} | {"." + part for e in keep for part in inner[e]}
        names |= {f"blocks.{block}{part}" for part in parts}
    with torch.inference_mode(), hooked(model.network, {n: keeping(n) for n in names}):
        logits = model.network(torch.from_numpy(ids)[None])[0]

    def all_blocks(part):
        return torch.stack([kept[f"blocks.{block}{part}"] for block in range(L)])

    with torch.inference_mode():
        found = {
            "streams": torch.cat((kept["embedding"][None], all_blocks(""))),
            "attention_added": all_blocks(".attention"),
            "feed_forward_added": all_blocks(".feed_forward"),
            "logits": logits,
        }
        if "gate" in keep:
            found["gate"] = silu(all_blocks(".feed_forward.w1"))
        if "value" in keep:
            found["value"] = all_blocks(".feed_forward.w3")
        if keep & {"attention", "queries"}:
            q = found["queries"] = all_blocks(".attention.q_norm")
        if keep & {"attention", "keys"}:
            k = found["keys"] = all_blocks(".attention.k_norm")
        if "attention" in keep:
            T, D = q.shape[-2:]
            cos, sin = model.network.cos[:T], model.network.sin[:T]
            scores = rotate(q, cos, sin) @ rotate(k, cos, sin).mT / D**0.5
            future = torch.ones(T, T, dtype=torch.bool).triu(1)
            found["attention"] = scores.masked_fill(future, -torch.inf).softmax(-1)
    wanted = {"streams", "attention_added", "feed_forward_added", "logits", *keep}
    return {name: tensor.numpy() for name, tensor in found.items() if name in wanted}


def _run_store(model, ids, keep):
    streams, passed = store.run(ids, model.network, model.settings)
    wanted = ("attention_added", "feed_forward_added", *keep)
    found = {name: np.stack([one[name] for one in passed]) for name in wanted}
    return {**found, "streams": streams, "logits": store.unembed(streams[-1], model.network)}
