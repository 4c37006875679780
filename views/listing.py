"""Source text as rows of coloured pieces, for showing it line by line."""

import io
import keyword
import tokenize
from functools import lru_cache

# What a piece is, in one letter: keyword, comment, text (strings and docstrings), name that is defined.
_KINDS = {tokenize.COMMENT: "c", tokenize.STRING: "t"}


@lru_cache(maxsize=16)
def rows(text):
    """Python source -> one list for each line of [kind, piece] pairs; the pieces of a line make it up.

    kind: "k" keyword, "c" comment, "t" text, "d" a name being defined, "" anything else.
    """
    lines = text.splitlines()
    kinds = [[""] * len(line) for line in lines]
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = _KINDS.get(token.type, "")
        if token.type == tokenize.NAME:
            defines = before in ("def", "class")
            kind = "d" if defines else "k" if keyword.iskeyword(token.string) else ""
            before = token.string
        if kind:
            (first, start), (last, end) = token.start, token.end
            for number in range(first, last + 1):
                row = kinds[number - 1]
                left = start if number == first else 0
                right = min(end, len(row)) if number == last else len(row)
                row[left:right] = [kind] * (right - left)
    return tuple(_pieces(line, row) for line, row in zip(lines, kinds, strict=True))


def _pieces(line, kinds):
    found = []
    for letter, kind in zip(line, kinds, strict=True):
        if found and found[-1][0] == kind:
            found[-1][1] += letter
        else:
            found.append([kind, letter])
    return found


def span(lines):
    """((28, 42), (117, 117)) -> "lines 28–42 and 117" """
    said = [str(first) if first == last else f"{first}–{last}" for first, last in lines]
    word = "line" if len(said) == 1 and "–" not in said[0] else "lines"
    return f"{word} {', '.join(said[:-1])}{' and ' if len(said) > 1 else ''}{said[-1]}"
