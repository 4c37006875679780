"""Every tab of the pages of parts with every model: the lines shown are the chosen model's and computed the
figure, and the words are right for a text of one token too."""

import json
import re
import threading

import pytest
from streamlit.testing.v1 import AppTest

from engine import presets
from ui import kept

# page: its choice of tab, and the file beside the model's that computes each tab's figure
TABS = {
    "rope": ("rope", dict.fromkeys(
        ("distance", "hands", "wavelengths", "switches", "head", "learned"), "engine/rope.py"
    ) | {"numpy": None}),
    "norm": ("rms", dict.fromkeys(("size", "mean", "epsilon", "gains", "order"), "engine/norms.py")),
    "gate": ("gate", dict.fromkeys(("curve", "units", "shut", "unit", "width"), "engine/gate.py")),
    "stream": ("stream", dict.fromkeys(("added", "numbers", "direction", "models"), "engine/stream.py")
               | {"bits": "engine/precision.py"}),
}  # fmt: skip


def test_no_tab_is_forgotten(root):
    for page, (_, files) in TABS.items():
        text = (root / f"pages/{page}.py").read_text(encoding="utf-8")
        ideas = {}
        exec(text[text.index("IDEAS = {") : text.index("}", text.index("IDEAS = {")) + 1], ideas)
        assert set(ideas["IDEAS"]) == set(files), page


def panels(at):
    found = (json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.json)
    return [one for one in found if isinstance(one, dict) and "rows" in one]


def shown_files(at):
    return [one["file"] for one in panels(at)]


# "1 tokens", "the only blocks", numbers that are none
WRONG = re.compile(
    r"(?<![\d,.])1 (tokens|positions|texts|units|gates|dimensions|pairs|blocks|gains|places|keys)\b"
    r"|\b(nan|inf|None)\b"
)


@pytest.mark.parametrize("model", presets.NAMES)
@pytest.mark.parametrize("page", TABS)
@pytest.mark.parametrize("text", ["A dog.", ""])
def test_every_tab_shows_the_lines_of_the_chosen_model(root, page, model, text):
    choice, files = TABS[page]
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    at.query_params["model"] = model
    at.query_params["own"] = at.query_params["own_product"] = text
    at.query_params["text"] = at.query_params["product"] = "own"
    at.run()
    at.switch_page(f"pages/{page}.py").run()
    own = "engine/store.py" if model == "store" else "engine/model.py"
    for tab, beside in files.items():
        at.query_params[choice] = tab
        at.query_params["model"] = model
        at.run()
        assert not at.exception, tab
        assert not at.error, tab
        said = " ".join(one.value for one in [*at.markdown, *at.caption])
        assert "What to notice" in said, tab
        assert not WRONG.search(said), WRONG.search(said)
        assert shown_files(at) == ([beside] if beside else []) + [own], tab


# Read from a file that was made beforehand, as the page says there: the lines ran in training/units.py.
BEFOREHAND = {("gate", "unit")}


@pytest.mark.parametrize("page", TABS)
def test_the_functions_shown_are_called_when_the_figure_is_made(root, page, called):
    choice, files = TABS[page]
    at = AppTest.from_file(str(root / "app.py"), default_timeout=120)
    at.query_params["model"], at.query_params["text"], at.query_params["own"] = "gpt-1", "own", "A dog."
    at.run()
    at.switch_page(f"pages/{page}.py").run()
    for tab, beside in files.items():
        if beside is None or (page, tab) in BEFOREHAND:
            continue
        kept.clear()
        called.clear()
        at.query_params[choice] = tab
        at.run()
        shown = next(one for one in panels(at) if one["file"] == beside)
        named = set(re.findall(r"^def (\w+)", shown["text"], re.M))
        assert named
        assert named <= {name for file, name in called if file.endswith(beside)}, tab


@pytest.fixture
def called():
    """(file, function) of every call in the threads that begin while the test runs."""
    found = set()

    def note(frame, event, _):
        if event == "call":
            found.add((frame.f_code.co_filename, frame.f_code.co_name))

    threading.setprofile(note)
    yield found
    threading.setprofile(None)
    kept.clear()
