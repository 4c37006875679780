"""The diagram's and the code's pages, whatever the address says, and with no model at hand."""

import json
import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def visit(root):
    def visit(page="pages/diagram.py", **query):
        app = AppTest.from_file(str(root / "app.py"), default_timeout=60)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        app.switch_page(page).run()
        assert not app.exception
        return app

    return visit


def data_of(app):
    """What the first component on the page was given."""
    proto = app.get("bidi_component")[0].proto
    return json.loads(proto.json or proto.mixed.json)


@pytest.mark.parametrize("page", ["start", "diagram"])
def test_the_page_is_complete_without_torch(root, page):
    ask = (
        "import sys; from streamlit.testing.v1 import AppTest; "
        f"app = AppTest.from_file('app.py', default_timeout=60).run().switch_page('pages/{page}.py').run(); "
        "assert not app.exception and app.get('bidi_component'); "
        "print(*sorted({'torch', 'transformers'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", ask], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_before_the_numbers_are_asked_for_everything_else_is_there(visit):
    data = data_of(visit(model="sprout"))
    assert data["journey"] is None
    assert data["ask"]
    assert data["parts"]["attention"]["lines"]
    assert len(data["files"]["engine/model.py"]) <= 200


@pytest.mark.parametrize(
    "query",
    [
        {"part": "nonsense"}, {"part": "<b>"}, {"step": "-1"}, {"step": "9999"}, {"step": "one"},
        {"block": "0"}, {"block": "1e9"}, {"token": "-3"}, {"head": "7.5"}, {"compare": "gpt-5"},
        {"model": "gpt-9"}, {"own": "\ufffd <|end|> $x$ \x00", "text": "own"}, {"text": "own", "own": ""},
    ],
)  # fmt: skip
def test_a_forged_address_is_answered_with_the_page(visit, query):
    app = visit(**query)
    assert data_of(app)["parts"]


def test_a_part_that_the_chosen_model_lacks_is_no_error(visit):
    data = data_of(visit(model="store", part="qk_norm"))
    assert "qk_norm" not in data["parts"]


@pytest.mark.parametrize("other", ["gpt2", "smollm2-360m"])
def test_the_second_picture_comes_when_it_is_asked_for(visit, other):
    assert len(visit(compare=other).get("bidi_component")) == len(visit().get("bidi_component")) + 1


@pytest.mark.parametrize(
    "file", ["engine/model.py", "engine/store.py", "engine/tokenizer.py", "engine/families/hooks.py"]
)
def test_the_code_page_shows_the_whole_file(visit, root, file):
    data = data_of(visit("pages/code.py", file=file, definition="nothing <b>"))
    text = (root / file).read_text()
    assert data["text"] == text
    assert "\n".join("".join(piece for _, piece in row) for row in data["rows"]) + "\n" == text
    assert data["outline"]


def test_no_other_file_can_be_read(visit):
    for file in ("../../etc/passwd", "app.py", "engine/weights.py"):
        assert data_of(visit("pages/code.py", file=file))["file"] == "engine/model.py"
