"""Several hundred texts that nobody expects, made from a few dozen."""

import itertools
import random

PLAIN = [
    "", " ", "\n", "a", "A", ".", "!", "!!! !!! !!!", "a a a a a a", "the the the", "0", "1",
    "1 2 3 4 5", "3.14159", "1e400", "None", "nan", "the old man and the old man",
    "Zorbin met Zorbin.", "Tom. Tom. Tom.", "Once upon a time there was",
    "She said: “No.” He said: \"No.\"", "def f(x):\n    return x  # twice",
    "SELECT * FROM a WHERE b = 1;", "\t\t\t", "a\u00a0b", "\u200b\u200b", "\u202eabc\u202c",
    "שלום עליכם שלום עליכם", "مرحبا مرحبا", "こんにちは、世界", "你好你好", "Привет, мир", "Ελληνικά",
    "ñandú añejo", "🦖", "🦖🦖🦖", "👩\u200d👩\u200d👧", "e\u0301e\u0301", "\x00", "\x07\x1b[31m", "\ufeff",
    "\ufffd", "<b>zq</b> $zq$ *zq* [zq](zq) :red[zq]", "<|end|>", "<|end|><|end|>", "&lt;b&gt;",
    "`code`", "\\", "\\n", "%s %d {} {0}", "../../etc/passwd", "'; DROP TABLE a; --",
    "Supercalifragilisticexpialidocious", "x" * 300, "ab" * 200, "word " * 700, "Bag\nfor Zorbin",
    "A bag\n\n\nfor you", "\nno name", "name\n", "Cat cat CAT cAt", "one, two, one, two, one, two",
    "Lily saw Ben. Ben saw Lily.",
]  # fmt: skip


def every(count=300):
    """The texts above, then joined and cut by chance, always the same."""
    dice, made = random.Random(7), list(PLAIN)
    for left, right in itertools.islice(iter(lambda: dice.sample(PLAIN, 2), None), 4 * count):
        made.append((left + dice.choice(["", " ", "\n", ". "]) + right)[: dice.choice([3, 9, 40, 400, 2500])])
    return list(dict.fromkeys(made))[:count]
