"""A pasted config.json goes into the address and comes back whole; what a forger puts there stays small."""

import base64
import json
import random
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.counting import config_text
from tests.engine.counting.configs import CONFIGS
from ui import config_field


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=600))
@settings(deadline=None)
def test_a_text_comes_back_letter_for_letter(text):
    raw = config_field.packed(text)
    assert config_field.unpacked(raw) == text
    assert raw.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("name", CONFIGS)
def test_published_files_fit_the_address(name):
    text = json.dumps(CONFIGS[name], indent=2)
    assert config_field.unpacked(config_field.packed(text)) == text


def test_a_text_that_is_too_long_for_an_address_is_not_packed():
    noise = "".join(random.Random(1).choices("0123456789abcdef", k=9_000))
    assert config_field.packed(noise) is None


def forged(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


BOMB = zlib.compress(b"[" * 2_900_000, 9)


@pytest.mark.parametrize(
    "raw",
    [
        "", "x", "====", "é", "\ud800", "%00", "A" * 4_001, "A" * 4_000, forged(b"no zlib"), forged(BOMB),
        forged(zlib.compress(b"{}")[:-3]), forged(zlib.compress(b"{}") + b"more"),
        forged(zlib.compress(b"\xff\xfe")), forged(zlib.compress(b" " * (config_text.LONGEST + 1), 9)),
    ],
)  # fmt: skip
def test_a_forged_address_is_refused(raw):
    with pytest.raises(ValueError, match=r"long|damaged|decode|padding|base64|ASCII|ascii|data"):
        config_field.unpacked(raw)


def test_a_bomb_takes_no_more_memory_than_the_longest_text():
    assert len(forged(BOMB)) < config_field.LONGEST_IN_ADDRESS
    tracemalloc.start()
    with pytest.raises(ValueError, match="far too long"):
        config_field.unpacked(forged(BOMB))
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()


@given(st.binary(max_size=200) | st.binary(max_size=200).map(zlib.compress))
@settings(deadline=None)
def test_any_bytes_are_a_text_or_refused(content):
    try:
        text = config_field.unpacked(forged(content))
    except ValueError:
        return
    assert text.encode("utf-8") == zlib.decompress(content)
