"""Leave out a part: predict what it costs, then measure it."""

from ui import shell

shell.guard()

import streamlit as st

from engine import likeness, measures, sweeps
from ui import asked, cache, choice, guess_bars, head_map, held_out, measuring, page, plot
from ui import coloured as texts
from views import bars, coloured, tables
from views import guesses as view_guesses
from views import leave_out as view
from views import likeness as likeness_view
from views.numbers import counted

SOURCES = ("ours", "one")
KNOWN, NEW = 24, 6  # texts: those that show what vectors are known, and those that are compared
WHY = """
Training made all parts together, so each learned to work with what the others leave. A **large loss** says
that the trained model relies on the part, or on the stream being as the part leaves it. A **small loss** says
that on these texts the other parts make up for it. It does not say what the part could do, nor that a model
trained without it would be worse or better by as much.
"""


def ours(model):
    """The texts that a model is measured on, in words."""
    return held_out.kind(model.name)


def predict_and_measure(model, tries, mark):
    """The bars: first the reader's, then the measured ones as they come."""
    even, rows = model.setting("vocab_size"), measures.own_rows(model)
    names = [view.name(one) for one in tries[1:]]
    guess_name = f"guess{len(names)}"
    guesses = choice.get(guess_name, None, guesses_of(len(names)))
    state = measuring.state(model, rows, tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state, "Predict again", lambda: choice.put(**{guess_name: None}))
    if not state.looked:
        st.markdown(
            "**Predict first.** Perplexity: as unsure as if among so many equally likely tokens. "
            "Drag each bar to where you think it will end, then measure."
        )
        guess_bars.show(
            "Your prediction of the perplexity",
            names,
            guesses or [50] * len(names),
            even,
            mark,
            lambda new: choice.put(**{guess_name: new}),
        )
        if len(names) > 1:
            order_field(tries, guess_name)
        return
    place = st.empty()
    caption = f"Perplexity of {model.title} over our {ours(model)}, without one part at a time"

    def draw(results):
        drawn = view.rows(tries, results, guesses and [guess_bars.value(g) for g in guesses])
        trained = results[()].perplexity if () in results else None
        place.html(bars.html(caption, drawn, even, trained))

    found = measuring.run(state, draw)
    page.notice(*view.sentences(tries, found, even), view_guesses.bars_said(tries, found, guesses))
    plot.table(view.columns(tries, found), "leave-out")
    if tries[1][0].kind == "block" and not state.missing:
        what_follows(model, rows, found, mark)


def what_follows(model, rows, found, mark):
    """Why leaving out one block is not like leaving out another: what the later blocks then read."""
    st.header("What the later blocks meet", anchor=False)
    cut = max(1, len(rows) - NEW)
    known, new = rows[:cut][:KNOWN], rows[cut:]
    jobs = {
        (): (
            (model.checksum, "met", sweeps.fingerprint([known, new])),
            lambda: likeness.met(model, known, new),
        )
    }
    idle = "The cosine to the most similar vector that followed the same block in other texts."
    met = measuring.at_once(jobs, mark, lambda _: None, "Comparing streams …", "comparing streams", idle).get(
        ()
    )
    if met is None:
        return
    head = ("left out", "what reads on", "as trained", "without it")
    title = "How much what follows resembles what is known"
    st.html(f"<style>{tables.CSS}</style>{tables.table(title, head, likeness_view.met_rows(met), (2, 3))}")
    worst = max((one for one in found if one), key=lambda one: found[one].nats)
    page.notice(*likeness_view.met_said(met, len(known), worst[0].block + 1))


@st.cache_resource(max_entries=100, show_spinner=False)
def stacked(name, checksum, ids):
    return likeness.stacked(cache.model(name), ids)


def what_keeps_places_apart(model, ids):
    """All skip connections or all feed-forward layers left out: how alike the places of a text become."""
    st.header("Leave out more: attention alone", anchor=False)
    found = stacked(model.name, model.checksum, tuple(ids))
    head = likeness_view.stacked_head(model.setting("n_layer"))
    title = (
        f"Mean cosine between two different places of a text of {counted(len(ids), 'token')}; 1: all alike"
    )
    table = tables.table(title, head, likeness_view.stacked_rows(found), range(1, len(head)))
    st.html(f"<style>{tables.CSS}</style>{table}")
    said = likeness_view.stacked_said(found)
    if said:
        page.notice(*said)


def order_field(tries, guess_name):
    """A field for those who would rather type an order than drag bars."""
    key = f"order-{guess_name}"

    def typed():
        raw = st.session_state[key]
        try:
            if raw.strip():
                choice.put(**{guess_name: view_guesses.order_to_guesses(raw, tries)})
        except ValueError as error:
            choice.say(str(error))

    what = "heads" if tries[1][0].kind == "head" else "blocks"
    st.text_input(f"Or type an order of the {what}, the worst first", key=key, on_change=typed, width=420)


def every_head(model, tries, mark):
    """All heads, one at a time: first the reader's guess, then the map as it fills."""
    rows = measures.own_rows(model)
    guess = choice.get("guess_head", None, head_of)
    if guess and guess not in {f"{one[0].block + 1}.{one[0].head + 1}" for one in tries if one}:
        guess = None  # made for a model with more heads
    state = measuring.state(model, rows, tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state, "Predict again", lambda: choice.put(guess_head=None))
    if not state.looked:
        st.markdown("**Predict first.** Without which one of these heads is most lost? Tap it, then measure.")
        head_map.show(view.untouched(tries), guess or "", lambda new: choice.put(guess_head=new))
        return
    place = st.empty()
    caption = f"Perplexity of {model.title} over our {ours(model)}, without one head at a time"
    found = measuring.run(state, lambda results: place.html(view.head_map(caption, tries, results, guess)))
    even = model.setting("vocab_size")
    page.notice(*view.sentences(tries, found, even), view_guesses.head_said(tries, found, guess))
    show_on_depth(model, found)
    plot.table(view.columns(tries, found), "leave-out")


def show_on_depth(model, found):
    """A link to where the head that is missed most looks."""
    heads = [one for one in found if one]
    if not heads or model.name == "store":  # the page on depth is about the Sprout family
        return
    worst = max(heads, key=lambda one: found[one].nats)
    where = {"model": model.name, "block": worst[0].block + 1, "head": worst[0].head + 1}
    st.page_link(
        "pages/depth.py",
        label=f"See where {view.called(worst)} looks",
        icon=":material/arrow_forward:",
        query_params={name: str(value) for name, value in where.items()},
    )


def head_of(raw):
    """A reader for the address: "block.head", both from 1."""
    block, head = (choice.number(1, 1000)(part) for part in raw.split("."))
    return f"{block}.{head}"


def guesses_of(count):
    """A reader for the address: so many whole numbers from 0 to 100."""
    one = choice.number(0, 100)

    def read(raw):
        found = [one(part) for part in raw.split(",")]
        if len(found) != count:
            raise ValueError(raw)
        return found

    return read


def token_by_token(model, tries, kind, mark):
    """The reader's text, once for every part left out, coloured by what each token was given."""
    text = choice.text_control(model.name)
    ids, cut = cache.fitting_ids(model.name, text)
    if cut:
        st.info(
            f"The text is {counted(cut, 'token')} too long for {model.title}; the first {len(ids)} are read."
        )
    if len(ids) < 2:
        st.info("Type at least one word: the first token has nothing before it to be predicted from.")
        st.stop()
    labels = [model.tokenizer.label(i) for i in ids]
    shown = tries if kind != "heads" else tries[:1]
    row, places = st.container(), st.container()
    with places:
        colour = texts.places(shown, view.title, labels)
        map_place = st.empty()

    def draw(given):
        colour(given)
        if kind == "heads":
            found = {one: view.summary(p) for one, p in given.items()}
            map_place.html(view.head_map("Perplexity of this text, without one head at a time", tries, found))

    with tail:
        what_keeps_places_apart(model, ids)
    jobs, mark = measuring.readings(model.name, ids, tries), f"{mark}-{sweeps.fingerprint(ids)}"
    with row:
        found = measuring.at_once(jobs, mark, draw, "Reading the text …", "reading the text", coloured.key())
    if () not in found or len(found) == 1:
        return
    if kind == "heads":
        texts.places([view.largest_fall(found).one], view.title, labels)(found)
    page.notice(view.fall_said(found, list(map(page.literal, labels))))
    plot.table({"token": labels[1:], **{view.name(one): p for one, p in found.items()}}, "leave-out-tokens")


page.head(
    "Leave out a part",
    "Take one part away from a trained model and measure what is lost: how far the model relies on it.",
)
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
        kind = choice.get("left_out", "block", choice.one_of(*view.KINDS))
        choice.bound(
            st.selectbox, "Left out", "left_out", kind, options=tuple(view.KINDS), format_func=view.KINDS.get
        )
        model = cache.model(name)
        L, block = model.setting("n_layer"), 0
        if kind == "head":
            block = choice.get("block", 1, choice.number(1, 1000))
            block = choice.bound(st.selectbox, "Block", "block", min(block, L), options=range(1, L + 1)) - 1
        over = choice.get("over", "ours", choice.one_of(*SOURCES))
        titles = {"ours": f"Our {ours(model)}", "one": "One text, token by token"}
        choice.bound(st.selectbox, "Measured on", "over", over, options=SOURCES, format_func=titles.get)
    tries = view.tries(model, kind, block)
spot, tail = st.container(), st.container()
page.source("run", "block", system="store") if name == "store" else page.source("block", "blocks")
asked.show("leave_out")
page.take_away()
with spot, page.figure():
    mark = f"{name}-{kind}-{block + 1}"
    with tail.expander("Why: what a loss tells, and what it does not"):
        st.markdown(WHY)
    if over == "ours":
        with tail:
            what_keeps_places_apart(model, held_out.ids(name)[0])
    if over != "ours":
        token_by_token(model, tries, kind, mark)
    elif kind == "heads":
        every_head(model, tries, mark)
    else:
        predict_and_measure(model, tries, mark)
