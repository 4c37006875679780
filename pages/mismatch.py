"""A mismatched detail: run the trained weights with one detail of the architecture wrong."""

from ui import shell

shell.guard()

import streamlit as st

from engine import likeness, measures, passing
from engine.experiments import continue_greedily
from engine.families.changes import plainly
from ui import asked, cache, choice, held_out, kept, measuring, page, plot
from views import bars, mismatch, tables
from views.numbers import counted

TOKENS = 30
# By the kind of its texts: where the beginning is kept that a model goes on with, and the usual one.
BEGINNINGS = {
    "stories": ("prompt", "Once upon a time there was"),
    "products": ("product_prompt", "Blue Cotton Shirt\n"),
    "plain": ("plain_prompt", "The capital of France is"),
}


def controls():
    """The page's controls -> (the model, itself and with each detail unlike its training)."""
    with page.controls():
        name = choice.model_control(default="store")
        model = cache.model(name)
        base = choice.get("wrong_base", 100_000, choice.one_of(*mismatch.BASES))
        epsilon = choice.get("wrong_epsilon", 0.1, choice.one_of(*mismatch.EPSILONS))
        if "base" in model.details:
            listed = {"options": mismatch.BASES, "format_func": "{:,}".format}
            choice.bound(st.select_slider, "RoPE base", "wrong_base", base, **listed)
        if "epsilon" in model.details:
            listed = {"options": mismatch.EPSILONS, "format_func": plainly}
            choice.bound(st.select_slider, "ε in the norms", "wrong_epsilon", epsilon, **listed)
    said = " ".join(filter(None, (mismatch.trained_said(model), mismatch.not_offered(model))))
    if said:
        st.caption(page.literal(said))
    return model, mismatch.tries(model, base, epsilon)  # a base or an ε as trained is no mistake


def measured(model, tries):
    """Perplexity of each, as it comes -> {try: Result}, what is known once the reader has asked."""
    if len(tries) == 1:
        page.lacking(f"No detail of {model.title} can be changed here.")
        return {}
    even, texts = model.architecture.vocab_size, measures.own_rows(model)
    state = measuring.state(model, texts, tries, f"{model.name}-details")
    with st.container(horizontal=True):
        measuring.buttons(state)
    place, ours = st.empty(), held_out.kind(model)
    caption = f"Perplexity of {model.title} over our {ours}, with one detail unlike its training at a time"

    def draw(results):
        trained = results[()].perplexity if () in results else None
        place.html(bars.html(caption, mismatch.rows(tries, results, even), even, trained))

    if not state.looked:
        draw({})
        st.markdown("Which of these cost most, and which would you not notice? Decide, then measure.")
        return {}
    found = measuring.run(state, draw)
    said = mismatch.sentences(tries, found, even)
    page.notice(*said, "What each of them writes, below, is the other half.")
    plot.table(mismatch.columns(tries, found), "mismatch")
    return found


@kept.result(needs=lambda key, ids, one, model: passing.reading(model, model.context))
def continuation(key, ids, one, _model):
    return continue_greedily(_model, list(ids), TOKENS, *one)


def beginning(model):
    """The text to go on with, and its buttons -> what writes on, once the rest of the page stands."""
    st.header("How it reads", anchor=False)
    ids = prompt(model)
    key, now = (model.checksum, tuple(ids)), st.session_state
    with st.container(horizontal=True):
        st.button("Go on writing", key="write", on_click=now.update, kwargs={"writing": key})
        st.button("Stop writing", key="stop-writing", on_click=now.update, kwargs={"writing": None})
    place, progress = st.empty(), st.container()
    st.caption(f"Greedy: the likeliest token each time, at most {TOKENS} of them, after the same beginning.")
    written = now.get("written.on", {}).get(key, {})
    now["written.on"] = {key: written}  # only the latest beginning is kept

    def write_on(tries, found):
        def steps():
            for number, one in enumerate(tries, start=1):
                written[one] = continuation(cache.key(model), tuple(ids), one, model)
                yield number / len(tries), written

        def draw(results):
            if results:
                place.html(continued(model, tries, results, found))

        draw(written)
        if now.get("writing") == key and any(one not in written for one in tries):
            with progress:
                measuring.stream(steps(), draw, "Writing …")

    return write_on


def prompt(model):
    """The beginning's field -> its ids, as far as they fit."""
    usual = f"{model.texts}_prompt", measures.OWN[model.texts]()[0][:24]
    name, usual = BEGINNINGS.get(model.texts, usual)
    typed = choice.get(name, usual, str)
    choice.text_field("Beginning", name, typed)
    ids, cut = cache.fitting_ids(model, typed)
    if cut:
        st.info(f"The beginning is {counted(cut, 'token')} too long; the first {len(ids)} are used.")
    return ids


def continued(model, tries, written, found):
    """What each has written, as HTML."""
    shown = [
        mismatch.reading(one, written[one], written.get(()), model.tokenizer.read(written[one]), found)
        for one in tries
        if one in written
    ]
    table = tables.table("The same beginning, continued", ("the model", "goes on"), shown)
    return f"<style>{tables.CSS}{mismatch.CSS}</style><div class='reads'>{table}</div>"


@kept.result()
def orders(key, first, second, _model):
    return likeness.orders(_model, first, second)


def order(model):
    """Two texts of the same tokens: what tells them apart, with the mask and RoPE and without."""
    st.header("What tells the order of the tokens", anchor=False)
    first, second = map(model.tokenizer.encode, mismatch.PAIR)
    if "rotary" not in model.has:
        page.lacking(f"{model.title} has no RoPE that could be taken away, so this is not measured.")
    elif not mismatch.same_tokens(first, second):
        page.lacking(f"{model.title} cuts the two texts of this comparison into different tokens.")
    else:
        with page.said_if_lacking():
            compare_orders(model, orders(cache.key(model), tuple(first), tuple(second), model))


def compare_orders(model, found):
    """How far apart the two texts lie, as a table and in words."""
    first, second = mismatch.PAIR
    st.markdown(
        f"“{first}” and “{second}” hold the same tokens. How far apart are the vectors they leave, by their "
        "own length?"
    )
    head = ("what these weights are given", "all vectors", "last token, block 1", "last token, last block")
    title = "Distance between the two texts: the largest from any vector to the other text's nearest"
    table = tables.table(title, head, mismatch.orders_table(found), (1, 2, 3))
    st.html(f"<style>{tables.CSS}</style>{table}")
    page.notice(*mismatch.orders_said(found, model.architecture.n_layer))


page.head(
    "A mismatched detail",
    "Run trained weights with one detail unlike their training: no error comes, so how would you notice?",
)
with page.figure():
    model, tries = controls()
spot, below = st.container(), st.container()
page.source("rope", "rms_norm", "feed_forward", model=model)
asked.show("mismatch")
page.take_away()
with below, page.figure():
    write_on = beginning(model)
with spot, page.figure():
    found = measured(model, tries)
with below, page.figure():
    write_on(tries, found)
    order(model)
