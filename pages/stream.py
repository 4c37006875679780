from ui import shell

shell.guard()

from functools import partial

import streamlit as st

from engine import families, passing, precision, stream, sweeps
from engine.errors import ReaderError
from ui import cache, choice, held_out, kept, measuring, pace, page, plot
from views import bars, stream_models
from views import precision as precision_view
from views import stream as stream_view

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
DRAW = {
    "added": stream_view.added_plot,
    "numbers": stream_view.numbers_plot,
    "direction": stream_view.direction_plot,
}
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


def read(model, text):
    """What the model reads -> a list of ids each.  text: None for all of ours."""
    if text is None:
        return held_out.ids(model)
    ids, dropped = cache.fitting_ids(model, text)
    page.left_out(dropped)
    return [ids]


def few(model):
    """The texts of ours that are read anew with every rounding."""
    return f"first {FEW} of our {held_out.kind(model)}"


def fewer_bits(model, text):
    """The same texts, with the stream or the weights rounded in one way after the other."""
    kind = few(model) if text is None else None
    with page.figure():
        every = read(model, text)[:FEW]
        largest = max(float(cache.of_pass(stream.measure, model, ids).largest.max()) for ids in every)
        large = sum(cache.of_pass(precision.large, model, ids) for ids in every).any(0)
        found = rounded(model, every)
        plot.table(precision_view.columns(found), "stream-bits")
    page.notice(*precision_view.sentences(found, largest, int(large.sum()), kind))
    with st.expander("What is rounded, and how"):
        st.markdown(precision_view.HOW)
    st.caption(precision_view.what_was_read(found, kind))


def rounded(model, every):
    """Every rounding, drawn as it is measured -> {name: Reading}."""
    mark = f"bits-{model.name}-{sweeps.fingerprint(every)}"
    needs = passing.reading(model, max(map(len, every)))

    def begin(how):
        return kept.stepwise(needs, precision.readings(model, how, every))

    jobs = {
        one: ((model.checksum, mark, one), partial(begin, how)) for one, how in precision.ROUNDINGS.items()
    }
    place, even = st.empty(), model.architecture.vocab_size

    def draw(found):
        plain = found.get("float32")
        trained = precision_view.perplexity(plain) if plain else None
        place.html(bars.html("Perplexity with fewer bits", precision_view.rows(found), even, trained))

    draw(known := measuring.recall(jobs))
    work = pace.passes(model, every[0], (len(jobs) - len(known)) * sum(map(len, every)))
    if not pace.may_begin(work, mark, "Round in every way"):
        return known
    return measuring.at_once(jobs, mark, draw, "Rounding …", "rounding", "Every row is measured.")


def one_model(idea, model, text):
    """The figure of one model, and what it shows."""
    with page.figure():
        every = read(model, text)
        growth = grown(model, None if text is None else every[0])
        made = DRAW[idea](growth, plot.dark())
        plot.show(made, stream_view.columns(growth), f"stream-{idea}", PICTURES[idea])
    page.notice(said(idea, growth, model, every))
    kind = held_out.kind(model) if text is None else None
    st.caption(stream_view.what_was_read(growth.tokens, kind, model.tokenizer.marks))
    if model.name in stream_view.ORIGINALS:
        st.caption(stream_view.ORIGINALS[model.name])


def said(idea, growth, model, every):
    """What to notice in the figure of one model."""
    if idea == "added":
        return stream_view.added_sentence(growth)
    if idea == "direction":
        return stream_view.direction_sentence(growth)
    number, token, _ = growth.place[growth.largest.argmax()]
    label = model.tokenizer.label(every[number][token])
    return stream_view.numbers_sentence(growth, f"“{page.literal(label)}”")


def grown(model, ids):
    """A model's Growth over one text, or, with None, over all of ours of its kind."""
    if ids is None:
        return stream.together(held_out.over_texts(model, stream.measure))
    return cache.of_pass(stream.measure, model, ids)


def every_growth(name, averaged):
    """The Growth of all models that stand beside one -> {name: Growth}; each reads texts of its own kind."""
    found = {}
    for one in families.beside(name):
        try:
            model = cache.model(one)
        except ReaderError as error:
            if one == name:
                raise
            st.warning(page.literal(str(error)))
            continue
        found[one] = grown(model, None if averaged else chosen_ids(model))
    return found


def chosen_ids(model):
    """The chosen text of a model's kind, as far as it fits."""
    return cache.fitting_ids(model, choice.chosen_text(model.name))[0]


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
    st.caption(f"{stream_models.whose_texts(growths, averaged)} {stream_models.what_was_read(growths)}")


page.head(
    "Residual stream",
    "Every block adds to one vector a token. Find out how much each part adds, how large the numbers "
    "get, and how far the vector turns.",
)
idea = choice.tab("stream", IDEAS)
with page.controls():
    name = choice.model_control()
    averaged = choice.get("held", False, choice.switch)
    text = None if averaged else choice.text_control(name)
    ours = {"models": "our own texts", "bits": f"the {few(name)}"}.get(idea) or f"our {held_out.kind(name)}"
    choice.bound(st.toggle, f"Average over {ours}", "held", averaged)
choice.tabs("stream", IDEAS)
with page.figure():
    model = cache.model(name)
    if idea == "models":
        compared(every_growth(name, averaged), averaged)
if idea == "bits":
    fewer_bits(model, text)
elif idea != "models":
    one_model(idea, model, text)
page.source("rounding" if idea == "bits" else "measure", system="precision" if idea == "bits" else "growth")
page.source("stream", "block", model=model)
page.questions(QUESTIONS)
page.take_away()
