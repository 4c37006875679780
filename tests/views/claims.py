"""Reading sentences back: the figures and names in them, for tests that hold them against the data."""

import re

_FIGURE = r"[<>±]? ?[−+]?\d[\d,]*(?:\.\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def number(said):
    """The number that a figure on a page stands for: "1.0 × 10³", "−2,000", "∞"."""
    said = said.strip().replace(",", "").replace("−", "-").rstrip("%").strip()
    if said.endswith("∞"):
        return float(said.replace("∞", "inf"))
    first, _, power = said.partition(" × 10")
    return float(first) * 10.0 ** int(power.translate(_DIGITS) or 0)


def stated(pattern, sentence):
    """The numbers at each {} of a pattern in a sentence, or None when the sentence does not say this."""
    parts = [re.escape(part) for part in pattern.split("{}")]
    found = re.search(rf"({_FIGURE}|−?∞)".join(parts), sentence)
    return found and [number(group) for group in found.groups()]


def share(said):
    """The lowest and highest share that a percentage on a page can stand for."""
    said = said.strip()
    if said.startswith("<"):
        return 0.0, number(said[1:]) / 100
    if said.startswith(">"):
        return number(said[1:]) / 100, 1.0
    value = number(said) / 100
    half = 0.5 * 10.0 ** -(len(said.rstrip(" %").partition(".")[2])) / 100
    return value - half - 1e-9, value + half + 1e-9
