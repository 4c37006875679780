"""A student's phone: join a room by its code, and guess along."""

from ui import shell

shell.guard()

import streamlit as st

from ui import ballot, choice, page

CODE = 4  # letters

page.head("A room", "Guess what comes next, with everybody in the room.")
code = choice.get("room", "")
if not code:
    choice.bound(
        st.text_input,
        "The code on the projector",
        "room",
        code,
        to_address=lambda typed: choice.kept(typed)[: 5 * CODE] or None,
        help="Four letters. Whoever opened the room sees them, and a QR code that leads here.",
        width=320,
    )
    st.button("Join", key="join")  # leaving the field is what applies it
    page.notice("A class plays the guessing game in a room: one opens it on that page, the others join here.")
else:
    with page.figure():
        ballot.show(code)
