"""Every head of a model as a button with bars in it."""

from ui import choice, sent, web

_component = web.component("head_map")


def show(cells, chosen, on_choice, key=None):
    """Draw the map: a row a block, a button a head.

    cells: a list of rows of {"bars": [[mark, share from 0 to 1 or None for no bar, text]], "label": what is
    read aloud}; chosen: "block.head", from 1, or ""; on_choice(the new one); key: {mark: what its bars mean}.
    """

    def tapped():
        new = sent.read(sent.reported("head-map", "head"), choice.one_of(*every))
        if new is not None:
            on_choice(new)

    every = {f"{b}.{h}" for b, row in enumerate(cells, start=1) for h in range(1, len(row) + 1)}
    _component(
        data={"cells": cells, "chosen": chosen, "key": key or {}}, key="head-map", on_head_change=tapped
    )
