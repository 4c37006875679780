from ui import shell

shell.guard()

import streamlit as st

from engine import gate, presets
from ui import cache, choice, held_out, page, plot
from views import gate as views

IDEAS = {
    "curve": "silu",
    "units": "Units of a token",
    "shut": "Nearly shut",
    "unit": "What drives a unit",
    "width": "Why ⅔ of 4d",
}
NARROW = 320  # pixels, of a control that stands alone
QUESTIONS = [
    (
        "Why multiply by a gate at all, when a plain layer with ReLU works too?",
        "In a plain layer each hidden unit is one weighted sum, cut off below 0. Here it is a product of "
        "two: one says what to pass on, the other how much of it and with which sign. At the same number of "
        "parameters, gated layers predict a little better (Shazeer 2020, who offers no explanation for it).",
    ),
    (
        "Can a gate be nearly shut and its unit still matter?",
        "Yes, if the value is large: 0.04 times 50 is 2. A product is far from 0 only if neither gate nor "
        "value is too near 0 for the other. That is why units are ranked by the product here, not by the "
        "gate.",
    ),
    (
        "What score does a nearly shut gate have?",
        "One near 0, where silu goes through 0, or one far below, from about −4.5 down, where it comes back "
        "to 0. Which of the two is more common differs from model to model: “Nearly shut” counts both on "
        "your text. A score that is merely negative does not shut its gate: at −1.28 the gate is −0.28, and "
        "the value passes with its sign turned.",
    ),
    (
        "Does a unit that answers to one kind of word store a fact?",
        "Feed-forward layers have been read as memories, with patterns that open a unit and what it then "
        "adds (Geva et al. 2021). The texts shown are those of ours that drive the unit most. What it "
        "does on others, and whether the model needs it, they can't tell: leave the layer out and measure.",
    ),
]


@st.fragment
def curve():
    a = round(choice.get("a", 1.0, choice.number(-6, 6, float)), 1)  # as the slider steps
    with page.controls():
        choice.bound(st.slider, "a", "a", a, min_value=-6.0, max_value=6.0, step=0.1)
    with page.figure():
        made, columns = views.curve_plot(a, plot.dark())
        plot.show(made, columns, "gate-curve", "silu beside ReLU and GELU")
    page.notice(views.curve_sentence(a))
    st.table(views.curve_table(a), border="horizontal")


def measured(name, text):
    """The reader's text through the model -> (model, trace with gate and value)."""
    ids, dropped = cache.fitting_ids(name, text)
    page.left_out(dropped)
    return cache.model(name), cache.trace(name, ids, ("gate", "value"))


def block_control(L):
    number = min(choice.get("block", 1, choice.number(1, 1000)), L)
    return choice.bound(st.selectbox, "Block", "block", number, options=range(1, L + 1)) - 1


def units():
    name, text = controls()
    with page.figure():
        _, trace = measured(name, text)
    units_of(trace)


@st.fragment
def units_of(trace):
    T = len(trace.ids)
    with st.container(horizontal=True, key="unit-controls"):
        block = block_control(len(trace.gate))
        t = min(choice.get("token", T - 1, choice.number(0, 10**6)), T - 1)
        choice.bound(
            st.selectbox,
            "Token",
            "token",
            t,
            options=range(T),
            format_func=lambda i: f"{i}: {trace.pieces[i]}",
        )
    gates, values = trace.gate[block, t], trace.value[block, t]
    with page.figure():
        made, columns = views.units_plot(gates, values, plot.dark())
        plot.show(made, columns, "gate-units", "Gate, value and product of every hidden unit")
    page.notice(views.units_sentence(gates, values))
    st.markdown("**The most active units**")
    st.table(views.active_table(gates, values), border="horizontal")
    first = int(gate.most_active(gate.products(trace)[block, t], 1)[0])
    if st.button(f"See which texts drive unit {first}"):
        choice.put(gate="unit", block=block + 1, unit=first)
        st.rerun()


def shut():
    name, text = controls()
    with page.figure():
        model, trace = measured(name, text)

        def why_shut(trace):
            return gate.why_shut(gate.scores(model, trace))

        why = cache.of_pass(why_shut, name, trace.ids, ("gate", "value"))
    shut_in(gate.nearly_shut(trace.gate), why, trace.pieces, trace.gate.shape[-1])


@st.fragment
def shut_in(counts, why, pieces, F):
    block = block_control(len(counts))
    with page.figure():
        made = views.shut_plot(counts, block, pieces, plot.dark())
        columns = {
            "position": range(len(pieces)),
            "token": pieces,
            "units nearly shut": counts[block],
        }
        plot.show(made, columns, "gate-shut", "Units nearly shut at each position of the text")
    page.notice(views.shut_sentence(counts, block, F), views.why_shut_sentence(*why))
    st.table(views.shut_table(counts, F, *why), border="horizontal")
    st.caption("Nearly shut: the gate lies between −0.05 and 0.05. The last two columns count every gate.")


def unit():
    with page.controls():
        name = choice.model_control(width=NARROW)
    with page.figure():
        model = cache.model(name)
        found, beforehand = held_out.driving(name)
    driven(model, found, beforehand, held_out.ids(name))


@st.fragment
def driven(model, found, beforehand, texts):
    L, F, _ = found.product.shape
    with st.container(horizontal=True, vertical_alignment="bottom", key="unit-controls"):
        block = block_control(L)
        chosen = min(choice.get("unit", 0, choice.number(0, 1_000_000)), F - 1)
        choice.bound(st.number_input, f"Unit, 0 to {F - 1}", "unit", chosen, min_value=0, max_value=F - 1)
    label = model.tokenizer.label
    with page.figure():
        top = found.of(block, chosen)
        kind = "product" if model.name == "store" else "story"
        rows = [(i, value, views.snippet([label(x) for x in texts[i]], token)) for i, token, value in top]
        st.html(views.DRIVING_CSS + views.driving_html(kind, rows))
        columns = {
            "text": [i + 1 for i, *_ in top],
            "position": [token for _, token, _ in top],
            "token": [label(texts[i][token]) for i, token, _ in top],
            "product": [value for *_, value in top],
        }
        plot.table(columns, "gate-unit")
    page.notice(views.driving_sentence(top, [f"“{page.literal(token)}”" for token in columns["token"]]))
    st.caption(views.driving_origin(model.name, held_out.kind(model.name), beforehand))


def width():
    with page.controls():
        name = choice.model_control(width=NARROW)
    every = {**presets.FAMILY, "store": presets.STORE}
    settings = {presets.TITLES[n]: (one["d_model"], one["d_ff"]) for n, one in every.items()}
    with page.figure():
        made = views.width_plot(settings, plot.dark())
        plot.show(made, views.width_table(settings), "gate-width", "Parameters of plain and gated layers")
    page.notice(views.width_sentence(presets.TITLES[name], *settings[presets.TITLES[name]]))
    st.table(views.width_table(settings), border="horizontal")


def controls():
    with page.controls():
        name = choice.model_control()
        return name, choice.text_control(name)


SHOW = {"curve": curve, "units": units, "shut": shut, "unit": unit, "width": width}

page.head(
    "The gate",
    "A feed-forward layer multiplies each hidden value by a gate. "
    "Find out which gates open for a token, and which texts open a unit.",
)
idea = choice.get("gate", "curve", choice.one_of(*IDEAS))
choice.bound(
    st.segmented_control,
    "What to look at",
    "gate",
    idea,
    options=tuple(IDEAS),
    format_func=IDEAS.__getitem__,
    required=True,
    label_visibility="collapsed",
)
SHOW[idea]()
page.source(idea if idea != "unit" else "driving", system="gates")
store = choice.get("model", "gpt-4") == "store"
page.source("feed_forward", *(["silu"] if store else []), system="store" if store else "sprout")
page.questions(QUESTIONS)
page.take_away()
