"""From a checkpoint to a folder of weights/: everything about a model kept together."""

import datetime
import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import save_file

from engine import presets, stages
from engine.weights import load, read_manifest, sha256
from training.card import card
from training.checkpoint import model_of, restore
from training.evaluate import evaluate, held_out_rows
from training.loop import write_log

SCRIPT = "train.sh"


def export(name, checkpoint, tokenizer, folder, script):
    """Write weights/<name>: weights, settings, tokenizer, training log, the script that trains it, checksums.

    The Sprout family is rounded to float16, the store's model stays float32.
    """
    saved = restore(checkpoint)
    model = model_of(saved).eval().requires_grad_(False)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if name not in presets.FAMILY:
        settings = {k: v for k, v in asdict(saved["settings"]).items() if k != "norm_eps"}
        settings = {"model_type": "store", **settings}
        save_numpy(store_arrays(model), folder / "model.safetensors")
    else:
        settings = {"model_type": "sprout", **asdict(saved["settings"])}
        tensors = {n: w.half().contiguous() for n, w in model.state_dict().items() if n != "output.weight"}
        save_file(tensors, folder / "model.safetensors")
    write_json(settings, folder / "config.json")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    shutil.copyfile(script, folder / SCRIPT)
    write_log(saved["progress"].log, folder / "log.csv")
    progress = saved["progress"]
    manifest = {
        "name": name,
        "date": datetime.date.today().isoformat(),
        "command": command(name),
        "steps": progress.step,
        "tokens_seen": progress.tokens,
        "training_seconds": round(progress.seconds),
        "training_window": saved["settings"].context,
        "plan": asdict(saved["plan"]),
    }
    take_stages(Path(checkpoint).parent / stages.FILE, folder, progress.tokens)
    seal(folder, manifest)


def command(name):
    """How a model is trained again."""
    return f"sh weights/{name}/{SCRIPT} CORPUS runs/{name}"


def take_stages(path, folder, tokens):
    """Put the stages of a watched run beside the weights it made, if they go to its end."""
    if not path.exists():
        return
    measured = stages.read(path)
    if measured.tokens[-1] == tokens:
        about = {**measured.about, "weights": sha256(folder / "model.safetensors")}
        stages.save(replace(measured, about=about), folder / stages.FILE)


def keep_others(old, new):
    """Keep the stages of other trainings that lie beside the weights in one folder beside those in another.

    The training of the old weights is kept under their date.  Stages with which the new weights' own begin
    are in that file already.
    """
    manifest = read_manifest(old)
    own = stages.read(new / stages.FILE) if (new / stages.FILE).exists() else None
    for file in (name for name in manifest["files"] if name.startswith("stages") and (old / name).exists()):
        measured = stages.read(old / file)
        if own is None or stages.shared(own, measured) < len(measured):
            kept = f"stages-{manifest['date']}.npz" if file == stages.FILE else file
            shutil.copyfile(old / file, new / kept)


def describe(name, folder, corpus, checkpoint):
    """Measure an exported model and write results.json and card.md beside it; for the store also
    check.npz, PyTorch's own logits of one held-out product."""
    folder, unrounded = Path(folder), model_of(restore(checkpoint)).eval()
    model = load(name, folder.parent)
    results = evaluate(
        model, corpus, unrounded if name in presets.FAMILY else None
    )  # the store isn't rounded
    write_json(results, folder / "results.json")
    if name not in presets.FAMILY:
        row = held_out_rows(model, corpus)["products"][0]
        with torch.inference_mode():
            logits = unrounded(torch.tensor(row)[None])[0].numpy()
        np.savez_compressed(folder / "check.npz", ids=np.array(row), logits=logits)
    card_text = card(name, model.architecture, model.manifest, results)
    (folder / "card.md").write_text(card_text, encoding="utf-8")
    seal(folder, model.manifest)


def seal(folder, manifest):
    """Write the manifest with the checksum of every other file."""
    files = {p.name: sha256(p) for p in sorted(folder.iterdir()) if p.name != "manifest.json"}
    write_json({**manifest, "files": files}, folder / "manifest.json")


def write_json(value, path):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def store_arrays(model):
    """The store's weights as NumPy arrays by the names that engine/store.py uses."""
    names = {n: n.replace("embedding.weight", "embedding") for n in model.state_dict()}
    return {names[n]: np.ascontiguousarray(w.numpy()) for n, w in model.state_dict().items()}
