from ui import shell

shell.guard("page")
import streamlit as st

from engine import families
from ui import choice, first_view, page
from views import first_view as first_words

OF_THE_DIAGRAM = ("part", "block", "head", "token", "step", "compare")  # its address was "/" once
if any(name in st.query_params for name in OF_THE_DIAGRAM):
    st.switch_page("pages/diagram.py", query_params=st.query_params.to_dict())


@st.fragment
def figure(name):
    """The text and the bars; a letter typed needs no run of the page."""
    with page.figure():
        first_view.show(name)


@st.fragment
def every_page():
    """All pages, fetched when somebody opens the list."""
    opened = st.expander("All pages, each in a line", key="all-pages", on_change="rerun")
    if opened.open:
        with opened:
            shell.contents()


page.head(shell.NAME, first_words.SENTENCE)
place = st.container()
with page.controls():
    name = choice.model_control(families.known(), width=230)
with place:
    figure(name)
page.notice(first_words.NOTICE)
every_page()
page.take_away()
