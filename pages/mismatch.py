"""A mismatched detail: run the trained weights with one detail of the architecture wrong."""

from ui import shell

shell.guard()

import streamlit as st

from engine import likeness, measures
from engine.experiments import continue_greedily
from engine.families.changes import plainly
from ui import asked, cache, choice, measuring, page, plot
from views import bars, tables
from views import mismatch as view
from views.numbers import counted

TOKENS = 30


def measured(model, tries, mark):
    """Perplexity of each, as it comes -> {try: Result}, what is known once the reader has asked."""
    even, texts = model.setting("vocab_size"), measures.own_rows(model)
    state = measuring.state(model, texts, tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state)
    place = st.empty()
    ours = f"our {len(texts)} {'products' if model.name == 'store' else 'stories'}"
    caption = f"Perplexity of {model.title} over {ours}, with one detail unlike its training at a time"

    def draw(results):
        trained = results[()].perplexity if () in results else None
        place.html(bars.html(caption, view.rows(tries, results, even), even, trained))

    if not state.looked:
        draw({})
        st.markdown("Which of these cost most, and which would you not notice? Decide, then measure.")
        return {}
    found = measuring.run(state, draw)
    page.notice(*view.sentences(tries, found, even), "What each of them writes, below, is the other half.")
    plot.table(view.columns(tries, found), "mismatch")
    return found


@st.cache_resource(max_entries=500, show_spinner=False)
def continuation(name, checksum, ids, one):
    return continue_greedily(cache.model(name), list(ids), TOKENS, *one)


def beginning(model):
    """The text to go on with, and its buttons -> what writes on, once the rest of the page stands."""
    st.header("How it reads", anchor=False)
    store = model.name == "store"
    prompt_name, usual = (
        ("product_prompt", "Blue Cotton Shirt\n") if store else ("prompt", "Once upon a time there was")
    )
    prompt = choice.get(prompt_name, usual, str)
    choice.text_field("Beginning", prompt_name, prompt)
    ids, cut = cache.fitting_ids(model.name, prompt)
    key = (model.checksum, tuple(ids))
    now = st.session_state
    with st.container(horizontal=True):
        st.button("Go on writing", key="write", on_click=now.update, kwargs={"writing": key})
        st.button("Stop writing", key="stop-writing", on_click=now.update, kwargs={"writing": None})
    if cut:
        st.info(f"The beginning is {counted(cut, 'token')} too long; the first {len(ids)} are used.")
    place, progress = st.empty(), st.container()
    st.caption(f"Greedy: the likeliest token each time, at most {TOKENS} of them, after the same beginning.")
    texts = now.get("written.on", {}).get(key, {})
    now["written.on"] = {key: texts}  # only the latest beginning is kept

    def draw(results, tries, found):
        shown = [
            view.reading(one, results[one], results.get(()), model.tokenizer.decode(results[one]), found)
            for one in tries
            if one in results
        ]
        if shown:
            title = "The same beginning, continued"
            table = tables.table(title, ("the model", "goes on"), shown)
            place.html(f"<style>{tables.CSS}{view.CSS}</style><div class='reads'>{table}</div>")

    def write_on(tries, found):
        def steps():
            for number, one in enumerate(tries, start=1):
                texts[one] = continuation(model.name, model.checksum, tuple(ids), one)
                yield number / len(tries), texts

        draw(texts, tries, found)
        if now.get("writing") == key and any(one not in texts for one in tries):
            with progress:
                measuring.stream(steps(), lambda results: draw(results, tries, found), "Writing …")

    return write_on


@st.cache_resource(max_entries=20, show_spinner=False)
def orders(name, checksum):
    model = cache.model(name)
    return likeness.orders(model, *map(model.tokenizer.encode, view.PAIR))


def order(model):
    """Two texts of the same tokens: what tells them apart, with the mask and RoPE and without."""
    st.header("What tells the order of the tokens", anchor=False)
    first, second = view.PAIR
    st.markdown(
        f"“{first}” and “{second}” hold the same tokens. How far apart are the vectors they leave, by their "
        "own length?"
    )
    found = orders(model.name, model.checksum)
    head = ("what these weights are given", "all vectors", "last token, block 1", "last token, last block")
    title = "Distance between the two texts: the largest from any vector to the other text's nearest"
    table = tables.table(title, head, view.orders_table(found), (1, 2, 3))
    st.html(f"<style>{tables.CSS}</style>{table}")
    page.notice(*view.orders_said(found, model.setting("n_layer")))


page.head(
    "A mismatched detail",
    "Run trained weights with one detail unlike their training: no error comes, so how would you notice?",
)
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
        base = choice.get("wrong_base", 100_000, choice.one_of(*view.BASES))
        choice.bound(
            st.select_slider,
            "RoPE base",
            "wrong_base",
            base,
            options=view.BASES,
            format_func="{:,}".format,
        )
        epsilon = choice.get("wrong_epsilon", 0.1, choice.one_of(*view.EPSILONS))
        choice.bound(
            st.select_slider,
            "ε in the norms",
            "wrong_epsilon",
            epsilon,
            options=view.EPSILONS,
            format_func=plainly,
        )
    model = cache.model(name)
    wanted = view.tries(model, base, epsilon)  # a base or an ε as trained is no mistake
    trained = plainly(model.epsilon)
    st.caption(f"Trained with base {model.setting('rope_base'):,.0f} and ε = {trained}.")
spot, below = st.container(), st.container()
page.source("rope", "rms_norm", "feed_forward", system="store" if name == "store" else "sprout")
asked.show("mismatch")
page.take_away()
with below, page.figure():
    write_on = beginning(model)
with spot, page.figure():
    found = measured(model, wanted, f"{name}-details")
with below, page.figure():
    write_on(wanted, found)
    order(model)
