"""From a component to another page: its link reports the page, and the run goes there.

A link in a component is a real one, which a browser can open in a new tab.  A plain tap on it reports where
it leads, so that the session and all that was chosen in it come along.
"""

import streamlit as st

from ui import sent, shell


def chosen(key):
    """A callback: the component of this key reported a page as its trigger "page"."""

    def told():
        name = sent.reported(key, "page")
        if name in shell.names():
            st.session_state["onward"] = name

    return told


def go():
    """Go where the reader wants to go, if anywhere: after the component has been drawn."""
    name = st.session_state.pop("onward", None)
    if name:
        st.switch_page(f"pages/{name}.py")
