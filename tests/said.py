"""Reading the numbers back out of a sentence, so that a test can compute what it claims."""

import re

NUMBER = r"(−?\d[\d,]*(?:\.\d+)?)"


def number(text):
    """ "−1,234.5" -> -1234.5"""
    return float(text.replace(",", "").replace("−", "-"))


def numbers(pattern, said):
    """The numbers at each # of a pattern, the rest literal; None where the sentence has none."""
    found = re.search(NUMBER.join(map(re.escape, pattern.split("#"))), said)
    return None if found is None else [number(group) for group in found.groups()]


def close(shown, true, digits=3):
    """Whether a number is the true one, rounded to so many digits."""
    return abs(shown - true) <= abs(true) * 0.51 * 10 ** (1 - digits) + 1e-9


def every_number(said):
    """All numbers of a sentence, in order."""
    return [number(one) for one in re.findall(NUMBER, said)]
