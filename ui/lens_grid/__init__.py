"""The logit lens's grid on the page; what is chosen in it goes to the address."""

import json
import re

import streamlit as st

from ui import choice, sent, web
from views import lens_grid

_mount = web.component("lens_grid")
KEY = "lens.grid"
MEASURE_KEYS = tuple(measure[0] for measure in (*lens_grid.MEASURES, lens_grid.FOLLOWED))
MOST_GUESSES = 40
LONGEST_GUESS = 40


def start(keys, columns, default_cell, follow=False):
    """What the address chooses within the grid, as the component's starting point."""
    cell = choice.get("cell", None, lens_grid.read_cell)
    measure = choice.get("measure", "top", _READERS["measure"])
    return {
        "cell": lens_grid.fitting(cell, keys, columns, default_cell) if cell else default_cell,
        "scroll": cell is not None,
        "measure": measure if follow or measure != "follow" else "top",
        **{
            name: choice.get(name, usual, _READERS[name])
            for name, usual in _usual().items()
            if name != "measure"
        },
    }


def read_guesses(raw):
    """The room's guesses from the address, {"3": "dog"}.  Raises ValueError for anything else."""
    found = json.loads(raw)
    if not isinstance(found, dict) or len(found) > MOST_GUESSES:
        raise ValueError(raw)
    if not all(re.fullmatch("[0-9]{1,4}", at) and isinstance(guess, str) for at, guess in found.items()):
        raise ValueError(raw)
    return {column: guess[:LONGEST_GUESS] for column, guess in found.items()}


# What is chosen within the grid: how it is read, and what it is without a choice.
_READERS = {
    "cell": lens_grid.read_cell,
    "measure": choice.one_of(*MEASURE_KEYS),
    "grid": choice.number(0, 1),
    "order": choice.one_of("top", "bottom"),
    "column": choice.switch,
    "shown": choice.number(0, 1000),
    "covered": choice.switch,
    "guesses": read_guesses,
}
_USUAL = {"measure": "top", "grid": 0, "order": "top", "column": False, "shown": 0,
          "covered": False, "guesses": {}}  # fmt: skip


def _usual():
    """The same; in class mode the text after the chosen column is covered, for the room to guess."""
    return {**_USUAL, "covered": choice.get("class", False, choice.switch)}


@st.fragment
def show(data, start, writers=True):
    """Draw the grid.  A tap runs this fragment alone, with the same data, which is not sent again.

    writers: whether a cell leads on to who wrote its score, as one of the model that is loaded can.
    """
    _mount(key=KEY, data={**data, "start": start}, on_chosen_change=_chosen, on_follow_change=_follow)
    if writers and st.query_params.get("rows") != "tuned":
        _to_its_writers(data, start)
    if st.session_state.pop("lens.followed", False):
        st.rerun()  # a token to follow needs new numbers


def _to_its_writers(data, start):
    """The way from the chosen cell to the page that says who wrote its score, if it is of the text's own."""
    key, column = (choice.get("cell", None, lens_grid.read_cell) or start["cell"]).split(".")
    own = data["grids"][0]
    there = int(column) < len(own["tokens"]) - own["written"] and key in own["keys"]
    if data["teaching"] or choice.get("grid", 0, _READERS["grid"]) or not there:
        return
    row = key.removesuffix("a")
    read = "embedding" if row == "0" else f"after block {row}"
    st.page_link(
        "pages/who_wrote_it.py",
        label=f"Who wrote this score? Position {column}, {read}",
        icon=":material/arrow_forward:",
        query_params={"token": column, "row": row},
    )


def _chosen():
    view = sent.reported(KEY, "chosen")
    if not isinstance(view, dict):
        return
    kept = _usual()
    told = {name: sent.read(view.get(name), _READERS[name], usual) for name, usual in kept.items()}
    told["guesses"] = _told_guesses(view.get("guesses"))
    changed = {name: None if value == kept[name] else value for name, value in told.items()}
    if changed["guesses"] is not None:
        changed["guesses"] = json.dumps(changed["guesses"], ensure_ascii=False)
    choice.put(cell=sent.read(view.get("cell"), _READERS["cell"]), **changed)


def _told_guesses(raw):
    """The grid's guesses, which it reports as they are."""
    try:
        return choice.reading(lambda guesses: read_guesses(json.dumps(guesses)), raw)
    except ValueError:
        return {}


def _follow():
    choice.put(follow=sent.read(sent.reported(KEY, "follow"), choice.number(0, 10**6)), measure="follow")
    st.session_state["lens.followed"] = True
