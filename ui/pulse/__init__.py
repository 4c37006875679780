"""A room's projector: it asks again while it is seen, and a presenter's clicker leads on."""

import streamlit as st

from ui import choice, sent, web

_component = web.component("pulse")
KEY = "room.pulse"
_MOST = 10**9


def show(every, at):
    """Mount it within a fragment.  every: milliseconds between two looks; at: names what is on screen."""
    _component(data={"beat": _told("beat"), "every": every, "at": at}, key=KEY, on_told_change=lambda: None)


def pressed(at):
    """Whether the clicker was pressed since the last look, while this was on screen."""
    count, before = _told("pressed"), st.session_state.get("room.pressed", 0)
    st.session_state["room.pressed"] = count
    return count > before and sent.read(_reported().get("at"), str) == at


def _reported():
    found = sent.reported(KEY, "told")
    return found if isinstance(found, dict) else {}


def _told(name):
    return sent.read(_reported().get(name), choice.number(0, _MOST), 0)
