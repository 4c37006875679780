"""A component's values come from the reader's browser: whatever they are, the page goes on."""

import json

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.pages.reader import SHORT, Reader, page_names

pytestmark = pytest.mark.no_cover  # the engine's own tests tell what they run; to note each line takes long

DEEP = "[" * 60 + "]" * 60
FORGED = [
    "null", "true", "false", "0", "-1", "3", "1e308", "-1e308", "NaN", "Infinity", "9" * 400, '""', '"3"',
    '"1.1"', '"<b>$x$</b>"', '"\\ud800"', '"\\u0000"', json.dumps("x" * 30_000), "[]", "[1]", "[null, null]",
    '[1, "attention"]', '[{"a": 1}, ["b"]]', "[1, 2, 3, 4]", '["a", "b", "c", "d"]', "{}", '{"cell": 7}',
    '{"cell": "0.0.0", "guesses": [[1]], "shown": {"a": 2}, "order": null, "measure": []}',
    '{"cell": "99.9999", "guesses": {"x": 1}, "grid": 1e9, "covered": "yes", "shown": -1}', DEEP,
    f'{{"guesses": {DEEP}, "cell": {DEEP}}}',
]  # fmt: skip


def reported(reader):
    """{component's id: the states it reports} of what the page shows now."""
    known = reader.at._session_state._state._new_widget_state.widget_metadata
    found = {id: (known[id].callbacks if id in known else None) for id, _ in reader.components()}
    return {id: sorted(callbacks) for id, callbacks in found.items() if callbacks}


def views(page):
    """The page as it opens, then under each choice of its lists and tabs: where components may differ."""
    yield (reader := Reader(page, **SHORT))
    for control in reader.controls():
        if control.kind in ("button_group", "selectbox") and len(control.choices) < 8:
            for choice in control.choices:
                yield Reader(page, **SHORT).choose((control, choice))


def forged(id, states):
    """The messages that forge one component: every value for every state, some as an event too.

    All of it is JSON: what is none is refused by Streamlit itself, before the page runs.
    """
    for state in states:
        for number, raw in enumerate(FORGED):
            yield WidgetState(id=id, json_value=f'{{"{state}": {raw}}}')
            if number % 5 == 0:
                event = f'[{{"event": "{state}", "value": {raw}}}]'
                yield WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{id}__events", json_trigger_value=event)
    for raw in ("null", "[]", '"x"', "7"):
        yield WidgetState(id=id, json_value=raw)


@pytest.mark.parametrize("page", page_names())
def test_no_forged_value_of_a_component_breaks_its_page(page):
    done = set()
    for view in views(page):
        for id, states in reported(view).items():
            if (id, *states) in done:
                continue
            done.add((id, *states))
            for message in forged(id, states):
                view.send(message)
                assert not view.trouble(), (message, view.address, view.trouble())
                longest = max(map(len, view.address.values()), default=0)
                assert longest <= 20_000, message
