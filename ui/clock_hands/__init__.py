"""Clock hands: a dial a pair, one hand turned to the query's position and one to the key's."""

from ui import web

_component = web.component("clock_hands")


def show(hands, label):
    """Draw the dials.

    hands: [{name, turn, query, key}], a dial each: its name, how long a full turn takes, and two angles in
    radians, clockwise from the top.  label: the picture in a sentence, for who can't see it.
    """
    _component(data={"hands": hands, "label": label}, key="clock-hands")
