"""What is for the second visit, folded on a narrow screen: a line says what is inside, and a tap opens it."""

from contextlib import contextmanager
from html import escape

import streamlit as st

# Streamlit does not know how wide a screen is; a browser does.
CSS = """
:is([data-testid="stElementContainer"], [data-testid="stHtml"]):has(> details.narrow-fold),
[data-testid="stElementContainer"]:has(> [data-testid="stHtml"] > details.narrow-fold) { display: none; }
@media (max-width: 640px) {
  [data-testid="stExpanderDetails"] [data-testid="stMarkdownContainer"] { overflow-wrap: anywhere; }
  [data-testid="stExpanderDetails"] [data-testid="stMarkdownContainer"] :is(table, pre) { display: block;
    max-width: 100%; overflow-x: auto; }
  :is([data-testid="stElementContainer"], [data-testid="stHtml"]):has(> details.narrow-fold),
  [data-testid="stElementContainer"]:has(> [data-testid="stHtml"] > details.narrow-fold) { display: block; }
  .narrow-fold > summary { min-height: 44px; padding: .65rem .8rem; line-height: 1.4; font-size: .9rem;
    cursor: pointer; border-radius: 6px;
    border: 1px solid color-mix(in srgb, currentColor 45%, transparent); }
  .narrow-fold > summary:focus-visible { outline: 3px solid var(--mark-accent); outline-offset: 1px; }
  [class*="st-key-narrow-fold-"]:has(> * details.narrow-fold:not([open])) > :not(:has(details.narrow-fold)) {
    display: none; }
}
"""


@contextmanager
def on_a_phone(key, says, opened=False):
    """Around what is folded there; on a wide screen it stands as it is.

    says: what is inside.  opened: whether it is open when the page comes, as for a link that leads there.
    """
    with st.container(key=f"narrow-fold-{key}"):
        state = " open" if opened else ""
        st.html(f'<details class="narrow-fold"{state}><summary>{escape(says)}</summary></details>')
        yield
