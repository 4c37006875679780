"""A presenter's clicker in a lesson."""

from ui import choice, sent, web

_component = web.component("clicker")
KEY = "lesson.clicker"


def show(on_turn):
    """Listen for it.  on_turn(1 or -1): to the next state, or back."""

    def turned():
        by = sent.read(sent.reported(KEY, "turned"), choice.number(-1, 1), 0)
        if by:
            on_turn(by)

    _component(key=KEY, on_turned_change=turned)
