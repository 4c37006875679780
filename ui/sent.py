"""What components report.

It comes from the reader's browser and may be anything, so it is read as an address is.
"""

from collections.abc import Mapping

import streamlit as st

from ui import choice

LARGEST = 10**12  # no number that a component reports is as large


def reported(key, state):
    """What the component of this key last reported as this state, unread; None for nothing."""
    found = st.session_state.get(key)
    return found.get(state) if isinstance(found, Mapping) else None


def as_address(raw):
    """A reported value as the address writes it.  Raises ValueError for all that an address can't hold."""
    if isinstance(raw, str) and len(raw) <= choice.LONGEST:
        return raw.encode("utf-8", "replace").decode("utf-8")
    if isinstance(raw, (int, float)) and abs(raw) <= LARGEST:  # True and False too
        return choice.write(raw)
    raise ValueError("This is not what a component reports.")


def read(raw, reader, default=None):
    """What an address reader makes of a reported value; default where it refuses it."""
    try:
        return choice.reading(reader, as_address(raw))
    except ValueError:
        return default


def choosing(key, state, name, reader):
    """A callback: what the component reports becomes the choice of this name, None takes it back."""

    def told():
        raw = reported(key, state)
        if raw is None:
            choice.forget(name)
        elif read(raw, reader) is not None:
            choice.put(**{name: as_address(raw)})

    return told
