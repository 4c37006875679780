"""The logit lens's grid on the page; what is chosen in it goes to the address."""

import streamlit as st

from ui import choice
from views import lens_grid

_mount = st.components.v2.component("lens_grid", html=lens_grid.HTML, css=lens_grid.CSS, js=lens_grid.JS)
KEY = "lens.grid"
MEASURE_KEYS = tuple(measure[0] for measure in (*lens_grid.MEASURES, lens_grid.FOLLOWED))


def start(keys, columns, default_cell, follow=False):
    """What the address chooses within the grid, as the component's starting point."""
    cell = choice.get("cell", None, lens_grid.read_cell)
    measure = choice.get("measure", "top", choice.one_of(*MEASURE_KEYS))
    return {
        "cell": lens_grid.fitting(cell, keys, columns, default_cell) if cell else default_cell,
        "scroll": cell is not None,
        "grid": choice.get("grid", 0, choice.number(0, 1)),
        "measure": measure if follow or measure != "follow" else "top",
        "guesses": {},
    }


@st.fragment
def show(data, start):
    """Draw the grid.  A tap runs this fragment alone, with the same data, which is not sent again."""
    _mount(key=KEY, data={**data, "start": start}, on_chosen_change=_chosen, on_follow_change=_follow)
    if st.session_state.pop("lens.followed", False):
        st.rerun()  # a token to follow needs new numbers


def _chosen():
    chosen = st.session_state[KEY].get("chosen") or {}
    cell, measure = chosen.get("cell"), chosen.get("measure")
    choice.put(cell=cell, measure=None if measure == "top" else measure, grid=chosen.get("grid") or None)


def _follow():
    choice.put(follow=st.session_state[KEY].get("follow"), measure="follow")
    st.session_state["lens.followed"] = True
