from ui import shell

shell.guard()

import streamlit as st

from engine import families, gate, measures
from ui import cache, choice, held_out, page, plot
from views import gate as gate_view

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
        made, columns = gate_view.curve_plot(a, plot.dark())
        plot.show(made, columns, "gate-curve", "silu beside ReLU and GELU")
    page.notice(gate_view.curve_sentence(a))
    st.table(gate_view.curve_table(a), border="horizontal")


def controls():
    """The model and the text -> (name, text)."""
    with page.controls():
        name = choice.model_control()
        return name, choice.text_control(name)


def gated(model):
    """Whether a model has a gate; that it has none is said in the figure's place."""
    if "gate" not in model.has:
        page.lacking(gate_view.no_gate_sentence(model.title))
    return "gate" in model.has


def fitting(model, text):
    """The text's ids, as many as fit."""
    ids, dropped = cache.fitting_ids(model, text)
    page.left_out(dropped)
    return ids


def block_control(L):
    number = min(choice.get("block", 1, choice.number(1, 1000)), L)
    return choice.bound(st.selectbox, "Block", "block", number, options=range(1, L + 1)) - 1


def units():
    name, text = controls()
    with page.figure():
        model = cache.model(name)
        if not gated(model):
            return
        trace = cache.trace(model, fitting(model, text), ("gate", "value"), scores=False)
    units_of(trace)


@st.fragment
def units_of(trace):
    with st.container(horizontal=True, key="unit-controls"):
        block = block_control(len(trace.gate))
        t = token_control(trace.pieces)
    gates, values = trace.gate[block, t], trace.value[block, t]
    with page.figure():
        made, columns = gate_view.units_plot(gates, values, plot.dark())
        plot.show(made, columns, "gate-units", "Gate, value and product of every hidden unit")
    page.notice(gate_view.units_sentence(gates, values))
    st.markdown("**The most active units**")
    st.table(gate_view.active_table(gates, values), border="horizontal")
    first = int(gate.most_active(gate.products(trace)[block, t], 1)[0])
    if st.button(f"See which texts drive unit {first}"):
        choice.put(gate="unit", block=block + 1, unit=first)
        st.rerun()


def token_control(pieces):
    T = len(pieces)
    t = min(choice.get("token", T - 1, choice.number(0, 10**6)), T - 1)

    def named(i):
        return f"{i}: {pieces[i]}"

    return choice.bound(st.selectbox, "Token", "token", t, options=range(T), format_func=named)


def shut():
    name, text = controls()
    with page.figure():
        model = cache.model(name)
        if not gated(model):
            return

        def why_shut(trace):
            return gate.why_shut(gate.scores(model, trace))

        ids = fitting(model, text)
        trace = cache.trace(model, ids, ("gate", "value"), scores=False)
        why = cache.of_pass(why_shut, model, ids, ("gate", "value"))
    shut_in(gate.nearly_shut(trace.gate), why, trace.pieces, trace.gate.shape[-1])


@st.fragment
def shut_in(counts, why, pieces, F):
    block = block_control(len(counts))
    with page.figure():
        made = gate_view.shut_plot(counts, block, pieces, plot.dark())
        columns = {
            "position": range(len(pieces)),
            "token": pieces,
            "units nearly shut": counts[block],
        }
        plot.show(made, columns, "gate-shut", "Units nearly shut at each position of the text")
    page.notice(gate_view.shut_sentence(counts, block, F), gate_view.why_shut_sentence(*why))
    st.table(gate_view.shut_table(counts, F, *why), border="horizontal")
    st.caption("Nearly shut: the gate lies between −0.05 and 0.05. The last two columns count every gate.")


def unit():
    with page.controls():
        name = choice.model_control(width=NARROW)
    with page.figure():
        model = cache.model(name)
        if not gated(model):
            return
        found, beforehand = held_out.driving(model)
    driven(model, found, held_out.ids(model))
    training = None if families.is_added(name) else name
    st.caption(gate_view.driving_origin(training, held_out.kind(model), beforehand))


@st.fragment
def driven(model, found, texts):
    L, F, _ = found.product.shape
    with st.container(horizontal=True, vertical_alignment="bottom", key="unit-controls"):
        block = block_control(L)
        chosen = min(choice.get("unit", 0, choice.number(0, 1_000_000)), F - 1)
        choice.bound(st.number_input, f"Unit, 0 to {F - 1}", "unit", chosen, min_value=0, max_value=F - 1)
    label, top = model.tokenizer.label, found.of(block, chosen)
    tokens = [label(texts[i][token]) for i, token, _ in top]
    with page.figure():
        rows = [(i, value, gate_view.snippet([label(x) for x in texts[i]], token)) for i, token, value in top]
        st.html(gate_view.DRIVING_CSS + gate_view.driving_html(measures.ONE[model.texts], rows))
        plot.table(gate_view.driving_columns(top, tokens), "gate-unit")
    page.notice(gate_view.driving_sentence(top, [f"“{page.literal(token)}”" for token in tokens]))


def width():
    with page.controls():
        name = choice.model_control(width=NARROW)
    every = {one: families.architecture_of(one) for one in families.available()}
    settings = {families.title(one): (a.d_model, a.d_ff) for one, a in every.items() if a.gated}
    with page.figure():
        made = gate_view.width_plot(settings, plot.dark())
        columns = gate_view.width_columns(settings)
        plot.show(made, columns, "gate-width", "Parameters of plain and gated layers")
    own, title = every[name], families.title(name)
    if own.gated:
        page.notice(gate_view.width_sentence(page.literal(title), own.d_model, own.d_ff))
    else:
        page.lacking(gate_view.no_gate_sentence(title))
    st.table(gate_view.width_table(settings), border="horizontal")


SHOW = {"curve": curve, "units": units, "shut": shut, "unit": unit, "width": width}

page.head(
    "The gate",
    "A feed-forward layer multiplies each hidden value by a gate. "
    "Find out which gates open for a token, and which texts open a unit.",
)
idea = choice.tabs("gate", IDEAS)
SHOW[idea]()
page.source(idea if idea != "unit" else "driving", system="gates")
page.source("feed_forward", "silu", model=choice.chosen_model())
page.questions(QUESTIONS)
page.take_away()
