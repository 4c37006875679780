"""An empty Streamlit app with this app's settings: what is left when there is nothing of ours."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.browser import harness

SCRIPT = """
import streamlit as st

st.title("An empty app")
st.text(st.text_area("A text", "Nothing yet"))
"""
FIRST = "h1"  # its first content
FIELD, ECHO = "A text", '[data-testid="stText"]'


@contextlib.contextmanager
def serve() -> Iterator[harness.Server]:
    """It runs until the block ends."""
    with tempfile.TemporaryDirectory(prefix="empty-app-") as folder:
        app = Path(folder) / "app.py"
        app.write_text(SCRIPT, encoding="utf-8")
        shutil.copytree(harness.ROOT / ".streamlit", app.parent / ".streamlit")
        with harness.serve(app) as server:
            yield server
