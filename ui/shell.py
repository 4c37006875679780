"""The pages, in their order, and the guard that every page starts with."""

from pathlib import Path

import streamlit as st

from ui import warm

NAME = "Sprout Explorer"
WEB = Path(__file__).parent / "web"  # the pictures and the components' files


def pages():
    """The navigation: {group: [pages]}.  A page's address is its file's stem."""
    return {
        "Look inside": [
            # The default page answers at "/" alone; its twin, in no menu, answers at its file's stem.
            st.Page("pages/diagram.py", title="Diagram", url_path="start", default=True),
            st.Page("pages/diagram.py", title="Diagram", url_path="diagram", visibility="hidden"),
            st.Page("pages/lens.py", title="Logit lens", url_path="lens"),
            st.Page("pages/guess.py", title="The guessing game", url_path="guess"),
            st.Page("pages/code.py", title="The code", url_path="code"),
        ],
        "Parts": [
            st.Page("pages/stream.py", title="Residual stream", url_path="stream"),
            st.Page("pages/rope.py", title="RoPE", url_path="rope"),
            st.Page("pages/norm.py", title="RMSNorm", url_path="norm"),
            st.Page("pages/gate.py", title="The gate", url_path="gate"),
        ],
        "Laboratory": [
            st.Page("pages/how_it_learned.py", title="How it learned", url_path="how_it_learned"),
            st.Page("pages/depth.py", title="Depth", url_path="depth"),
            st.Page("pages/leave_out.py", title="Leave out a part", url_path="leave_out"),
            st.Page("pages/mismatch.py", title="A mismatched detail", url_path="mismatch"),
            st.Page("pages/length.py", title="Past the training length", url_path="length"),
        ],
        "Models": [
            st.Page("pages/models.py", title="The models", url_path="models"),
            st.Page("pages/parameters.py", title="Parameters", url_path="parameters"),
        ],
        "Questions and checks": [
            st.Page("pages/questions.py", title="Questions", url_path="questions"),
            st.Page("pages/checks.py", title="The checks, live", url_path="checks"),
        ],
    }


def guard(step="rest"):
    """Run app.py first when a link leads straight to a page of a server that has just started.

    Streamlit takes the pages/ folder for its older layout until st.navigation has run once, and
    would show the page without the app around it.  Then wait until all that the page imports is there, up
    to this step of ui/warm.py.
    """
    if not st.session_state.get("_shell"):
        st.navigation(pages(), position="hidden")
        st.rerun()
    if not warm.ready(step):
        with st.spinner("The server has just started, and is loading what it needs …"):
            warm.need(step)
