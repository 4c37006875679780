"""What the server itself does, beside the readers' runs: it imports early, and names a page's scripts early.

A browser learns which of Streamlit's scripts draw an element when it meets one, and the first reader's run
waits for imports.  Both can begin before.
"""

import re
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from ui import warm

STATIC = Path(st.__file__).parent / "static"
# What every page draws with, by the names that Streamlit gives the scripts; one that is not there is left
# out.
DRAWN = ("BidiComponent", "Selectbox", "Html", "PageLink")
_IMPORTED = re.compile(r"""\bfrom\s*["'`]\./([\w.-]+\.js)["'`]""")


@asynccontextmanager
async def lifespan(_app):
    """While the server runs: what readers share is imported from the start on."""
    warm.begin()
    yield {}


def middleware():
    """What every answer goes through."""
    return [Middleware(NamedEarly)]


class NamedEarly:
    """Names the scripts together with the page, so that a browser fetches them while it connects."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        async def named(message):
            if message["type"] == "http.response.start" and _is_page(message):
                warm.came()
                message = {**message, "headers": [*message["headers"], (b"link", links())]}
            await send(message)

        await self.app(scope, receive, named if scope["type"] == "http" else send)


def _is_page(answer):
    kind = dict(answer["headers"]).get(b"content-type", b"")
    return answer["status"] == 200 and kind.startswith(b"text/html")


@cache
def links():
    """The header that names them, after what the page itself asks for."""
    base = st.get_option("server.baseUrlPath").strip("/")
    where = f"/{base}/static/js" if base else "/static/js"
    return ", ".join(f"<{where}/{one}>; rel=modulepreload; fetchpriority=low" for one in scripts()).encode()


@cache
def scripts():
    """The names of those scripts, with what they import and the page does not ask for by itself."""
    folder, page = STATIC / "static" / "js", (STATIC / "index.html").read_text("utf-8")
    found, waiting = {}, [path.name for one in DRAWN for path in sorted(folder.glob(f"{one}.*.js"))]
    while waiting:
        name = waiting.pop(0)
        if name not in found and name not in page and (folder / name).exists():
            found[name] = True
            waiting += _IMPORTED.findall((folder / name).read_text("utf-8"))
    return list(found)
