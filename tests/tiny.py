"""Tiny models with random weights, as loud as trained ones, for tests that need a whole model."""

import json
from dataclasses import asdict
from functools import cache

import torch

from engine import measures, trace
from engine.families.sprout import Sprout
from engine.families.store import Store
from engine.model import Settings, Transformer
from engine.weights import sha256
from training import checkpoint, export, store
from training.data import train_tokenizer
from training.plan import Plan, Progress
from training.store_model import StoreModel, StoreSettings

PIECES = 500
SPROUT = Settings(vocab_size=PIECES, context=48, n_layer=3, n_head=2, d_model=32, d_ff=80)
STORE = StoreSettings(vocab_size=PIECES, context=40, n_layer=3, n_head=2, d_model=32, d_ff=48)
MANIFEST = {"files": {"model.safetensors": "tiny"}}
torch.set_num_threads(1)  # sharing products as small as these costs more than it brings


@cache
def stories_tokenizer():
    """500 pieces of our stories, the document marker first."""
    return train_tokenizer(measures.own_stories(), PIECES)


@cache
def store_tokenizer():
    """500 pieces of our products, the four markers first."""
    return train_tokenizer(measures.own_products(), PIECES, store.MARKERS)


def library_sizes(a):
    """An Architecture's sizes, by the names that most configs of the transformers library have for them."""
    return {
        "vocab_size": a.vocab_size, "hidden_size": a.d_model, "intermediate_size": a.d_ff,
        "num_hidden_layers": a.n_layer, "num_attention_heads": a.n_head, "max_position_embeddings": a.context,
    }  # fmt: skip


def loud(network, seed=0):
    """Fill every weight so that scores spread over several units and every part matters."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim == 2:
                weight.normal_(std=0.25, generator=generator)
            else:
                weight.uniform_(0.5, 1.5, generator=generator)
    return network.eval().requires_grad_(False)


def sprout_network(settings=SPROUT, seed=0):
    """A loud network of the Sprout family."""
    return loud(Transformer(settings), seed)


def store_network(settings=STORE, seed=0):
    """A loud network of the store's model, in PyTorch."""
    return loud(StoreModel(settings), seed)


@cache
def model(kind):
    """kind "sprout" or "store" -> an engine Model that no file stands behind; never change it."""
    if kind == "store":
        arrays = export.store_arrays(store_network())
        return Store("store", asdict(STORE), store_tokenizer(), arrays, MANIFEST)
    return Sprout("sprout", SPROUT, stories_tokenizer(), sprout_network(), MANIFEST)


def passes(keep=()):
    """A strategy: what passes through either tiny model on any text at all, cut where it is too long."""
    from hypothesis import strategies as st

    odd = ("", " ", "\u202eabc\x00", "🙂" * 9, "$x$ <|end|> [a](b) <b>", "a " * 60, "!!! !!! !!!", "مرحبا")

    def run(kind, text):
        loaded = model(kind)
        return trace.run(loaded, loaded.tokenizer.encode(text)[: loaded.context], keep)

    return st.builds(run, st.sampled_from(("sprout", "store")), st.one_of(st.sampled_from(odd), st.text()))


def write_checkpoint(path, network):
    """A checkpoint as training leaves it, for a network that was never trained."""
    state = {
        "settings": network.settings,
        "weights": dict(network.named_parameters()),
        "progress": Progress(step=3, tokens=900, seconds=1.5, log=[(3, 900, 1.5, 3, 0.5, 6.0, 6.1)]),
        "plan": Plan(tokens=900),
    }
    checkpoint.save(state, path)


def write_folder(folder, name, work):
    """A complete folder/<name> made by training's export; work: a folder for what it is made from."""
    network, tokenizer = sprout_network(), stories_tokenizer()
    if name == "store":
        network, tokenizer = store_network(), store_tokenizer()
    write_checkpoint(work / checkpoint.FILE, network)
    tokenizer.save(work / "tokenizer.json")
    (work / "train.sh").write_text("python -m training train …")
    files = (work / checkpoint.FILE, work / "tokenizer.json", folder / name, work / "train.sh")
    export.export(name, *files)
    return folder / name


def sign_again(home):
    """Write the checksums of the files as they are now into the manifest."""
    path = home / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"] = {name: sha256(home / name) for name in manifest["files"]}
    path.write_text(json.dumps(manifest))
