"""Runs the page anew when the server was away: the next one knows nothing of what is on screen.

Without it Streamlit runs nothing on such a return, and a tap on a part of the page that runs by itself
(a fragment) is dropped without a word.
"""

from ui import web

_component = web.component("again")
KEY = "server-came-back"


def watch():
    """Mount it in the run of the whole page, outside of every fragment."""
    _component(data={}, key=KEY, on_back_change=lambda: None)
