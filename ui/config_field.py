"""The config.json that a reader pastes or uploads: in the address where it fits, else in the session."""

import base64
import zlib

import streamlit as st

from engine.counting import config_text
from ui import choice, page

LONGEST_IN_ADDRESS = 4_000  # letters, compressed; what every browser and server takes
_LONG = "config.long"  # where a text is kept that does not fit
_REFUSED = "config.refused"


def packed(text):
    """A text as the address holds it: compressed, in letters that an address may have.  None: too long."""
    raw = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii").rstrip("=")
    return raw if len(raw) <= LONGEST_IN_ADDRESS else None


def unpacked(raw):
    """What the address holds -> the text, of config_text.LONGEST letters at most.  Raises ValueError."""
    if len(raw) > LONGEST_IN_ADDRESS:
        raise ValueError("too long")
    data = base64.b64decode(raw + "=" * (-len(raw) % 4), altchars=b"-_", validate=True)
    opened = zlib.decompressobj()
    try:
        content = opened.decompress(data, 4 * config_text.LONGEST)
    except zlib.error as error:
        raise ValueError("damaged") from error
    if not opened.eof or opened.unused_data:
        raise ValueError("damaged, or far too long")
    text = content.decode("utf-8")
    if len(text) > config_text.LONGEST:
        raise ValueError("too long")
    return text


def control(example):
    """Draw the field and the button for a file -> the text to be read, which is the example at first."""
    text = choice.get("config", None, unpacked)
    in_address = text is not None
    if text is None:
        text = st.session_state.get(_LONG, example)
    st.file_uploader("Upload a config.json", type="json", key="upload", on_change=_uploaded)
    st.session_state["control.config"] = text
    st.text_area(
        "Or paste it here, and press Ctrl + Enter", key="control.config", on_change=_typed, height=220
    )
    if st.session_state.get(_REFUSED):
        st.error(page.literal(st.session_state[_REFUSED]))
    elif in_address:
        st.caption("This page's address holds the text: a link to it shows the same.")
    elif text is not example:
        st.caption(
            f"The text is too long for the address, which takes {LONGEST_IN_ADDRESS:,} letters of it, "
            "compressed: a link to this page does not hold it, and reloading forgets it."
        )
    return text


def _typed():
    _keep(st.session_state["control.config"] or "")


def _uploaded():
    file = st.session_state["upload"]
    if file is None:
        return
    try:
        _keep(config_text.decoded(file.getvalue()))
    except ValueError as error:
        st.session_state[_REFUSED] = str(error)


def _keep(text):
    """Keep a text; one that is too long to be read is refused whole, in a sentence, not cut."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    st.session_state.pop(_REFUSED, None)
    if len(text) > config_text.LONGEST:
        st.session_state[_REFUSED] = config_text.too_long(f"{len(text):,} letters")
        return
    raw = packed(text)
    choice.put(config=raw)
    st.session_state.pop(_LONG, None)
    if raw is None:
        st.session_state[_LONG] = text
