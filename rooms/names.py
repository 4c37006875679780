"""Nicknames: short, harmless on a projector, and no longer than they look."""

import unicodedata

LONGEST = 16  # letters
_MARKS = 2  # on one letter: more climb over the lines above


def cleaned(typed: str) -> str:
    """A typed nickname as it is kept: letters, figures, spaces and a few signs, at most 16; "" for none.

    Control characters, direction marks, line ends and lone surrogates go; marks on a letter are kept, two
    at most.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", typed[:500]):
        kind = unicodedata.category(letter)
        marks = marks + 1 if kind[0] == "M" else 0
        if kind[0] == "Z":
            kept.append(" ")
        elif (
            (kind[0] in "LNSP" or kind[0] == "M")
            and marks <= _MARKS
            and (not marks or kept[-1:] not in ([], [" "]))
        ):
            kept.append(letter)
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))[:LONGEST].strip()
