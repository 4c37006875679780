"""A grid of rows by tokens that fills while it is measured; a tap chooses a cell."""

import re

from ui import sent, web

_component = web.component("patch_grid")
KEY = "patch-grid"


def read_cell(raw):
    """A reader for the address: "row.token", both from 0."""
    if not re.fullmatch(r"[0-9]{1,4}\.[0-9]{1,4}", raw):
        raise ValueError(raw)
    return raw


def fitting(cell, data):
    """A cell, if a grid has it; else ""."""
    if not cell:
        return ""
    row, token = map(int, cell.split("."))
    return f"{row}.{token}" if row < len(data["rows"]) and token < len(data["columns"]) else ""


def show(data, chosen, marked, on_choice):
    """Draw the grid of views/patch_grid.py.

    chosen: "row.token" of the chosen cell, or ""; marked: of the reader's guess, or ""; on_choice(new cell).
    """

    def tapped():
        new = fitting(sent.read(sent.reported(KEY, "cell"), read_cell, ""), data)
        if new:
            on_choice(new)

    _component(data={**data, "chosen": chosen, "marked": marked}, key=KEY, on_cell_change=tapped)
