"""The source panel: lines of the running engine, highlighted in their file."""

import streamlit as st

import engine


def show(part_ids, system="sprout"):
    """Show the lines of these parts, ids as in engine.parts(system)."""
    found = engine.parts(system)
    for part_id in part_ids:
        st.code(found[part_id].text, language="python", line_numbers=True)
