"""Share: this very state as a QR code, in large type, and to copy."""

import re
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from ui import address, sent, web
from views import qr

_component = web.component("share")
KEY = "share"
# What lets one steer a room is nobody else's, and how a page is framed is no part of what it shows.
OWN = {"steer", "embed", "embed_options"}
TOO_LONG = "This address is too long for a QR code: it holds {n:,} letters. Copy it instead."
_CSS = """
.st-key-share-place { position: fixed; top: .55rem; right: 3.6rem; width: auto; z-index: 999991; }
@media (pointer: coarse) { .st-key-share-place { right: 4.1rem; } }
/* Streamlit keeps room in its head's row that a phone has not: the menu stood off the screen. */
@media (max-width: 640px) {
  [data-testid="stToolbar"] > div > div:last-child { min-width: 0; }
  [data-testid="stHeaderLogo"] { max-width: calc(100vw - 11.6rem); object-fit: contain;
    object-position: left; }
  [data-testid="stStatusWidget"] { margin-right: 3.2rem; }
  .st-key-share-place { z-index: 999990; } /* below the menu of pages, which lies over the head's row */
}
@media print { .st-key-share-place { display: none; } }
"""


def stand_here():
    """The button stands here, and not at the right of the menu, which is hidden in class mode."""
    st.session_state["share.here"] = st.container(width="content")


def show():
    """The button, where stand_here() was called, or at the right of the menu."""
    here_now = st.session_state.pop("share.here", None)
    if st.context.is_embedded:
        return
    with here_now or st.container(key="share-place"):
        if here_now is None:
            st.html(f"<style>{_CSS}</style>")
        _share()


@st.fragment
def _share():
    _component(data=_data(sent.reported(KEY, "asked")), key=KEY, on_asked_change=lambda: None)


def _data(asked):
    """The address of what the browser shows, as others reach it, and its code; {} before it is asked for."""
    if not isinstance(asked, dict):
        return {}
    where, reachable = address.outer()
    found = where + state(sent.read(asked.get("path"), str, "/"), sent.read(asked.get("query"), str, ""))
    picture = qr.uri(found)
    says = [] if picture else [TOO_LONG.format(n=len(found))]
    says += [] if reachable else [address.ALONE.replace("`", "")]
    return {"address": found, "picture": picture, "says": " ".join(says)}


def here(page):
    """The address of what is shown now, as others reach it.  page: its name."""
    return address.outer()[0] + state(f"/{page}", urlencode(st.query_params.to_dict()))


def state(path, query):
    """A page's path and query as the browser has them -> what others may open: "/lens?text=name".

    A room's projector is for who steers it; others are led to joining it.
    """
    name = re.fullmatch(r"(?:.*/)?([a-z_]{0,40})/?", path, re.DOTALL)
    chosen = parse_qsl(query.removeprefix("?"))
    if {"room", "steer"} <= {key for key, _ in chosen}:
        return f"/join?{urlencode({'room': dict(chosen)['room']})}"
    kept = [(key, value) for key, value in chosen if key not in OWN]
    return f"/{name[1] if name else ''}" + (f"?{urlencode(kept)}" if kept else "")
