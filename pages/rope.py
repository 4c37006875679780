"""RoPE: positions as turns, on one query and one key."""

from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from engine import presets, rope  # noqa: E402
from ui import choice, page, plot  # noqa: E402
from views import rope as views  # noqa: E402

CONTEXT = presets.FAMILY["sprout"]["context"]


def place_sliders():
    """The two sliders and the switch that ties them -> positions (m, n)."""
    m = choice.get("m", 5, choice.number(0, views.LONGEST))
    n = choice.get("n", 2, choice.number(0, views.LONGEST))
    together = choice.get("together", False, choice.switch)

    def moved(which):
        m_new, n_new = views.move(m, n, which, st.session_state[f"control.{which}"], together)
        choice.put(m=m_new, n=n_new)

    for which, label, value in (("m", "Query's position", m), ("n", "Key's position", n)):
        st.session_state[f"control.{which}"] = value
        st.slider(label, 0, views.LONGEST, key=f"control.{which}", on_change=moved, args=(which,))
    choice.bound(st.toggle, "Move both", "together", together, help="The distance stays as it is.")
    return m, n


@st.fragment
def distance():
    name = choice.get("vectors", "1", choice.one_of(*views.CHECKS))
    with page.controls():
        choice.bound(
            st.selectbox, "Query and key: random numbers", "vectors", name, options=tuple(views.CHECKS),
            format_func=views.check_title,
        )  # fmt: skip
        m, n = place_sliders()
    check = views.CHECKS[name]
    scaled = check["scaled"]
    query, key = rope.draw(check["seed"], check["width"])
    with page.figure():
        made, columns = views.curve(query, key, m - n, CONTEXT, scaled, plot.dark())
        plot.show(made, columns, "rope-distance", "The score against the distance of query and key")
    score = rope.score(query, key, m, n, scaled=scaled)
    page.notice(
        views.where_sentence(m, n, score),
        views.spread_sentence(*views.spread(query, key, m, n, scaled)),
        views.beyond_sentence(m, n, CONTEXT),
    )
    st.markdown("**Equal distances, equal scores.** The last row is your own place.")
    st.table(views.places_table(query, key, (*check["places"], (m, n)), scaled), border="horizontal")


page.head(
    "RoPE",
    "A query and a key are turned, pair by pair, by angles that grow with their positions. "
    "Find out what their score still knows of where they stand.",
)
distance()
page.source("rope")
page.take_away()
