"""Addresses that nobody's page would write: for the tests, and in thousands for bench/forged_addresses.py."""

import random
import re
from functools import cache

from tests.pages.reader import APP, Reader, page_names

TEXTS = [
    "", " ", "a", "!!! !!! !!!", "\x00\x07\x1b", "\u202eשלום עليكم", "🦖👩\u200d👩\u200d👧", "<b>$x$</b>",
    "<|end|>", "the old man and the old man", "$$", "`", "](x)", ":red[x]", "&lt;", "\ufeff\ufffd",
    "a " * 3000,
    "word" * 9000, "0", "-0", "None", "nan",
]  # fmt: skip
NUMBERS = [
    "-1", "0", "1", "2", "7", "8", "511", "512", "1023", "1024", "99999", "1000001", "1e400", "1e-400", "NaN",
    "inf", "٣", "1_0", "+1", " 1", "0x1", "1.5", "9" * 5000, "1" * 400,
]  # fmt: skip
NESTED = [
    "[" * 1000, "{" * 1000, '{"1":' * 500, '{"1": [' + "[" * 2000 + "]" * 2000 + "]}", "[[[]]]", "{}",
    '{"1": null}',
]  # fmt: skip
PARTS = [
    "1.1", "0.0", "3a.2", "a.", ".", "1,2,3,4", "50,50,50,50", "1,,", "2-3", "own", "store", "sprout",
    "gpt-1", "1", "true", "x", "deadbeef.1-2-3", "00000000." + "-".join(["5"] * 4000), "model", "%00", "null",
]  # fmt: skip
# Names that the pages put together or keep in a table.
BUILT = (
    "own", "own_product", "text", "product", "prompt", "product_prompt", "a", "b", "a.d", "a.V", "guess4",
    "cell", "grid", "order", "shown", "covered", "guesses",
)  # fmt: skip
ALL = (*TEXTS, *NUMBERS, *NESTED, *PARTS)


@cache
def names():
    """Every name that an address may hold, as the pages read them."""
    files = [*APP.parent.glob("pages/*.py"), *APP.parent.glob("ui/**/*.py")]
    found = {name for one in files for name in re.findall(r'choice\.get\(\s*"([\w.]+)"', one.read_text())}
    return sorted(found | set(BUILT))


def address(seed):
    """(page, {name: value}): a page and one to five choices, forged from this seed."""
    dice = random.Random(seed)
    forged = {name: dice.choice(ALL) for name in dice.sample(names(), dice.randint(1, 5))}
    if "own" in forged:
        forged["text"] = "own"
    forged.setdefault("model", dice.choice(["gpt-1", "store", "gpt-1", "store", "gpt-4", "x"]))
    return dice.choice(page_names()), forged


def complaint(seed):
    """What is wrong on the page that a forged address leads to, in a sentence, or None."""
    page, forged = address(seed)
    reader = Reader(page, **forged)
    trouble = [one for one in reader.trouble() if not one.startswith("warning")]
    return f"seed {seed}, {page}, {str(forged)[:300]}: {trouble}" if trouble else None
