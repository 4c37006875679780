"""Sharing: the address that others can open, without what is the sharer's own, and its QR code."""

import io

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from tests.pages.reader import Reader
from ui import address, share
from views import qr


@pytest.fixture
def listening(monkeypatch):
    """Set the address that the server listens on, and the one the browser used."""

    def listen(on, used):
        monkeypatch.setattr(st, "get_option", {"server.address": on, "server.port": 8501}.get)
        monkeypatch.setattr(type(st.context), "url", property(lambda _: used))
        monkeypatch.setattr(address, "own_address", lambda: "192.0.2.7")

    monkeypatch.delenv(address.OUTER, raising=False)
    return listen


@pytest.mark.parametrize(("on", "used", "found"), [
    ("127.0.0.1", "http://localhost:8501/lens", ("http://localhost:8501", False)),
    ("0.0.0.0", "http://localhost:8501/lens", ("http://192.0.2.7:8501", True)),
    (None, "http://127.0.0.1:8501", ("http://192.0.2.7:8501", True)),
    ("0.0.0.0", "https://explorer.example/lens", ("https://explorer.example", True)),
    ("::1", "http://[::1]:8501/", ("http://[::1]:8501", False)),
    (None, None, ("http://192.0.2.7:8501", True)),
])  # fmt: skip
def test_the_outer_address_is_one_that_others_reach_or_it_is_said_so(listening, on, used, found):
    listening(on, used)
    assert address.outer() == found


def test_the_name_that_is_set_wins(listening, monkeypatch):
    listening("127.0.0.1", "http://localhost:8501")
    monkeypatch.setenv(address.OUTER, " https://explorer.school.example/ ")
    assert address.outer() == ("https://explorer.school.example", True)


def test_what_lets_one_steer_is_not_shared():
    made = share.state("/guess", "?room=ABCD&steer=secret&embed=true&text=name")
    assert made == "/join?room=ABCD"  # others are led to joining
    assert share.state("/guess", "?steer=secret&text=name") == "/guess?text=name"


@given(some.text(), some.text())
def test_whatever_the_browser_tells_the_address_is_of_this_server(path, query):
    made = share.state(path, query)
    assert made.startswith("/")
    assert not made.startswith("//")
    assert made.isascii()
    assert "steer=" not in made or "steer=" in query.replace("&steer=", "")


@pytest.mark.parametrize("text", ["http://localhost:8501/lens?text=name", "x" * 1400, "x" * 2900])
def test_a_qr_code_holds_the_address(text):
    zxingcpp = pytest.importorskip("zxingcpp")
    import segno
    from PIL import Image

    code = segno.make(text, error="m" if len(text) < qr.LOW else "l", micro=False)
    out = io.BytesIO()
    code.save(out, kind="png", scale=4, border=qr.QUIET)
    assert zxingcpp.read_barcode(Image.open(out)).text == text
    assert qr.uri(text).startswith("data:image/svg+xml")


def test_an_address_too_long_for_a_code_has_none():
    assert qr.uri("x" * 5_000) == ""
    assert qr.image("x" * 5_000, "9rem") == ""


def test_every_page_has_the_button_and_an_embedded_one_has_none(monkeypatch):
    def has():
        return any("share" in one for one, _ in Reader("norm", model="gpt-1").components())

    assert has()
    monkeypatch.setattr(type(st.context), "is_embedded", property(lambda _: True))
    assert not has()
