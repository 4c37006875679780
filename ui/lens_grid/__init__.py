"""The logit lens's grid on the page; what is chosen in it goes to the address."""

import json

import streamlit as st

from ui import choice, web
from views import lens_grid

_mount = web.component("lens_grid")
KEY = "lens.grid"
MEASURE_KEYS = tuple(measure[0] for measure in (*lens_grid.MEASURES, lens_grid.FOLLOWED))
MOST_GUESSES = 40


def start(keys, columns, default_cell, follow=False):
    """What the address chooses within the grid, as the component's starting point."""
    cell = choice.get("cell", None, lens_grid.read_cell)
    measure = choice.get("measure", "top", choice.one_of(*MEASURE_KEYS))
    return {
        "cell": lens_grid.fitting(cell, keys, columns, default_cell) if cell else default_cell,
        "scroll": cell is not None,
        "grid": choice.get("grid", 0, choice.number(0, 1)),
        "measure": measure if follow or measure != "follow" else "top",
        "order": choice.get("order", "top", choice.one_of("top", "bottom")),
        "shown": choice.get("shown", 0, choice.number(0, 1000)),
        "covered": choice.get("covered", False, choice.switch),
        "guesses": choice.get("guesses", {}, read_guesses),
    }


def read_guesses(raw):
    """The room's guesses from the address, {"3": "dog"}.  Raises ValueError for anything else."""
    found = json.loads(raw)
    if not isinstance(found, dict) or len(found) > MOST_GUESSES:
        raise ValueError(raw)
    if not all(column.isdecimal() and isinstance(guess, str) for column, guess in found.items()):
        raise ValueError(raw)
    return {column: guess[:40] for column, guess in found.items()}


@st.fragment
def show(data, start):
    """Draw the grid.  A tap runs this fragment alone, with the same data, which is not sent again."""
    _mount(key=KEY, data={**data, "start": start}, on_chosen_change=_chosen, on_follow_change=_follow)
    if st.session_state.pop("lens.followed", False):
        st.rerun()  # a token to follow needs new numbers


def _chosen():
    view = st.session_state[KEY].get("chosen")
    if not isinstance(view, dict):
        return
    usual = {"measure": "top", "grid": 0, "order": "top", "shown": 0, "covered": False, "guesses": {}}
    told = {name: view.get(name, was) for name, was in usual.items()}
    changed = {name: None if value == usual[name] else value for name, value in told.items()}
    if changed["guesses"] is not None:
        changed["guesses"] = json.dumps(changed["guesses"], ensure_ascii=False)
    choice.put(cell=view.get("cell"), **changed)


def _follow():
    choice.put(follow=st.session_state[KEY].get("follow"), measure="follow")
    st.session_state["lens.followed"] = True
