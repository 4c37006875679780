"""What a reader can mend is told as it is; anything else is logged and told in one neutral sentence."""

import logging

import pytest
from streamlit.testing.v1 import AppTest

NEUTRAL = "This could not be shown. Your choices are kept: change one, or load the page again."


def failing(kind):
    import numpy as np

    from engine.errors import LacksError, ReaderError
    from engine.weights import WeightsError
    from ui import page

    with page.figure():
        if kind == "numpy":
            np.zeros(3) + np.zeros(4)
        errors = {"reader": ReaderError, "lacks": LacksError, "weights": WeightsError, "ours": ValueError}
        raise errors[kind]("3 tokens do not fit. Shorten the text.")


@pytest.mark.parametrize("kind", ["reader", "lacks", "weights"])
def test_what_a_reader_can_mend_is_told_as_it_is(kind, caplog):
    app = AppTest.from_function(failing, args=(kind,), default_timeout=60).run()
    assert [error.value.replace("\\", "") for error in app.error] == [
        "3 tokens do not fit. Shorten the text."
    ]
    assert not app.exception
    assert "A figure failed" not in caplog.text


@pytest.mark.parametrize("kind", ["numpy", "ours"])
def test_anything_else_is_logged_with_its_traceback(kind, caplog):
    with caplog.at_level(logging.ERROR):
        app = AppTest.from_function(failing, args=(kind,), default_timeout=60).run()
    assert [error.value for error in app.error] == [NEUTRAL]
    assert not app.exception
    assert "A figure failed" in caplog.text
    assert "Traceback" in caplog.text


def noticing(lengths):
    from ui import page

    page.notice(*("a" * (length - 1) + "." for length in lengths))


@pytest.mark.parametrize(
    ("lengths", "in_the_open"), [([90], 1), ([90, 90, 90], 3), ([200, 200, 200], 2), ([900, 20], 1)]
)
def test_a_long_what_to_notice_stands_in_a_fold_but_for_its_beginning(lengths, in_the_open):
    app = AppTest.from_function(noticing, args=(lengths,), default_timeout=60).run()
    first, *rest = (one.value for one in app.markdown)
    assert first.count(".") - 1 == in_the_open  # the heading has one too
    assert [one.label for one in app.expander] == ["More to notice"] * (in_the_open < len(lengths))
    assert sum(one.count(".") for one in rest) == len(lengths) - in_the_open
