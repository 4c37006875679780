"""A tokenizer without its tokenizer.json: vocab.json and merges.txt, put together by transformers.

The two files tell the pieces and how they are merged, and not how a text is cut before that.  That is known
where a family has one way of its own, which the library's class for it holds.
"""

import json
from pathlib import Path
from typing import Any

from engine.errors import ReaderError
from engine.families.checkpoints import plain_files

VOCABULARY, MERGES = FILES = ("vocab.json", "merges.txt")
# {model_type: (the library's module, its class)}: families whose own tokenizers all cut a text alike.
CLASSES = {
    "gpt2": ("transformers.models.gpt2", "GPT2Tokenizer"),
    "gpt_neox": ("transformers.models.gpt_neox", "GPTNeoXTokenizer"),
    "qwen2": ("transformers.models.qwen2", "Qwen2Tokenizer"),
    "qwen3": ("transformers.models.qwen2", "Qwen2Tokenizer"),
}
_BESIDE = ("tokenizer_config.json", "added_tokens.json", "special_tokens_map.json")  # they name markers
_WRITE = (
    "Write it with transformers, where the model came from: "
    "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)."
)


def files(folder: Path, kind: str, largest: int) -> list[str]:
    """The files that make the tokenizer of a folder without a tokenizer.json; all can be read.

    kind: its model_type; largest: bytes of a file.  Raises ReaderError with the obstacle.
    """
    if not all((folder / name).is_file() for name in FILES):
        raise ReaderError(f"tokenizer.json is missing{_instead(folder)}. {_WRITE}")
    _check_class(folder, kind)
    found = [*FILES, *(name for name in _BESIDE if (folder / name).exists())]
    for name in found:
        plain_files.check(folder / name)
        if (folder / name).stat().st_size > largest:
            raise ReaderError(f"{name} has more than {largest:,} bytes, more than any tokenizer.")
    pieces = _read(folder, VOCABULARY)
    if not isinstance(pieces, dict) or not pieces or not all(type(one) is int for one in pieces.values()):
        raise ReaderError(f"{VOCABULARY} is damaged: it does not give every piece its number.")
    return found


def _instead(folder: Path) -> str:
    """What else lies there that other programs read."""
    for name in ("tokenizer.model", "spiece.model"):
        if (folder / name).is_file():
            return f", and {name} is SentencePiece's own file, which takes a package that is not used here"
    return ""


def _check_class(folder: Path, kind: str) -> None:
    """Raise ReaderError where another way of cutting a text than the family's own is meant, or may be."""
    told = _read(folder, _BESIDE[0]) if (folder / _BESIDE[0]).exists() else {}
    told = told.get("tokenizer_class") if isinstance(told, dict) else None
    own = CLASSES.get(kind, ("", ""))[1]
    if own and (told is None or str(told).removesuffix("Fast") == own):
        return
    said = f" ({str(told)[:40]})" if told is not None else ""
    raise ReaderError(
        f"tokenizer.json is missing. {VOCABULARY} and {MERGES} do not say how a text is cut before it is "
        f"merged, and this {kind} may do it in several ways{said}. {_WRITE}"
    )


def _read(folder: Path, name: str) -> Any:
    plain_files.check(folder / name)
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ReaderError(f"{name} can't be read ({type(error).__name__}).") from error


def put_together(folder: Path, kind: str) -> str:
    """The tokenizer.json that the library makes of these files, as text.  Raises ReaderError."""
    from importlib import import_module

    module, name = CLASSES[kind]
    try:
        made = getattr(import_module(module), name).from_pretrained(folder, local_files_only=True)
    except Exception as error:  # whatever it stumbles over
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
        raise ReaderError(
            f"The transformers library makes no tokenizer of {VOCABULARY} and {MERGES} ({said})."
        ) from error
    return str(made.backend_tokenizer.to_str())
