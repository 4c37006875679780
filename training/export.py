"""From a checkpoint to a folder of weights/: everything about a model kept together."""

import datetime
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import save_file

from engine.model import Transformer
from engine.weights import sha256
from training.loop import restore, write_log
from training.store_model import StoreModel


def model_from(saved, name):
    """The model of a checkpoint, ready to be asked."""
    model = StoreModel(saved["settings"]) if name == "store" else Transformer(saved["settings"])
    model.load_state_dict(saved["weights"])
    return model.eval().requires_grad_(False)


def export(name, checkpoint, tokenizer, folder, command, results=None, card=None):
    """Write weights/<name>: weights, settings, tokenizer, training log, results, card, checksums.

    The Sprout family is rounded to float16, the store's model stays float32.
    """
    saved = restore(checkpoint)
    model = model_from(saved, name)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if name == "store":
        settings = {k: v for k, v in asdict(saved["settings"]).items() if k != "norm_eps"}
        save_numpy(store_arrays(model), folder / "model.safetensors")
    else:
        settings = asdict(saved["settings"])
        tensors = {n: w.half().contiguous() for n, w in model.state_dict().items() if n != "output.weight"}
        save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    write_log(saved["progress"].log, folder / "log.csv")
    if results is not None:
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if card is not None:
        (folder / "card.md").write_text(card, encoding="utf-8")
    kept = [p for p in sorted(folder.iterdir()) if p.name != "manifest.json"]
    progress = saved["progress"]
    manifest = {
        "name": name,
        "date": datetime.date.today().isoformat(),
        "command": command,
        "steps": progress.step,
        "tokens_seen": progress.tokens,
        "training_seconds": round(progress.seconds),
        "training_window": saved["settings"].context,
        "plan": asdict(saved["plan"]),
        "files": {p.name: sha256(p) for p in kept},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def store_arrays(model):
    """The store's weights as NumPy arrays by the names that engine/store.py uses."""
    names = {n: n.replace("embedding.weight", "embedding") for n in model.state_dict()}
    return {names[n]: np.ascontiguousarray(w.numpy()) for n, w in model.state_dict().items()}


def rounded(model):
    """The same model with its weights rounded to float16, as they are shipped."""
    twin = Transformer(model.settings)
    twin.load_state_dict({n: w.half().float() for n, w in model.state_dict().items()})
    return twin.eval().requires_grad_(False)
