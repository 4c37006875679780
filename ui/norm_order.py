"""The two drawings of pre-norm and post-norm; st.html would take the SVG out."""

import streamlit as st

from views import norm_order

_component = st.components.v2.component("norm_order", html=norm_order.html(), css=norm_order.CSS)


def show():
    """Draw both, side by side where there is room."""
    _component(key="norm-order")
