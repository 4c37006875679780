"""Nicknames of every kind are cleaned: short, seen, on one line, in their own direction."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.names import LONGEST, cleaned
from tests.rooms import odd


@given(
    st.one_of(st.sampled_from(odd.ALL), st.text(max_size=80), st.text("\u0300\u202e\ud800 \nab", max_size=80))
)
def test_a_name_is_short_and_holds_nothing_unseen(typed):
    name = cleaned(typed)
    assert len(name) <= LONGEST
    assert name == name.strip() == cleaned(name)
    assert not [one for one in name if unicodedata.category(one)[0] == "C"]
    assert "  " not in name
    assert name.encode("utf-8").decode("utf-8") == name


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Ada", "Ada"),
        ("  a \n b ", "a b"),
        ("\u202eadA", "adA"),
        ("0\u0300\u0300\x1f\u0300", "0\u0300\u0300"),
    ],
)
def test_what_is_harmless_stays(typed, name):
    assert cleaned(typed) == name


def test_marks_do_not_climb():
    assert sum(unicodedata.category(one) == "Mn" for one in cleaned("Zalgo" + "\u0335" * 40)) <= 2


def test_contributing_names_every_kind_that_is_tested():
    told = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = told.split("## What phones may send")[1].split("\n## ")[0]
    kinds = [line.removeprefix("| ").split(" | ")[0].strip() for line in section.splitlines() if "|" in line]
    assert kinds[2:] == list(odd.KINDS)
