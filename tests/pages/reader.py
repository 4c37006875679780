"""A reader who drives the pages without a browser, sending the messages that a browser would send."""

import json
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest.mock import patch

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

APP = Path(__file__).resolve().parents[2] / "app.py"
SHORT = {"text": "own", "own": "Zorbin met Zorbin.", "product": "own", "own_product": "Bag\nfor Zorbin"}
# The message's field that holds a control's value.
_FIELDS = {
    "selectbox": "string_value", "button_group": "string_array_value", "radio": "string_value",
    "toggle": "bool_value", "checkbox": "bool_value", "expander": "bool_value", "button": "trigger_value",
    "slider": "double_array_value", "select_slider": "string_array_value", "number_input": "double_value",
    "text_area": "string_value", "text_input": "string_value",
}  # fmt: skip


class _Navigated(PagesManager):
    """The pages of a server that has shown one: it no longer guesses what the folder pages/ is for."""

    def __init__(self, *given, **named):
        PagesManager.uses_pages_directory = False
        super().__init__(*given, **named)


@contextmanager
def running_server():
    """As on a server that runs already: each run is one of app.py, with the page in it, compiled before.

    AppTest alone begins anew each time: a first view runs twice, and a later one is of the page alone.
    """
    compiled = ScriptCache()
    with (
        patch.object(app_test, "PagesManager", _Navigated),
        patch.object(app_test, "ScriptCache", lambda: compiled),
        patch.object(local_script_runner, "ScriptCache", lambda: compiled),
    ):
        yield


@dataclass(frozen=True)
class Control:
    """Something the reader can move: what it is, and the values it can be given."""

    kind: str
    id: str
    key: str
    label: str
    now: object
    choices: tuple


@cache
def _shared():
    """What all sessions of this process use: the registry of components, and the navigation's pages."""
    started = AppTest.from_file(str(APP), default_timeout=600).run()
    return {name: getattr(started, name) for name in ("_bidi_component_manager", "_registered_pages")}


def page_names():
    """The names of all pages, in the navigation's order: the files' stems."""
    every = [Path(one["script_path"]).stem for one in _shared()["_registered_pages"].values()]
    return list(dict.fromkeys(every))


def _raw(state, kind, value):
    field = _FIELDS[kind]
    if field.endswith("_array_value"):
        getattr(state, field).data[:] = [] if value is None else [value]
    elif value is not None:
        setattr(state, field, value)


def _movable(node):
    if node.type == "expander":
        return bool(node.proto.id)  # one that tells the page when it is opened
    return node.type in _FIELDS and not node.proto.disabled


def _control(node):
    """A container that opens, or a widget; its key without the number of the change that made it anew."""
    if node.type == "expander":
        key, now = user_key_from_element_id(node.proto.id), node.proto.expanded
        return Control("expander", node.proto.id, key, node.label, now, (not now,))
    key = node.key and node.key.partition("~")[0]
    return Control(node.type, node.id, key, node.label, *_choices(node))


def _choices(node):
    """(what it shows now, what it can be given) of a control, as the browser would send it."""
    if node.type in ("selectbox", "radio"):
        return None if node.index is None else node.options[node.index], tuple(node.options)
    if node.type == "button_group":
        chosen = list(node.formatted_values)
        return chosen[0] if chosen else None, tuple(node.options)
    if node.type in ("toggle", "checkbox"):
        return node.value, (not node.value,)
    if node.type in ("slider", "number_input"):
        return node.value, (float(node.proto.min), float(node.proto.max))
    if node.type == "select_slider":
        return node.format_func(node.value), tuple(node.options)
    return node.value, (True,) if node.type == "button" else ()


class Reader:
    """One session.  address: what the browser's address holds after the last run."""

    def __init__(self, page, **address):
        self.page, self.at, self._open = page, AppTest.from_file(str(APP), default_timeout=600), {}
        self.at.query_params.update(address)
        vars(self.at).update(_shared())
        self.at.switch_page(f"pages/{page}.py").run()

    @property
    def address(self):
        """{name: value} of the address."""
        return {name: one[-1] if isinstance(one, list) else one for name, one in self.at.query_params.items()}

    def nodes(self):
        """All that the page shows, containers included, in order."""
        return list(self.at._tree)

    def controls(self):
        """What can be moved now."""
        return [_control(node) for node in self.nodes() if _movable(node)]

    def control(self, key):
        """The control of this key, or None where it is not on the page."""
        return next((one for one in self.controls() if one.key == key), None)

    def choose(self, *moves):
        """Move controls, each (control, value), in one go and run the page."""
        states = []
        for control, value in moves:
            states.append(WidgetState(id=control.id))
            _raw(states[-1], control.kind, value)
            if control.kind == "expander":
                self._open[control.id] = states[-1]
        return self.send(*states)

    def send(self, *states):
        """Run the page with these messages beside what its controls hold already."""
        every = self.at._tree.get_widget_states()
        ids = {one.id for one in states}
        kept = [one for one in [*every.widgets, *self._open.values()] if one.id not in ids]
        del every.widgets[:]
        every.widgets.extend([*kept, *states])
        self.at._run(every)
        return self

    def components(self):
        """[(id, data)] of the components on the page."""
        return [(one.proto.id, data_of(one)) for one in self.at.get("bidi_component")]

    def trouble(self):
        """What no reader should ever see, as sentences."""
        seen = [f"exception: {one.value}" for one in self.at.exception]
        seen += [f"error: {one.value}" for one in self.at.error]
        seen += [f"warning: {one.value}" for one in self.at.warning if "makes no sense" in one.value]
        if not self.at.title and "class" not in self.address:
            seen.append("the page has no title")
        return seen


def data_of(component):
    """What a component was given."""
    sent = component.proto.json or component.proto.mixed.json
    return json.loads(sent) if sent else None


def opened(root, page, **address):
    """A page as a link opens it -> its AppTest.  address: what the link chooses."""
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    for name, value in address.items():
        at.query_params[name] = value
    at.switch_page(f"pages/{page}.py").run()
    assert not at.exception
    return at


def sound(root, page, **address):
    """The same, with nothing refused on the page."""
    at = opened(root, page, **address)
    assert not at.error
    return at


def press(at, label):
    """Press the button of this label."""
    next(b for b in at.button if b.label == label).click()
    at.run()
    assert not at.exception
