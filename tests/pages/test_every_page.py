"""Every page with every model, tab, choice and switch: nothing breaks, and nothing is refused.

The pages are those of the navigation, and what can be chosen on a page is what the page itself offers: a
new page, model or tab is in this walk without being added to it.
"""

from itertools import islice

import pytest

import engine
from engine import length, likeness, measures, sweeps, tiny_training
from tests.pages.reader import SHORT, Reader, page_names, running_server
from ui import held_out, kept

pytestmark = pytest.mark.no_cover  # the engine's own tests tell what they run; to note each line takes long
MOST = 9  # options of a list that are all tried; of a longer one (tokens, texts) its ends and its middle
TABS = ("button_group",)


@pytest.fixture(scope="module", autouse=True)
def short_sweeps():
    """Sweeps and averages over two short texts, one long row, trainings that only begin; nothing is kept."""
    sweep, places, nats = sweeps.sweep, length.loss_by_place, measures.nats_a_token
    met, looks = likeness.met, tiny_training.looks

    def short(model, texts, *rest):
        return sweep(model, [row[:12] for row in texts[:2]], *rest)

    def over_two(model, measure, keep=()):
        return [measure(engine.run(model, row[:12], keep)) for row in measures.own_rows(model)[:2]]

    def begun(choices):
        yield from islice(looks(choices), 2)

    with pytest.MonkeyPatch.context() as patch, running_server():
        patch.setattr(sweeps, "sweep", short)
        patch.setattr(length, "loss_by_place", lambda model, times, rows: places(model, times, 1))
        patch.setattr(held_out, "over_texts", over_two)
        patch.setattr(likeness, "met", lambda model, known, new: met(model, known[:2], new[:1]))
        patch.setattr(tiny_training, "looks", begun)
        patch.setattr(measures, "nats_a_token", lambda model, rows: nats(model, rows[:2]))
        yield
    kept.clear()


def tried(choices):
    """The choices of a control that the walk takes."""
    if len(choices) <= MOST:
        return choices
    return (*choices[:2], choices[len(choices) // 2], *choices[-2:])


def branches(control):
    """Whether a control leads to another set of controls: a tab, or the model."""
    return control.kind in TABS or is_model(control)


def is_model(control):
    """Whether a control is the list of our models; there is a longer one, of published models, too."""
    return control.label == "Model" and len(control.choices) <= MOST


class Walk:
    """One page, from its first view to everything that can be chosen on it.

    at_once: whether the controls of a view are only moved all in one go, since another walk moves each alone.
    """

    def __init__(self, page, at_once=False):
        self.page, self.at_once, self.troubles, self.steps = page, at_once, [], 0
        self.seen, self.walked = set(), set()  # addresses opened; (model, control) given every value

    def look(self, reader, how):
        """Remember what went wrong in this view."""
        self.steps += 1
        self.troubles += [f"{self.page} {how} {reader.address}: {one}" for one in reader.trouble()]

    def state(self, address, path=()):
        """One view: all its controls, then the views that its tabs and its model lead to."""
        mark = tuple(sorted(address.items()))
        if mark in self.seen:
            return
        self.seen.add(mark)
        reader = Reader(self.page, **address)
        self.look(reader, "opened at")
        controls = reader.controls()
        known = {one.key for one in controls if self.at_once or self.mark(controls, one) in self.walked}
        if not self.at_once:
            self.leaves(reader)
        self.all_at_once(reader, known.difference(path))
        for control in controls:
            if branches(control) and control.key not in path:
                for choice in tried(control.choices):
                    moved = Reader(self.page, **address).choose((control, choice))
                    self.look(moved, f"with {control.label} = {choice!r} from")
                    self.state(moved.address, (*path, control.key))

    def mark(self, controls, control):
        """What remembers that a control was given every value: its key, under the model that is shown."""
        return next((one.now for one in controls if is_model(one)), None), control.key

    def all_at_once(self, reader, known):
        """What was given every value in an earlier view is moved here in one go.  known: the keys."""
        here = [one for one in reader.controls() if one.key in known and one.kind != "button"]
        moves = [(one, choice) for one in here for choice in one.choices if choice != one.now]
        if moves:
            reader.choose(*dict(reversed(moves)).items())
            self.look(reader, "with all controls moved in")

    def leaves(self, reader):
        """Every control that leads nowhere else, moved to each of its values and back."""
        controls = reader.controls()
        here = [one for one in controls if not branches(one) and self.mark(controls, one) not in self.walked]
        self.walked.update(self.mark(controls, one) for one in here)
        left = None  # the control before, which goes back while this one moves
        for control in here:
            for choice in tried(control.choices):
                if not self.move(reader, control, choice, left):
                    break
                left = None
                self.look(reader, f"with {control.label} = {choice!r} in")
                self.leaves(reader)
            self.back(reader, left)
            left = control
        self.back(reader, left)

    def move(self, reader, control, choice, left):
        """Give a control a value while the one left before goes back -> whether it is there."""
        again = reader.control(control.key)
        if again is None and left:
            self.back(reader, left)
            left, again = None, reader.control(control.key)
        if again is None:
            return False
        reader.choose(*self.way_back(reader, left), (again, choice))
        moved = reader.control(control.key)
        if left and moved and moved.kind not in ("button", "expander") and moved.now != choice:
            reader.choose((moved, choice))  # the other's way back has set this one too
        return True

    def way_back(self, reader, control):
        """The moves that leave a control as it was: one or none."""
        again = reader.control(control.key) if control else None
        if again is None or control.kind == "button" or control.now is None:
            return []
        return [(again, control.now)]

    def back(self, reader, control):
        """Leave a control as it was."""
        if moves := self.way_back(reader, control):
            reader.choose(*moves)


@pytest.mark.parametrize("page", page_names())
def test_a_page_shows_whatever_is_chosen_on_it(page):
    walk = Walk(page)
    walk.state(SHORT)
    assert walk.steps > 1
    assert not walk.troubles, "\n".join(walk.troubles[:20])
