"""The server names a page's scripts early, and only with a page."""

import pytest

from tests import sessions
from ui import serving

HTML = [(b"content-type", b"text/html; charset=utf-8")]


@pytest.fixture(autouse=True)
def _found_anew():
    serving.links.cache_clear()
    yield
    serving.links.cache_clear()


def answered(status, headers):
    """The headers that a browser gets when the app answers with these."""

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    sent = []

    async def send(message):
        sent.append(message)

    sessions.run(serving.NamedEarly(app)({"type": "http"}, None, send))
    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["headers"]


@pytest.mark.parametrize("script", serving.DRAWN)
def test_what_pages_draw_with_is_a_script_of_this_streamlit(script):
    assert any(name.startswith(f"{script}.") for name in serving.scripts())


def test_the_named_scripts_are_there_and_the_page_does_not_name_them_itself():
    page = (serving.STATIC / "index.html").read_text("utf-8")
    for name in serving.scripts():
        assert (serving.STATIC / "static" / "js" / name).is_file()
        assert name not in page


def test_a_page_names_them_and_nothing_else_does():
    assert answered(200, HTML) == [*HTML, (b"link", serving.links())]
    assert answered(404, HTML) == HTML
    other = [(b"content-type", b"text/javascript")]
    assert answered(200, other) == other
    assert answered(200, []) == []


def test_the_header_fits_into_what_a_proxy_takes():
    assert len(serving.links()) < 3000  # of the 4 kB that nginx keeps for all headers of an answer


def test_below_a_path_they_are_named_below_it(monkeypatch):
    monkeypatch.setattr(serving.st, "get_option", {"server.baseUrlPath": "/explorer/"}.__getitem__)
    assert serving.links().startswith(b"</explorer/static/js/")
