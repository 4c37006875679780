"""Files of a folder that is not trusted: only plain ones are opened, and what is told of them can be shown.

A pipe would be waited for, and a device never ends.
"""

import unicodedata
from pathlib import Path

from engine.errors import ReaderError


def check(path: Path) -> None:
    """Raise ReaderError for what is there and no plain file, or may not be looked at."""
    try:
        odd = path.exists() and not path.is_file()
    except OSError as error:
        raise ReaderError(f"{path.name} can't be read ({why(error)}).") from error
    if odd:
        raise ReaderError(f"{path.name} is no file: a folder, a pipe or a device of that name lies there.")


def why(error: BaseException) -> str:
    """What went wrong with a file, in a few words and without its path."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error)[:120]


def showable(sentence: str) -> str:
    """A sentence that may hold names from a file, as a page can show it: each letter stands for itself."""
    whole = sentence.encode("utf-8", "replace").decode("utf-8")
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Co", "Cn") else c for c in whole)
