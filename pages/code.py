from ui import shell

shell.guard()
import streamlit as st

from engine import families, source
from ui import choice, code, page

page.head("The code", "Read a file of the engine whole: these are the lines that every page here runs.")


def files():
    """The files that can be read whole: ours, and the library's that run the models opened here."""
    opened = {
        source.FILES[families.family_of(name)] for name in families.available() if families.offered(name)
    }
    return source.SHOWN | {file: source.named(file).rpartition("/")[2] for file in sorted(opened)}


with page.controls():
    shown = files()
    file = choice.bound(
        st.segmented_control,
        "File",
        "file",
        choice.get("file", next(iter(shown)), choice.one_of(*shown)),
        options=[*shown],
        format_func=shown.__getitem__,
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
