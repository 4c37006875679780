"""deploy/nginx.conf.template before two small servers: who answers, what is closed, where the limits are."""

import asyncio
import contextlib
import http.client
import re
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
import websockets.exceptions
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import ClientConnection, connect

from tests.deploy import nginx
from tests.test_architecture import ROOT

pytestmark = nginx.needs_nginx

BASES = pytest.mark.parametrize("base", ["", "/explorer"])
CONFIG = ROOT / ".streamlit" / "config.toml"
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]


@dataclass
class App:
    """Stands for an app process: says which it is, and keeps what it was asked."""

    port: int = field(default_factory=nginx.free_port)
    asked: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    headers: dict[str, str] = field(default_factory=dict)

    async def answer(self, request: Request) -> Response:
        self.asked.append(f"{request.method} {request.url.path}")
        self.headers = dict(request.headers)
        await request.body()
        if "/media/" in request.url.path and request.url.path not in self.files:
            return PlainTextResponse("not here", 404)
        kept = (
            {"Cache-Control": "public, immutable, max-age=31536000"} if "/static/" in request.url.path else {}
        )
        return PlainTextResponse(str(self.port), headers={"Content-Type": "text/javascript", **kept})

    async def talk(self, socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(str(self.port))
        with contextlib.suppress(Exception):
            await socket.receive_text()

    @contextlib.contextmanager
    def running(self) -> Iterator[uvicorn.Server]:
        paths = [
            WebSocketRoute("/{path:path}", self.talk),
            Route("/{path:path}", self.answer, methods=METHODS),
        ]
        config = uvicorn.Config(
            Starlette(routes=paths), port=self.port, log_level="error", lifespan="off", ws="websockets-sansio"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield server
        finally:
            server.force_exit = server.should_exit = True
            thread.join(10)


@dataclass
class Site:
    """Two apps with nginx before them, as a browser sees them."""

    apps: list[App]
    servers: list[uvicorn.Server]
    proxy: nginx.Proxy
    folder: Path
    base: str

    def connect(self) -> http.client.HTTPSConnection:
        where = urlsplit(self.proxy.url)
        return http.client.HTTPSConnection(where.hostname, where.port, context=nginx.trusting(self.folder))

    def ask(
        self, path: str, method: str = "GET", body: bytes = b"", reader: str = ""
    ) -> tuple[int, dict, str]:
        """Status, headers and text of an answer. reader: the number in their cookie."""
        with contextlib.closing(self.connect()) as connection:
            cookie = {"Cookie": f"sprout_reader={reader}"} if reader else {}
            connection.request(method, self.base + path, body=body or None, headers=cookie)
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, headers, answer.read().decode()

    def asked(self) -> list[str]:
        return [one for app in self.apps for one in app.asked]

    def open_session(self, reader: str = "") -> "Session":
        address = self.proxy.url.replace("https", "wss") + "/_stcore/stream"
        cookie = {"Cookie": f"sprout_reader={reader}"} if reader else {}
        return Session(address, ssl=nginx.trusting(self.folder), additional_headers=cookie)


class Session:
    """A websocket that one thread alone reads and writes.

    websockets.sync reads in one thread and writes in another, and OpenSSL can't do both at once for one
    connection: now and then, the request for the handshake was lost.
    """

    def __init__(self, address: str, **more: object) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        try:
            self.socket = self._done(self._opened(address, **more))
        except BaseException:
            self._end()
            raise

    async def _opened(self, address: str, **more: object) -> ClientConnection:
        return await connect(address, proxy=None, ping_interval=None, **more)

    def _done(self, work: Coroutine) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def _end(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()

    def recv(self) -> str | bytes:
        return self._done(self.socket.recv())

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._done(self.socket.close())
        finally:
            self._end()


@contextlib.contextmanager
def site(folder: Path, base: str = "", **values: str) -> Iterator[Site]:
    apps = [App(), App()]
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(app.running()) for app in apps]
        proxy = stack.enter_context(nginx.running(folder, [app.port for app in apps], base, **values))
        yield Site(apps, servers, proxy, folder, base)


def reader(number: int) -> str:
    return f"{number:032x}"


@BASES
def test_a_reader_stays_with_one_process_and_readers_spread_over_both(base, tmp_path):
    with site(tmp_path, base) as here:
        first = {number: here.ask("/lens", reader=reader(number))[2] for number in range(40)}
        assert min(Counter(first.values()).values()) >= 8
        for number in range(0, 40, 7):
            assert here.ask("/_stcore/health", reader=reader(number))[2] == first[number]
            with here.open_session(reader(number)) as session:
                assert session.recv() == first[number]
        assert len({here.ask("/lens")[2] for _ in range(5)}) == 1, "without a cookie, the address counts"
        assert len({here.ask("/lens", reader=f"chosen{n}")[2] for n in range(20)}) == 1


@BASES
def test_a_reader_gets_one_cookie_that_no_script_reads(base, tmp_path):
    with site(tmp_path, base) as here:
        cookie = here.ask("/")[1]["set-cookie"]
        assert cookie.startswith("sprout_reader=")
        assert cookie.endswith(f"; Path={base}/; HttpOnly; Secure; SameSite=Lax")
        number = cookie.split("=")[1].split(";")[0]
        assert "set-cookie" not in here.ask("/", reader=number)[1]
        assert here.ask("/", reader="forged")[1]["set-cookie"].startswith("sprout_reader=")


@BASES
def test_every_answer_has_the_security_headers(base, tmp_path):
    paths = ("/", "/lens?text=a", "/static/js/a.js", "/_stcore/health", "/_stcore/metrics", "/media/none.csv")
    with site(tmp_path, base, SITE_FRAMED_BY="https://school.example.org") as here:
        answers = [here.ask(path) for path in paths]
        assert [status for status, _, _ in answers] == [200, 200, 200, 200, 404, 404]
        for _, headers, _ in [*answers, here.ask("/", "POST"), here.ask("/", "PUT", b"x" * 2000)]:
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["strict-transport-security"] == "max-age=31536000"
            policy = headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; ")
            assert policy.endswith("; frame-ancestors https://school.example.org")
            assert "unsafe-eval" not in policy
            assert headers.get("server", "nginx") == "nginx"


@BASES
def test_inner_addresses_are_closed_and_never_asked_for(base, tmp_path):
    closed = ("metrics", "script-health-check", "agent/interact", "agent/mcp", "agent/openapi.json", "", "x")
    with site(tmp_path, base) as here:
        for path in closed:
            assert here.ask(f"/_stcore/{path}")[0] == 404, path
        for odd in ("//_stcore/metrics", "/_stcore//metrics", "/%5fstcore/metrics", "/a/../_stcore/metrics"):
            assert here.ask(odd)[0] in (400, 404), odd
        assert not here.asked()
        for path in ("health", "host-config", "bidi-components/a/b.js"):
            assert here.ask(f"/_stcore/{path}")[0] == 200, path


def test_outside_the_base_path_is_nothing(tmp_path):
    with site(tmp_path, "/explorer") as here:
        here.base = ""
        assert [here.ask(path)[0] for path in ("/", "/lens", "/_stcore/health")] == [404, 404, 404]
        status, headers, _ = here.ask("/explorer")
        assert (status, headers["location"]) == (301, "/explorer/")
        assert not here.asked()


def test_the_app_hears_the_name_that_the_reader_typed(tmp_path):
    with site(tmp_path) as here:
        here.ask("/")
        heard = next(app for app in here.apps if app.asked).headers
        assert f"https://{heard['host']}" == here.proxy.url
        assert (heard["x-forwarded-for"], heard["x-forwarded-proto"]) == ("127.0.0.1", "https")


def test_without_tls_a_reader_is_sent_on_with_the_address_whole(tmp_path):
    with site(tmp_path) as here:
        where = urlsplit(here.proxy.plain_url)
        connection = http.client.HTTPConnection(where.hostname, where.port)
        connection.request("GET", "/lens?text=a%20b")
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("location")) == (301, f"{here.proxy.url}/lens?text=a%20b")
        connection.close()


def test_streamlits_files_are_asked_for_once_and_sent_packed(tmp_path):
    with site(tmp_path) as here:
        for query in ("", "?a", "?b"):
            status, headers, _ = here.ask(f"/static/js/index.js{query}")
            assert (status, headers["cache-control"]) == (200, "public, immutable, max-age=31536000")
        assert here.asked() == ["GET /static/js/index.js"]


def test_what_readers_typed_is_not_logged(tmp_path):
    with site(tmp_path) as here:
        assert here.ask("/lens?text=a+secret")[0] == 200
        while '"GET /lens" 200' not in here.proxy.log():  # nginx logs once the answer is out
            time.sleep(0.02)
        assert "secret" not in here.proxy.log()


def test_the_longest_address_passes_and_a_longer_one_is_refused(tmp_path):
    with site(tmp_path) as here:
        assert here.ask("/lens?text=" + "%C3%A4" * 10_000)[0] == 200
        assert here.ask("/lens?text=" + "a" * 70_000)[0] == 414
        assert len(here.asked()) == 1


def test_pages_take_no_body_and_an_upload_has_its_limit(tmp_path):
    upload = "/_stcore/upload_file/session/file"
    most = 1024 * 1024 * tomllib.loads(CONFIG.read_text("utf-8"))["server"]["maxUploadSize"]
    with site(tmp_path) as here:
        for method in ("POST", "PUT", "DELETE"):
            assert here.ask("/lens", method)[0] == 403
        assert here.ask("/lens", "POST", b"x" * 2000)[0] == 413
        assert not here.asked()
        assert here.ask(upload, "PUT", b"x" * (most + 2000))[0] == 200
        assert here.ask(upload, "PUT", b"x" * (most + 100_000))[0] == 413
        assert here.asked() == [f"PUT {upload}"]


def test_a_flood_of_uploads_is_held_back(tmp_path):
    with site(tmp_path) as here:
        started = time.monotonic()
        status = Counter(here.ask("/_stcore/upload_file/s/f", "PUT", b"x")[0] for _ in range(60))
        assert set(status) <= {200, 429}
        assert 20 <= status[200] <= 21 + 2 * (time.monotonic() - started)


def test_a_class_opens_at_once_and_a_flood_of_pages_is_held_back(tmp_path):
    with site(tmp_path) as here, contextlib.closing(here.connect()) as connection:

        def ask(path: str) -> int:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status

        started = time.monotonic()
        assert {ask(f"/lens?text={number}") for number in range(30 * 8)} == {200}
        flood = Counter(ask("/") for _ in range(2500))
        assert set(flood) <= {200, 429}
        assert 240 + flood[200] <= 501 + 200 * (time.monotonic() - started)


def refused(here: Site, number: str) -> int:
    """The status with which a session is refused; 101 if it is opened."""
    try:
        with here.open_session(number):
            return 101
    except websockets.exceptions.InvalidStatus as told:
        return told.response.status_code


def test_readers_at_once_from_one_address_and_in_all_are_bounded(tmp_path):
    for limits in ({"SITE_AT_ONCE": "5"}, {"SITE_AT_ONCE_IN_ALL": "5"}):
        folder = tmp_path / next(iter(limits))
        folder.mkdir()
        with site(folder, **limits) as here, contextlib.ExitStack() as stack:
            for number in range(5):
                stack.enter_context(here.open_session(reader(number)))
            assert refused(here, reader(5)) == 429
            stack.close()
            deadline = time.monotonic() + 10
            while True:
                with contextlib.suppress(websockets.exceptions.InvalidStatus), here.open_session():
                    break
                assert time.monotonic() < deadline, "who leaves makes room"
                time.sleep(0.05)


def test_readers_of_a_process_that_is_gone_are_served_by_the_other(tmp_path):
    with site(tmp_path) as here:
        before = {number: here.ask("/", reader=reader(number))[2] for number in range(12)}
        lost, kept = (str(app.port) for app in here.apps)
        assert {lost, kept} == set(before.values())
        here.servers[0].force_exit = here.servers[0].should_exit = True
        while nginx.listens(int(lost)):
            time.sleep(0.02)
        for number in before:
            status, _, who = here.ask("/lens?text=kept", reader=reader(number))
            assert (status, who) == (200, kept)
            with here.open_session(reader(number)) as session:
                assert session.recv() == kept


def test_a_file_to_take_away_is_found_on_whichever_process_made_it(tmp_path):
    with site(tmp_path) as here:
        for app in here.apps:
            app.files.add(f"/media/{app.port}.csv")
        for number in range(6):
            for app in here.apps:
                assert here.ask(f"/media/{app.port}.csv", reader=reader(number))[0] == 200
        assert here.ask("/media/none.csv", reader=reader(1))[0] == 404


def test_the_file_tells_of_each_setting_that_it_asks_for():
    text = nginx.TEMPLATE.read_text("utf-8")
    assert set(re.findall(r"\$\{(SITE_\w+)\}", text)) == set(
        re.findall(r"^#   (SITE_\w+) ", text, re.MULTILINE)
    )
