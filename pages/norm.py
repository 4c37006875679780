from ui import shell

shell.guard()

import streamlit as st

from engine import norms
from ui import cache, choice, norm_order, page, plot
from views import norm as views

IDEAS = {
    "size": "Before and after",
    "mean": "Scaled, not centred",
    "epsilon": "What ε does",
    "gains": "Learned gains",
    "order": "Pre-norm and post-norm",
}
EPSILONS = {
    "1e-6": "10⁻⁶, as in Sprout",
    "1e-5": "10⁻⁵, as in the store's model",
    "1e-8": "10⁻⁸",
    "1e-3": "10⁻³",
}
QUESTIONS = [
    (
        "Multiply a vector by 1,000. What does RMSNorm make of it?",
        "The same as before: the root mean square is 1,000 times larger too, and is divided out. Only "
        "the direction is left (and ε matters still less). So what a part reads does not depend on how "
        "long the stream has grown.",
    ),
    (
        "RMSNorm has d parameters, LayerNorm as in GPT-2 has 2d. Where do they come from?",
        "Both have a gain for each dimension. LayerNorm also adds a learned bias. RMSNorm leaves out the "
        "bias and the mean: fewer steps, and in practice no worse (Zhang and Sennrich 2019).",
    ),
    (
        "Why do nearly all newer models put the norm before each part?",
        "With the norm in the stream (post-norm), gradients near the output are large at the start of "
        "training, and training needs a careful warm-up; with the norm on the side road they are well "
        "behaved in every block (Xiong et al. 2020). The price is that the stream grows, so one more "
        "norm stands before the output layer.",
    ),
]


def size(model):
    with page.figure():
        trace = cache.trace(name, ids)
        first, last = ends(trace, model)
        made = views.size_plot(first, last, trace.pieces, plot.dark())
        plot.show(
            made, views.columns(first, last, trace.pieces), "norm-size", "Sizes before and after the norm"
        )
    page.notice(views.size_sentence(first, last))
    st.table(views.both_ends(first, last), border="horizontal")
    st.caption(f"Gain 1, ε = {views.scientific(model.epsilon)}, by hand in NumPy.")


def mean(model):
    with page.figure():
        trace = cache.trace(name, ids)
        first, last = ends(trace, model)
        made = views.mean_plot(last, trace.pieces, plot.dark())
        plot.show(
            made, views.columns(first, last, trace.pieces), "norm-mean", "Means after RMSNorm and LayerNorm"
        )
    page.notice(views.mean_sentence(last, lambda at: f"“{page.literal(trace.pieces[at])}”"))
    st.caption("The vectors after the last block, gain 1.")


def sizes():
    """Root mean square of every vector of the reader's text."""
    return cache.of_pass(norms.sizes, name, ids)


def ends(trace, model):
    eps = model.epsilon
    return norms.by_hand(trace.streams[0], eps), norms.by_hand(trace.streams[-1], eps)


def epsilon(model):
    with page.figure():
        smallest = float(sizes().min())
    epsilon_of("1e-5" if model.name == "store" else "1e-6", smallest)


@st.fragment
def epsilon_of(usual, smallest):
    with st.container(horizontal=True, vertical_alignment="bottom", key="epsilon-controls"):
        eps = choice.get("epsilon", usual, choice.one_of(*EPSILONS))
        choice.bound(
            st.selectbox,
            "ε",
            "epsilon",
            eps,
            options=tuple(EPSILONS),
            format_func=EPSILONS.__getitem__,
        )
        power = choice.get("power", -3.0, choice.number(-6, 2, float))
        choice.bound(
            st.slider,
            "Size of your vector, as a power of ten",
            "power",
            power,
            min_value=-6.0,
            max_value=2.0,
            step=0.1,
        )
    with page.figure():
        made, columns = views.epsilon_plot(10**power, float(eps), plot.dark())
        plot.show(made, columns, "norm-epsilon", "Size after the norm against size before")
    page.notice(views.epsilon_sentence(10**power, float(eps), smallest))


@st.fragment
def gains(model):
    found = norms.gains(model)
    names = tuple(found)
    last = len(names)
    number = min(choice.get("norm", last, choice.number(1, 1000)), last)
    choice.bound(
        st.selectbox, "Norm", "norm", number, options=range(1, last + 1), format_func=lambda i: names[i - 1]
    )
    with page.figure():
        made, columns = views.gain_plot(found[names[number - 1]], plot.dark())
        plot.show(made, columns, "norm-gains", f"The gains of one norm: {names[number - 1]}")
    page.notice(views.gain_sentence(found[names[number - 1]]))


def order(_model):
    with page.figure():
        norm_order.show()
        rms = sizes().mean(-1)
    page.notice(views.order_sentence(rms))


LINES = {"size": "by_hand", "mean": "by_hand", "epsilon": "sizes", "gains": "gains", "order": "sizes"}
SHOW = {"size": size, "mean": mean, "epsilon": epsilon, "gains": gains, "order": order}

page.head(
    "RMSNorm",
    "Before each part reads the stream, every vector is brought to the same size. "
    "Find out what that changes, what it leaves, and what was learned.",
)
idea = choice.get("rms", "size", choice.one_of(*IDEAS))
with page.controls():
    name = choice.model_control(width="stretch" if idea != "gains" else 320)
    text = choice.text_control(name) if idea != "gains" else None  # gains are the same for every text
choice.bound(
    st.segmented_control,
    "What to look at",
    "rms",
    idea,
    options=tuple(IDEAS),
    format_func=IDEAS.__getitem__,
    required=True,
    label_visibility="collapsed",
)
with page.figure():
    model = cache.model(name)
    if text is not None:
        ids, dropped = cache.fitting_ids(name, text)
        page.left_out(dropped)
SHOW[idea](model)
page.source(LINES[idea], system="norms")
page.source("block" if idea == "order" else "rms_norm", system="store" if name == "store" else "sprout")
page.questions(QUESTIONS)
page.take_away()
