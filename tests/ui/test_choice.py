"""The address, the session and quick readers."""

import pytest
from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from ui import choice

    with choice.arriving("a page"):
        for name in ("block", "head", "step"):
            st.button(f"next {name}", on_click=choice.put, kwargs={name: 2})
            st.button(f"third {name}", on_click=choice.put, kwargs={name: 3})
            st.button(f"no {name}", on_click=choice.put, kwargs={name: None})
            st.write(name, choice.get(name, 1, choice.number(1, 9)))
        if st.query_params.get("stop"):
            st.stop()


@pytest.fixture
def app():
    return AppTest.from_function(_page).run()


def tap(app, label):
    return next(b for b in app.button if b.label == label).click().run()


def address(app):
    found = dict(app.query_params).items()
    return {name: value if isinstance(value, str) else value[0] for name, value in found}


def shown(app):
    return [element.value for element in app.markdown]


def test_a_tap_is_in_the_address_and_on_the_page(app):
    tap(app, "next block")
    assert address(app) == {"block": "2"}
    assert shown(app)[0] == "block `2`"
    tap(app, "no block")
    assert address(app) == {}
    assert shown(app)[0] == "block `1`"


def test_a_second_tap_that_still_says_the_old_address_loses_nothing(app):
    tap(app, "next block")
    del app.query_params["block"]  # the second request left before the first answer came
    tap(app, "next head")
    assert address(app) == {"block": "2", "head": "2"}
    assert shown(app)[:2] == ["block `2`", "head `2`"]


def test_a_choice_taken_back_does_not_return_with_an_old_address(app):
    tap(app, "next block")
    tap(app, "no block")
    app.query_params["block"] = "2"
    tap(app, "next head")
    assert address(app) == {"head": "2"}


def test_back_takes_a_choice_back(app):
    tap(app, "next block")
    tap(app, "next head")
    del app.query_params["head"]
    app.run()  # the browser's Back asks for the whole page
    assert shown(app)[:2] == ["block `2`", "head `1`"]
    tap(app, "next step")
    assert address(app) == {"block": "2", "step": "2"}


def test_a_page_that_stops_early_keeps_what_was_chosen(app):
    tap(app, "next block")
    app.query_params["stop"] = "1"
    app.run()
    del app.query_params["block"]
    tap(app, "third step")
    assert address(app) == {"stop": "1", "block": "2", "step": "3"}


def test_what_the_page_does_not_read_stays_in_the_address(app):
    app.query_params["embed_options"] = "light_theme"
    app.query_params["mine"] = "x"
    tap(app, "next block")
    assert address(app)["mine"] == "x"
    assert address(app)["block"] == "2"


def _typing():
    import streamlit as st

    from ui import choice

    with choice.arriving("a page"):
        chosen = choice.get("text", "easy", choice.one_of("easy", "name", "own"))
        choice.bound(st.selectbox, "Text", "text", chosen, options=("easy", "name", "own"))
        own = choice.get("own", "")
        choice.text_field("Own", "own", own, also={"text": "own"})
        st.write(chosen, own)


def test_a_control_that_the_page_changed_is_not_moved_back_by_an_older_message():
    app = AppTest.from_function(_typing)
    app.query_params["text"] = "name"
    old = app.run().selectbox[0]._widget_state
    app.text_area[0].set_value("typed").run()
    assert address(app) == {"text": "own", "own": "typed"}
    late = app._tree.get_widget_states()
    late.widgets.append(old)  # the list as the browser still had it
    app._run(late)
    assert address(app) == {"text": "own", "own": "typed"}
    assert app.selectbox[0].value == "own"


def test_a_link_to_a_model_that_is_gone_is_told_so():
    def page():
        import streamlit as st

        from ui import choice

        with choice.arriving("a page"):
            st.write(choice.chosen_model("store"), *st.session_state.get("notices", []))

    app = AppTest.from_function(page)
    app.query_params["model"] = "trained"
    told = shown(app.run())[0]
    assert told.startswith("store The link")
    assert "'trained', which this server has not or no longer" in told
    assert address(app) == {}
