"""Nicknames: short, harmless on a projector, and no longer than they look."""

import unicodedata

LONGEST = 16  # letters
_MARKS = 2  # on one letter: more climb over the lines above


def cleaned(typed: str) -> str:
    """A typed nickname as it is kept: letters, figures, spaces and a few signs, at most 16; "" for none.

    Control characters, direction marks, line ends and lone surrogates go; marks on a letter are kept, two
    at most.
    """
    seen = "".join(one for one in typed[:500] if unicodedata.category(one)[0] in "LNSPMZ")
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", seen):
        kind = unicodedata.category(letter)[0]
        marks = marks + 1 if kind == "M" else 0
        if kind == "Z":
            kept.append(" ")
        elif marks <= _MARKS and (not marks or kept[-1:] not in ([], [" "])):
            kept.append(letter)
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))[:LONGEST].strip()
