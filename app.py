"""Sprout Explorer: the pages and their order."""

import streamlit as st

from ui import choice, page, shell

st.set_page_config(
    page_title=shell.NAME,
    layout="wide",
    menu_items={"About": "Sprout Explorer shows what real, small language models do, measured as you look."},
)
st.session_state["_shell"] = True
navigation = st.navigation(shell.pages(), position="top")
page.dress()
with choice.arriving(navigation.url_path):
    navigation.run()
