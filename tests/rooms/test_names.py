"""Nicknames of every kind are cleaned: short, seen, on one line, in their own direction."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.names import LONGEST, cleaned

ODD = [
    "", " ", "Ada", "<b>Ada</b>", "$x$", "\u202eadA", "a" * 9000, "\ud800", "Z" + "\u0300" * 90 + "algo",
    "line\nline", "\x00\x07\x1b[31m", "🦖", "👩\u200d👩\u200d👧", "שלום", "\u200b\u200b", "&lt;i&gt;",
    "'; DROP TABLE voters; --", "](x)", ":red[x]", "\ufeff", "   a   b   ", "<|end|>", "\u0300x",
]  # fmt: skip


@given(st.one_of(st.sampled_from(ODD), st.text(max_size=80), st.text("\u0300\u202e\ud800 \nab", max_size=80)))
def test_a_name_is_short_and_holds_nothing_unseen(typed):
    name = cleaned(typed)
    assert len(name) <= LONGEST
    assert name == name.strip() == cleaned(name)
    assert not [one for one in name if unicodedata.category(one)[0] == "C"]
    assert "  " not in name
    assert name.encode("utf-8").decode("utf-8") == name


@pytest.mark.parametrize(("typed", "name"), [("Ada", "Ada"), ("  a \n b ", "a b"), ("\u202eadA", "adA")])
def test_what_is_harmless_stays(typed, name):
    assert cleaned(typed) == name


def test_marks_do_not_climb():
    assert sum(unicodedata.category(one) == "Mn" for one in cleaned("Zalgo" + "\u0335" * 40)) <= 2
