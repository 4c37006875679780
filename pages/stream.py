from ui import shell

shell.guard()

from functools import partial

import streamlit as st

from engine import precision, stream, sweeps, weights
from ui import cache, choice, held_out, measuring, page, plot
from views import bars, stream_models
from views import precision as rounding
from views import stream as views

IDEAS = {
    "added": "What each part adds",
    "numbers": "Size of the numbers",
    "direction": "Direction",
    "bits": "Fewer bits",
    "models": "All models",
}
PICTURES = {
    "added": "Mean lengths of what each part adds, and of the stream, by block",
    "numbers": "Root mean square and largest number of the stream, by block",
    "direction": "Cosine between the stream before and after each block",
}
DRAW = {"added": views.added_plot, "numbers": views.numbers_plot, "direction": views.direction_plot}
FEW = 8  # texts of ours that are read with every rounding: all of them would take minutes
QUESTIONS = [
    (
        "Attention adds a vector of length 3 and the feed-forward layer one of length 4. How much longer "
        "is the stream?",
        "That depends on where they point. Along the stream, 7 longer; against it, up to 7 shorter; at "
        "right angles to it and to each other, lengths go by Pythagoras: √(length² + 9 + 16). That is "
        "why the bars do not stack up to the line.",
    ),
    (
        "Does it matter that the stream grows from block to block?",
        "Each part reads the stream through a norm, so what it reads is always of the same size. But "
        "what a later block adds must be larger to turn a longer vector by the same angle, and a number "
        "format with a small range, such as float16, may end. Before you run a model in float16, look at "
        "its largest number.",
    ),
    (
        "Why does a block add instead of replacing?",
        "The derivative of x + f(x) is 1 + f′(x): the 1 keeps a road for the gradient through any number "
        "of blocks (He et al. 2015). And a new block, whose last matrices start small, begins by adding "
        "almost nothing.",
    ),
]


def read():
    """What the model reads -> a list of ids each."""
    if averaged:
        return held_out.ids(name)
    ids, dropped = cache.fitting_ids(name, text)
    page.left_out(dropped)
    return [ids]


def few():
    """The texts of ours that are read anew with every rounding."""
    return f"first {FEW} of our {held_out.kind(name)}"


def over(measure, every):
    """measure(trace) of everything that is read -> a list."""
    return held_out.over_texts(name, measure) if averaged else [cache.of_pass(measure, name, every[0])]


def fewer_bits():
    """The same texts, with the stream or the weights rounded in one way after the other."""
    with page.figure():
        model, every = cache.model(name), read()[:FEW]
        largest = max(float(cache.of_pass(stream.measure, name, ids).largest.max()) for ids in every)
        large = sum(cache.of_pass(precision.large, name, ids) for ids in every).any(0)
        mark = f"bits-{name}-{sweeps.fingerprint(every)}"
        jobs = {
            one: ((model.checksum, mark, one), partial(precision.readings, model, how, every))
            for one, how in precision.ROUNDINGS.items()
        }
        place = st.empty()

        def draw(found):
            even = model.setting("vocab_size")
            plain = found.get("float32")
            trained = rounding.perplexity(plain) if plain else None
            place.html(bars.html("Perplexity with fewer bits", rounding.rows(found), even, trained))

        idle = "Every row is measured."
        found = measuring.at_once(jobs, mark, draw, "Rounding …", "rounding", idle)
        plot.table(rounding.columns(found), "stream-bits")
    kind = few() if averaged else None
    page.notice(*rounding.sentences(found, largest, int(large.sum()), kind))
    with st.expander("What is rounded, and how"):
        st.markdown(rounding.HOW)
    st.caption(rounding.what_was_read(found, kind))


def one_model():
    """The figure of one model, and what it shows."""
    with page.figure():
        model, every = cache.model(name), read()
        growth = stream.together(over(stream.measure, every))
        plot.show(DRAW[idea](growth, plot.dark()), views.columns(growth), f"stream-{idea}", PICTURES[idea])
    if idea == "added":
        page.notice(views.added_sentence(growth))
    elif idea == "numbers":
        number, token, _ = growth.place[growth.largest.argmax()]
        label = model.tokenizer.label(every[number][token])
        page.notice(views.numbers_sentence(growth, f"“{page.literal(label)}”"))
    else:
        page.notice(views.direction_sentence(growth))
    st.caption(views.what_was_read(growth.tokens, held_out.kind(name) if averaged else None))
    if name in views.ORIGINALS:
        st.caption(views.ORIGINALS[name])


def held_out_growth(one):
    """A model's Growth over our own texts."""
    return stream.together(held_out.over_texts(one, stream.measure))


def text_growth(one, ids):
    """A model's Growth over one text."""
    return cache.of_pass(stream.measure, one, ids)


def every_growth(averaged):
    """The Growth of every model that is here -> {name: Growth}; each reads texts of its own kind."""
    if averaged:
        return {one: held_out_growth(one) for one in weights.available()}
    return {
        one: text_growth(one, cache.fitting_ids(one, choice.chosen_text(one))[0])
        for one in weights.available()
    }


@st.fragment
def compared(growths, averaged):
    measure = choice.get("side", "length", choice.one_of(*stream_models.MEASURES))
    choice.bound(
        st.selectbox,
        "Measure",
        "side",
        measure,
        options=tuple(stream_models.MEASURES),
        format_func=lambda one: stream_models.MEASURES[one].capitalize(),
        width=320,
    )
    made = stream_models.plot(growths, measure, plot.dark())
    alt = f"{stream_models.MEASURES[measure]} by block, a line for each model"
    plot.show(made, stream_models.columns(growths), "stream-models", alt)
    page.notice(stream_models.sentence(growths))
    st.table(stream_models.table(growths), border="horizontal")
    what = (
        "The story models are measured on our stories, the store's model on our products."
        if averaged
        else "The story models read the chosen story text, the store's model the chosen product, each as far "
        "as it fits: choose the model to change its text."
    )
    st.caption(f"{what} {stream_models.what_was_read(growths)}")


page.head(
    "Residual stream",
    "Every block adds to one vector a token. Find out how much each part adds, how large the numbers "
    "get, and how far the vector turns.",
)
idea = choice.get("stream", "added", choice.one_of(*IDEAS))
with page.controls():
    name = choice.model_control()
    averaged = choice.get("held", False, choice.switch)
    if not averaged:
        text = choice.text_control(name)
    ours = {"models": "our own texts", "bits": f"the {few()}"}.get(idea) or f"our {held_out.kind(name)}"
    choice.bound(st.toggle, f"Average over {ours}", "held", averaged)
choice.bound(
    st.segmented_control,
    "What to look at",
    "stream",
    idea,
    options=tuple(IDEAS),
    format_func=IDEAS.__getitem__,
    required=True,
    label_visibility="collapsed",
)
if idea == "models":
    with page.figure():
        compared(every_growth(averaged), averaged)
elif idea == "bits":
    fewer_bits()
else:
    one_model()
page.source("rounding" if idea == "bits" else "measure", system="precision" if idea == "bits" else "growth")
page.source("stream", "block", system="store" if name == "store" else "sprout")
page.questions(QUESTIONS)
page.take_away()
