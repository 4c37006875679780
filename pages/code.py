from ui import shell

shell.guard()
import streamlit as st

from engine import source
from ui import choice, code, page

page.head("The code", "Read a file of the engine whole: these are the lines that every page here runs.")
with page.controls():
    file = choice.bound(
        st.segmented_control,
        "File",
        "file",
        choice.get("file", next(iter(source.SHOWN)), choice.one_of(*source.SHOWN)),
        options=[*source.SHOWN],
        format_func=source.SHOWN.__getitem__,
        required=True,
    )


@st.fragment
def figure(file, definition, run):
    """The file; a tap on its outline needs no run of the page."""
    with page.figure():
        code.show(file, definition, run)


st.session_state["runs"] = st.session_state.get("runs", 0) + 1
figure(file, choice.get("definition", None), st.session_state["runs"])
page.notice(
    "The text is checked against the code in memory: a file edited since the app loaded it is "
    "not shown. On the diagram, tap a part to see its lines, or a line to see its part."
)
page.take_away()
