"""A model writes on, one drawn token after the other."""

from ui import shell

shell.guard()

import streamlit as st

from engine import families, passing, sampling
from ui import cache, choice, kept, page
from views import story
from views.numbers import counted

# What a model begins to write from, by the kind of its texts: the choice's name, and the usual beginning.
BEGINNINGS = {
    "stories": ("prompt", "Once upon a time there was"),
    "products": ("product_prompt", "Blue Cotton Shirt\n"),
    "plain": ("plain_prompt", "The capital of France is"),
    "repeats": ("repeat_prompt", choice.ready_text(next(iter(choice.ready_texts("repeats").values())))),
}


def how_to_write():
    """The controls -> (the model's name, temperature, seed, the beginning)."""
    with page.controls():
        name = choice.model_control()
        heat = choice.bound(
            st.slider,
            "Temperature",
            "temperature",
            choice.get("temperature", 0.8, choice.number(0, 2, float)),
            min_value=0.0,
            max_value=2.0,
            step=0.1,
            help="0 always takes the likeliest token (greedy).",
        )
        seed = choice.bound(
            st.number_input,
            "Seed",
            "seed",
            choice.get("seed", 1, choice.number(0, 10**6)),
            min_value=0,
            max_value=10**6,
            step=1,
            help="The same seed gives the same text.",
        )
    list_name, usual = BEGINNINGS[families.texts_of(name)]
    beginning = choice.get(list_name, usual, str)
    choice.text_field("Beginning", list_name, beginning)
    return name, heat, int(seed), beginning


def write(name, heat, seed, beginning, place):
    """Writes token by token.  Not in a fragment: only a click that runs the page again ends a run."""
    model = cache.model(name)
    ids, cut = cache.fitting_ids(model, beginning)
    if cut:
        st.info(f"The beginning is {counted(cut, 'token')} too long; the first {len(ids)} are used.")
    by = f"Written by {model.title} at temperature {heat:g}, seed {seed}."
    st.caption(page.literal(by))
    with st.spinner("Writing …", show_time=True):
        drawn = sampling.continuation(model, ids, 150, heat, seed=seed)
        for new in kept.stepwise(passing.reading(model, len(ids) + 150), drawn):
            ids.append(new)
            st.session_state["written"] = (by, model.tokenizer.decode(ids))
            place.text(st.session_state["written"][1])


page.head(
    "Write a story", "Give a beginning, and a model draws the next token from its bars, again and again."
)
name, *wanted = how_to_write()
with st.container(horizontal=True):
    start = st.button("Write", key="write")
    st.button("Stop", key="stop")
working, written = st.empty(), st.empty()
if not start and "written" in st.session_state:
    by, text = st.session_state["written"]
    working.caption(page.literal(by))
    written.text(text)
page.notice(story.NOTICE)
page.source("generate")
page.questions(story.QUESTIONS)
page.take_away()
if start:
    with working.container(), page.figure():
        write(name, *wanted, written)
