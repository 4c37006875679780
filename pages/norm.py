from ui import shell

shell.guard()

import streamlit as st

from engine import norms
from ui import cache, choice, norm_order, page, plot
from views import norm as norm_view

IDEAS = {
    "size": "Before and after",
    "mean": "Scaled, not centred",
    "epsilon": "What ε does",
    "gains": "Learned gains",
    "order": "Pre-norm and post-norm",
}
EPSILONS = ("1e-6", "1e-5", "1e-8", "1e-3")
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


def size(model, ids):
    with page.figure():
        trace = cache.trace(model, ids, scores=False)
        first, last = ends(trace, model.epsilon)
        made = norm_view.size_plot(first, last, trace.pieces, plot.dark())
        columns = norm_view.columns(first, last, trace.pieces)
        plot.show(made, columns, "norm-size", "Sizes before and after the norm")
    page.notice(norm_view.size_sentence(first, last))
    st.table(norm_view.both_ends(first, last), border="horizontal")
    st.caption(f"Gain 1, ε = {norm_view.scientific(model.epsilon)}, by hand in NumPy.")


def mean(model, ids):
    with page.figure():
        trace = cache.trace(model, ids, scores=False)
        first, last = ends(trace, model.epsilon)
        made = norm_view.mean_plot(last, trace.pieces, plot.dark())
        columns = norm_view.columns(first, last, trace.pieces)
        plot.show(made, columns, "norm-mean", "Means after RMSNorm and LayerNorm")
    page.notice(norm_view.mean_sentence(last, lambda at: f"“{page.literal(trace.pieces[at])}”"))
    st.caption("The vectors after the last block, gain 1.")


def ends(trace, eps):
    """Both norms on the vectors that enter block 1, and on those that leave the last block."""
    return norms.by_hand(trace.streams[0], eps), norms.by_hand(trace.streams[-1], eps)


def epsilon(model, ids):
    with page.figure():
        smallest = float(cache.of_pass(norms.sizes, model, ids).min())
    epsilon_of(model.epsilon, model.title, smallest)


@st.fragment
def epsilon_of(own, title, smallest):
    with st.container(horizontal=True, vertical_alignment="bottom", key="epsilon-controls"):
        eps, power = epsilon_control(own, title), power_control()
    with page.figure():
        made, columns = norm_view.epsilon_plot(10**power, eps, plot.dark())
        plot.show(made, columns, "norm-epsilon", "Size after the norm against size before")
    page.notice(norm_view.epsilon_sentence(10**power, eps, smallest))


def epsilon_control(own, title):
    """The chosen ε, before that the model's own."""
    usual = next((one for one in EPSILONS if float(one) == own), f"{own:g}")
    options = tuple(dict.fromkeys((*EPSILONS, usual)))

    def named(one):
        return norm_view.epsilon_title(float(one), title if one == usual else None)

    eps = choice.get("epsilon", usual, choice.one_of(*options))
    return float(choice.bound(st.selectbox, "ε", "epsilon", eps, options=options, format_func=named))


def power_control():
    """The size of the reader's vector, as a power of ten."""
    power = choice.get("power", -3.0, choice.number(-6, 2, float))
    limits = {"min_value": -6.0, "max_value": 2.0, "step": 0.1}
    label = "Size of your vector, as a power of ten"
    return choice.bound(st.slider, label, "power", power, **limits)


@st.fragment
def gains(model, _ids):
    found = norms.gains(model)
    names = tuple(found)
    last = len(names)
    number = min(choice.get("norm", last, choice.number(1, 1000)), last)
    choice.bound(
        st.selectbox, "Norm", "norm", number, options=range(1, last + 1), format_func=lambda i: names[i - 1]
    )
    gain = found[names[number - 1]]
    with page.figure():
        made, columns = norm_view.gain_plot(gain, plot.dark())
        plot.show(made, columns, "norm-gains", f"The gains of one norm: {names[number - 1]}")
    page.notice(norm_view.gain_sentence(gain))


def order(model, ids):
    with page.figure():
        norm_order.show()
        rms = cache.of_pass(norms.sizes, model, ids).mean(-1)
    page.notice(norm_view.order_sentence(rms))


def fitting(model, text):
    """The text's ids, as many as fit; None for no text."""
    if text is None:
        return None
    ids, dropped = cache.fitting_ids(model, text)
    page.left_out(dropped)
    return ids


LINES = {"size": "by_hand", "mean": "by_hand", "epsilon": "sizes", "gains": "gains", "order": "sizes"}
SHOW = {"size": size, "mean": mean, "epsilon": epsilon, "gains": gains, "order": order}

page.head(
    "RMSNorm",
    "Before each part reads the stream, every vector is brought to the same size. "
    "Find out what that changes, what it leaves, and what was learned.",
)
idea = choice.tab("rms", IDEAS)
with page.controls():
    name = choice.model_control(width="stretch" if idea != "gains" else 320)
    text = choice.text_control(name) if idea != "gains" else None  # gains are the same for every text
choice.tabs("rms", IDEAS)
with page.figure():
    model = cache.model(name)
    ids = fitting(model, text)
if "rms_norm" not in model.has:
    page.lacking(norm_view.other_norm_sentence(model.title, model.architecture.norm_bias))
SHOW[idea](model, ids)
page.source(LINES[idea], system="norms")
page.source("block" if idea == "order" else "rms_norm", model=model)
page.questions(QUESTIONS)
page.take_away()
