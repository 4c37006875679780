from ui import shell

shell.guard()

from functools import partial

import streamlit as st

from engine import families, grouped, rope
from ui import cache, choice, clock_hands, kept, page, plot
from views import grouped as grouped_words
from views import rope as rope_scores
from views import rope_pairs, rope_snippet, rope_vectors
from views.mismatch import nearest_base
from views.numbers import within

LEARNED = rope_scores.LONGEST + 1  # positions of the random table, as many as GPT-2 has
IDEAS = {
    "distance": "Distance",
    "hands": "Clock hands",
    "wavelengths": "Wavelengths",
    "switches": "Base and pairing",
    "head": "A trained head",
    "learned": "Learned positions",
    "numpy": "In NumPy",
}
WHY_NOT_VALUES = (
    "A score compares two vectors, so that only the angle between them is left of two turns. A value is "
    "not compared with anything: it is weighted and added to others, and the sum goes through the output "
    "matrix into the stream. Turned, the same content would arrive in another direction at every "
    "position, and the matrix would have to undo a turn it knows nothing of. So queries and keys are "
    "turned, and values are left as they are."
)
QUESTIONS = [
    (
        "A query stands at 100 and a key at 90. Both are moved, to 20 and 10. What happens to the score?",
        "Nothing. The query is turned by 80 positions less, and so is the key; the angle between them "
        "depends on the distance, and that is 10 both times. [See it](rope?m=100&n=90&together=1), then "
        "move both.",
    ),
    (
        "Do two different distances always give different scores?",
        "No. A sum of waves, one for each pair, goes up and down, and quite different distances come to "
        "nearly the same score, as the curve shows. What is promised is the other way round: equal distances "
        "give equal scores.",
    ),
    ("Why are values not turned?", WHY_NOT_VALUES),
]


def place_sliders():
    """The two sliders and the switch that ties them -> positions (m, n)."""
    m = choice.get("m", 5, choice.number(0, rope_scores.LONGEST))
    n = choice.get("n", 2, choice.number(0, rope_scores.LONGEST))
    together = choice.get("together", False, choice.switch)

    def moved(which):
        m_new, n_new = rope_scores.move(m, n, which, st.session_state[f"control.{which}"], together)
        choice.put(m=m_new, n=n_new)

    for which, label, value in (("m", "Query's position", m), ("n", "Key's position", n)):
        st.session_state[f"control.{which}"] = value
        st.slider(label, 0, rope_scores.LONGEST, key=f"control.{which}", on_change=moved, args=(which,))
    choice.bound(st.toggle, "Move both", "together", together, help="The distance stays as it is.")
    return m, n


def base_control():
    """The base: 10,000, 100,000 or the reader's own -> a number."""
    name = choice.get("base", "10000", choice.one_of(*rope_pairs.BASES))
    choice.bound(
        st.selectbox,
        "Base",
        "base",
        name,
        options=tuple(rope_pairs.BASES),
        format_func=rope_pairs.BASES.__getitem__,
    )
    if name != "own":
        return float(name)
    own = choice.get("own_base", 500.0, choice.number(2, 1e9, float))
    return choice.bound(st.number_input, "Your base", "own_base", own, min_value=2.0, max_value=1e9)


@st.fragment
def distance(model_name):
    name = choice.get("vectors", "1", choice.one_of(*rope_scores.CHECKS))
    with page.controls():
        choice.bound(
            st.selectbox,
            "Query and key: random numbers",
            "vectors",
            name,
            options=tuple(rope_scores.CHECKS),
            format_func=rope_scores.check_title,
        )
        m, n = place_sliders()
    check, context = rope_scores.CHECKS[name], trained_on(model_name)
    scaled = check["scaled"]
    query, key = rope.draw(check["seed"], check["width"])
    with page.figure():
        made, columns = rope_scores.curve(query, key, m - n, context, scaled, plot.dark())
        plot.show(made, columns, "rope-distance", "The score against the distance of query and key")
    page.notice(
        rope_scores.where_sentence(m, n, rope.score(query, key, m, n, scaled=scaled)),
        rope_scores.spread_sentence(*rope_scores.spread(query, key, m, n, scaled)),
        beyond(m, n, model_name),
    )
    st.markdown("**Equal distances, equal scores.** The last row is your own place.")
    st.table(rope_scores.places_table(query, key, (*check["places"], (m, n)), scaled), border="horizontal")
    st.caption(rope_scores.length_sentence(query, key, m, n))


def trained_on(model_name):
    """The longest text of a model's training, in positions that were turned; None without RoPE."""
    a = families.architecture_of(model_name)
    return a.context if a.positions == "rotary" else None


def beyond(m, n, model_name):
    """What a model knows of this place from its training."""
    context, title = trained_on(model_name), families.title(model_name)
    if context is None:
        return page.literal(rope_scores.no_rope_sentence(title))
    return rope_scores.beyond_sentence(m, n, context, page.literal(within(title)))


@st.fragment
def hands():
    with page.controls():
        m, n = place_sliders()
    with page.figure():
        dials = rope_pairs.hands(64, 10_000.0, m, n)
        clock_hands.show(dials, f"32 dials, the query's hand turned to position {m}, the key's to {n}")
        columns = {
            "pair": [dial["name"] for dial in dials],
            "positions for a full turn": rope.wavelengths(64),
            "query's angle, radians": [dial["query"] for dial in dials],
            "key's angle, radians": [dial["key"] for dial in dials],
        }
        plot.table(columns, "rope-hands")
    page.notice(rope_pairs.hands_sentence(64, 10_000.0, m, n))
    st.caption(
        "A head of width 64 has 32 pairs of numbers. Each is a hand, straight up at position 0; below "
        "its name stands how many positions a full turn takes, with base 10,000."
    )


def wavelengths():
    with page.controls():
        name = choice.model_control()
        base = base_control()
    context = trained_on(name)
    width = families.facts_of(name)["rotated"] or families.architecture_of(name).width_of_head
    if context is None:
        page.lacking(rope_scores.no_rope_sentence(families.title(name)))
        return
    with page.figure():
        made, columns = rope_pairs.wavelength_plot(width, base, context, plot.dark())
        plot.show(
            made, columns, "rope-wavelengths", "Positions for a full turn, by pair, against the context"
        )
    title = page.literal(within(families.title(name)))
    page.notice(rope_pairs.wavelength_sentence(width, base, context, title))


@st.fragment
def switches():
    pairing = choice.get("pairing", "neighbours", choice.one_of(*rope.PAIRINGS))
    with page.controls():
        base = base_control()
        choice.bound(
            st.selectbox,
            "Pairing",
            "pairing",
            pairing,
            options=rope.PAIRINGS,
            format_func=rope_pairs.PAIRINGS.__getitem__,
        )
    query, key = rope.draw(1, 64)
    with page.figure():
        made, columns = rope_pairs.switched(query, key, base, pairing, plot.dark())
        plot.show(made, columns, "rope-switches", "The score by distance, as trained and as switched")
    page.notice(rope_pairs.switched_sentence(query, key, base, pairing))
    st.table(rope_pairs.switched_table(query, key, base, pairing), border="horizontal")
    wrong = {} if base == 10_000 else {"wrong_base": str(nearest_base(base))}
    label = "Run a trained model with the wrong pairing or base"
    st.page_link("pages/mismatch.py", label=label, query_params=wrong)
    loud = st.expander("And a mismatch that does raise an error?", key="grouped", on_change="rerun")
    if loud.open:
        with loud, page.figure():
            grouped_queries()


def grouped_queries():
    """SmolLM2-360M's shapes in code without grouped queries: the errors as they are raised."""
    given = grouped.shapes()
    st.markdown(grouped_words.shapes_sentence(given, "SmolLM2-360M"))
    st.table(grouped_words.table(given), border="horizontal")
    st.code(f"{grouped.torch_error(given)}\n\n{grouped.numpy_error(given)}", language=None, wrap_lines=True)
    st.markdown(grouped_words.repeated_sentence(given, grouped.difference(given)))


def trained_head():
    with page.controls():
        name = choice.model_control()
        text = choice.text_control(name)
    with page.figure():
        model = cache.model(name)
        if "rotary" not in model.has:
            page.lacking(rope_scores.no_rope_sentence(model.title))
            return
        ids, dropped = cache.fitting_ids(model, text)
        trace = cache.trace(model, ids, ("queries", "keys"), scores=False)
    page.left_out(dropped)
    pair_of_tokens(trace, model.rope_speeds, model.rope_gain)


@st.fragment
def pair_of_tokens(trace, speeds, gain):
    block, head, t, s = pair_controls(trace)
    query, keys = rope_vectors.of_head(trace, block, head, t)
    with page.figure():
        actual, curve = rope_vectors.reach(query, keys, t, s, speeds, gain)
        made, columns = rope_vectors.reach_plot(actual, curve, t, s, trace.pieces, plot.dark())
        plot.show(made, columns, "rope-head", "The score of one query with one key, by distance")
    label = f"“{page.literal(trace.pieces[s])}”"
    page.notice(rope_vectors.reach_sentence(actual, curve, t, s, label))
    with st.expander("Why are values not turned?"):
        st.markdown(WHY_NOT_VALUES)


def pair_controls(trace):
    """The head, and two of the text's tokens -> (block, head, query's token, key's token), all from 0."""
    L, H, T, _ = trace.queries.shape
    block = min(choice.get("block", 1, choice.number(1, 1000)), L)
    head = min(choice.get("head", 1, choice.number(1, 1000)), H)
    t = min(choice.get("query", T - 1, choice.number(0, 100_000)), T - 1)
    s = min(choice.get("key", max(0, t - 1), choice.number(0, 100_000)), t)

    def labelled(i):
        return f"{i}: {trace.pieces[i]}"

    with st.container(horizontal=True, key="head-controls"):
        choice.bound(st.selectbox, "Block", "block", block, options=range(1, L + 1))
        choice.bound(st.selectbox, "Head", "head", head, options=range(1, H + 1))
        choice.bound(st.selectbox, "Query of", "query", t, options=range(T), format_func=labelled)
        choice.bound(st.selectbox, "Key of", "key", s, options=range(t + 1), format_func=labelled)
    return block - 1, head - 1, t, s


@st.fragment
def learned():
    with page.controls():
        m, n = place_sliders()
    query, key = rope.draw(1, 64)
    with page.figure():
        places, rotary, added = rope_vectors.shifted(query, key, m - n, LEARNED, random_tables())
        made, columns = rope_vectors.shifted_plot(places, rotary, added, n, plot.dark())
        plot.show(made, columns, "rope-learned", "The score at one distance, by the key's position")
    page.notice(rope_vectors.shifted_sentence(places, rotary, added, m - n))
    st.caption(
        f"GPT-2 learns a vector for each of {LEARNED:,} positions and adds it to the token's. The vectors "
        "here are random numbers, not GPT-2's: training makes neighbouring positions alike and may make "
        "scores depend on distance, but nothing in the formula sees to it. And the table ends: there is "
        f"no position {LEARNED:,}."
    )


@kept.result()
def random_tables():
    return rope.learned_tables(LEARNED, 64)


def numpy():
    st.code(rope_snippet.SNIPPET, language="python")
    st.markdown("**It prints**")
    st.code(rope_snippet.printed(), language=None)
    page.notice("Nothing here needs a model: copy the lines, run them, and you get the same numbers.")


SHOW = {
    "distance": partial(distance, choice.chosen_model()),
    "hands": hands,
    "wavelengths": wavelengths,
    "switches": switches,
    "head": trained_head,
    "learned": learned,
    "numpy": numpy,
}
LINES = {  # of engine/rope.py, by what they compute
    "distance": ("turn", "score", "score_at"),
    "hands": ("speeds",),
    "wavelengths": ("speeds",),
    "switches": ("turn", "score", "score_at"),
    "head": ("turn", "score_at"),
    "learned": ("turn", "learned"),
}

page.head(
    "RoPE",
    "Queries and keys are turned, pair by pair, by angles that grow with their positions. "
    "Find out what a score still knows of where the two stand.",
)
idea = choice.tabs("rope", IDEAS)
SHOW[idea]()
if idea != "numpy":  # there the lines themselves are the figure
    page.source(*LINES[idea], system="rotation")
page.source("rope", model=choice.chosen_model())
page.questions(QUESTIONS)
page.take_away()
