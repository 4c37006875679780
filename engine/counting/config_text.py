"""From the bytes or letters of a config.json to its lines, within bounds; nothing in it is trusted."""

import json
import re
from typing import Any

from engine.errors import ReaderError

LONGEST = 200_000  # letters; a config.json has a few thousand, one with many labels some ten thousand
DEEPEST = 50  # brackets within brackets; a config.json has three or four
_BOM = "\ufeff"
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)  # one that never ends goes to the end


def decoded(content: bytes) -> str:
    """The bytes of a file -> its text: UTF-8, UTF-16 or UTF-32, with a byte-order mark or without.

    Raises ReaderError.
    """
    if len(content) > 4 * LONGEST + 4:
        raise ReaderError(too_long(f"{len(content):,} bytes"))
    try:
        return content.decode(json.detect_encoding(content)).removeprefix(_BOM)
    except UnicodeDecodeError:
        raise ReaderError(
            "This file is no text: neither UTF-8 nor UTF-16. Save it as UTF-8, or paste it."
        ) from None


def parsed(text: str) -> dict[str, Any]:
    """The text of a config.json -> its dict.  Raises ReaderError, in a sentence."""
    text = text.removeprefix(_BOM)
    if len(text) > LONGEST:
        raise ReaderError(too_long(f"{len(text):,} letters"))
    if not text.strip():
        raise ReaderError("Nothing is here yet. Paste a config.json, from { to }.")
    deep = depth(text)
    if deep > DEEPEST:
        raise ReaderError(
            f"This has brackets within brackets {deep:,} deep; a config.json has three or four levels, "
            f"and at most {DEEPEST} are read."
        )
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReaderError(f"This is not JSON: {error.msg} in line {error.lineno}.") from None
    except ValueError:
        raise ReaderError("This is not JSON that can be read: a number in it is too long.") from None
    if not isinstance(data, dict):
        raise ReaderError("A config.json is an object, with { at its beginning; this is not one.")
    return data


def too_long(length: str) -> str:
    """The sentence for a text or file of this length, such as "300,000 letters"."""
    return f"This is {length} long; a config.json has a few thousand, and at most {LONGEST:,} are read."


def depth(text: str) -> int:
    """How many brackets stand within one another at most, those in strings left out."""
    deepest = level = 0
    for bracket in re.findall(r"[\[{}\]]", _STRING.sub("", text)):
        level += 1 if bracket in "[{" else -1
        deepest = max(deepest, level)
    return deepest


def shown(value: Any) -> str:
    """A value as it stands in JSON, cut short."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else text[:59] + "…"
