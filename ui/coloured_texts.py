"""One text several times, each time coloured as soon as its probabilities are known."""

import streamlit as st

from views import coloured


def places(names, title, pieces, told=()):
    """Keep a place for each name, the text plain in it -> draw({name: probabilities}), which colours them.

    title(name, probabilities or None) -> Markdown.  A place is drawn again only when it has something new.
    """
    st.html(f"<style>{coloured.CSS}</style>")
    spots, shown = {name: st.empty() for name in names}, {}

    def draw(given):
        for name, spot in spots.items():
            p = given.get(name)
            if name in shown and shown[name] is p:
                continue
            shown[name] = p
            with spot.container():
                st.markdown(title(name, p))
                st.html(
                    coloured.html(pieces, [None, *([None] * (len(pieces) - 1) if p is None else p)], told)
                )

    return draw
