"""A sum as a waterfall: every part a button with its bar, a part's own parts below it when it is opened."""

from ui import choice, sent, web

_component = web.component("waterfall")
KEY = "waterfall"
BELOW = (
    '[class*="st-key-says-"] { scroll-margin-top: 4rem; }'  # what a tap brings into view, clear of the bar
)


def show(data, chosen, on_choice):
    """Draw the rows of views/waterfall.py.

    data: its data(); chosen: the id of the row that is open, or ""; on_choice(the new id, or None when
    the open one was tapped again).
    """

    def tapped():
        new = sent.read(sent.reported(KEY, "part"), choice.one_of(*every))
        if new is not None:
            on_choice(None if new == chosen else new)

    every = {row["id"] for row in data["rows"] if row["taps"]}
    _component(data={**data, "chosen": chosen}, key=KEY, on_part_change=tapped)
