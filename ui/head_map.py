"""Every head of a model as a button with its two scores."""

import streamlit as st

from ui import web

_component = st.components.v2.component(
    "head_map", html=web.text("head_map.html"), css=web.text("head_map.css"), js=web.text("head_map.js")
)


def show(scores, chosen, on_choice):
    """Draw the map.  scores: engine.heads.Scores; chosen: "block.head", from 1; on_choice(the new one)."""

    def tapped():
        new = str((st.session_state.get("head-map") or {}).get("head"))
        if new in every:
            on_choice(new)

    L, H = scores.induction.shape
    every = {f"{block + 1}.{head + 1}" for block in range(L) for head in range(H)}
    both = [
        [[round(float(p), 4), round(float(i), 4)] for p, i in zip(*rows, strict=True)]
        for rows in zip(scores.previous, scores.induction, strict=True)
    ]
    _component(data={"scores": both, "chosen": chosen}, key="head-map", on_head_change=tapped)
