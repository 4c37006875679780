"""Bars that the reader drags to say what will come out, before looking."""

import streamlit as st

from ui import web
from views import bars

_component = web.component("guess_bars")


def show(caption, names, guesses, even, key, on_change):
    """Draw the bars -> the guesses, whole numbers from 0 to 100 along the scale of views.bars."""
    state_key = f"guess-bars-{key}"

    def moved():
        on_change(_clean(st.session_state.get(state_key), guesses))

    _component(
        data={
            "caption": caption, "names": names, "guesses": guesses, "even": bars.place(even),
            "high": bars.HIGH,
            "key": f"Dashed: even guessing among {even:,} tokens. The arrow keys work too.",
        },
        key=state_key, on_guesses_change=moved,
    )  # fmt: skip


def _clean(state, old):
    """What came from the browser, if it is what the component sends."""
    sent = (state or {}).get("guesses")
    fits = isinstance(sent, list) and len(sent) == len(old)
    if not fits or not all(isinstance(v, (int, float)) and 0 <= v <= 100 for v in sent):
        return old
    return [int(v) for v in sent]


def value(at):
    """A place from 0 to 100 -> the perplexity there."""
    return bars.HIGH ** (at / 100)
