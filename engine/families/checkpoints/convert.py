"""A GGUF file into a folder of safetensors, once: run as a program, so that it can be ended at any time.

    python -m engine.families.checkpoints.convert FILE FOLDER

transformers' own reader does the work.  Prints the share that is done, a line each time; the folder appears
when it is whole, and not before.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.families.checkpoints import gguf_header
from engine.families.checkpoints.layouts import LAYOUTS

Told = Callable[[float], None]
_OLD = 600  # seconds
_TENSORS, _TOKENIZER = 0.6, 0.65  # shares of the whole, by the time each step takes


def convert(path: Path, folder: Path, told: Told) -> None:
    """Write folder/ from a GGUF file.  Raises one of many errors for a file it can't read."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from safetensors.torch import save_file
    from transformers import CONFIG_MAPPING, AutoTokenizer

    parsed = _parsed(path, _empty(path), lambda share: told(_TENSORS * share))
    declared = gguf_header.config(gguf_header.read(path))
    if "head_dim" in declared:  # which the reader leaves out, and a Qwen3 is then taken for one with 128
        parsed["config"]["head_dim"] = declared["head_dim"]
    config = CONFIG_MAPPING[parsed["config"].pop("model_type")](**parsed["config"])
    layout = LAYOUTS[config.model_type]
    if config.tie_word_embeddings:
        parsed["tensors"].pop(f"{layout.modules['output']}.weight", None)
    half = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    half.mkdir(parents=True)
    tensors = {name: tensor.contiguous() for name, tensor in parsed["tensors"].items()}
    save_file(tensors, half / "model.safetensors")
    config.architectures = [layout.network]
    config.save_pretrained(half)
    told(_TOKENIZER)
    alone = _alone(path, half)  # nothing that lies beside the file is taken for a part of it
    never = {"local_files_only": True, "trust_remote_code": False}
    AutoTokenizer.from_pretrained(alone, gguf_file=path.name, **never).save_pretrained(half)
    shutil.rmtree(alone)
    _finish(half, folder)
    told(1.0)


def _alone(path: Path, half: Path) -> Path:
    """A folder that holds the file and nothing else."""
    alone = half / "alone"
    alone.mkdir()
    try:
        (alone / path.name).symlink_to(path.resolve())
    except OSError:  # Windows lets few make links
        shutil.copy(path, alone)
    return alone


def _finish(half: Path, folder: Path) -> None:
    """Let the folder appear; where another server was quicker, its folder stays."""
    try:
        half.replace(folder)
    except OSError:
        if not folder.exists():
            raise
        shutil.rmtree(half, ignore_errors=True)


def _empty(path: Path) -> Any:
    """The library's network without numbers: it tells transformers' reader what each tensor is called."""
    import torch
    from transformers import CONFIG_MAPPING

    told = gguf_header.config(gguf_header.read(path))
    layout = LAYOUTS[told.pop("model_type")]
    with torch.device("meta"):
        return getattr(import_module(layout.module), layout.network)(CONFIG_MAPPING[layout.kind](**told))


def _parsed(path: Path, network: Any, told: Told) -> dict[str, Any]:
    """What transformers' reader makes of the file: its config and its tensors."""
    reader = import_module("transformers.modeling_gguf_pytorch_utils")

    def steps(tensors: Iterable[Any], **_more: Any) -> Iterator[Any]:
        every = list(tensors)
        for number, one in enumerate(every, start=1):
            yield one
            told(number / len(every))

    reader.tqdm = steps  # type: ignore[attr-defined]  # its progress bar, which is for a terminal
    return reader.load_gguf_checkpoint(str(path), return_tensors=True, model_to_load=network)


def remove_halves(folder: Path) -> None:
    """Take away what conversions into this folder left that were ended; one that goes on is younger."""
    for half in folder.parent.glob(f"{folder.name}.part-*"):
        if time.time() - half.stat().st_mtime > _OLD:
            shutil.rmtree(half, ignore_errors=True)


def main(arguments: list[str]) -> int:
    """The program."""
    path, folder = map(Path, arguments)
    try:
        convert(path, folder, lambda share: print(f"{share:.3f}", flush=True))
    except Exception as error:  # whatever it is, the parent tells it in a sentence
        print(f"error {type(error).__name__}: {' '.join(str(error).split())[:200]}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
