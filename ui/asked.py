"""Try, on a page of the laboratory: links to the questions about it, where the score is kept."""

import streamlit as st

from ui import page
from views import questions

_CSS = """
[data-testid="stPageLink"] a { min-height: 2.75rem; height: auto; }
[data-testid="stPageLink"] a * { white-space: normal; overflow: visible; }
"""  # a question wraps on a phone instead of being cut


def show(name):
    """The questions that are to be tried on the page of this name, each as a link."""
    if page.teaching():
        return
    st.html(f"<style>{_CSS}</style>")
    st.header("Try", anchor=False)
    for number, one in questions.about(name):
        label, where = page.literal(one.question), {"question": str(number)}
        st.page_link("pages/questions.py", label=label, icon=":material/quiz:", query_params=where)
