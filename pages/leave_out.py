"""Leave out a part: predict what it costs, then measure it."""

from ui import shell

shell.guard()

import streamlit as st

from engine import likeness, measures, passing, sweeps
from engine.errors import ReaderError
from engine.families import Change
from ui import (
    asked,
    cache,
    choice,
    coloured_texts,
    guess_bars,
    head_map,
    held_out,
    kept,
    measuring,
    pace,
    page,
    plot,
)
from views import bars, coloured, guesses, leave_out, tables
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


def controls():
    """The page's controls -> (the model, the kind of part, the block of its heads from 0, what is read)."""
    with page.controls():
        name = choice.model_control(default="store")
        kind = choice.get("left_out", "block", choice.one_of(*leave_out.KINDS))
        listed = {"options": tuple(leave_out.KINDS), "format_func": leave_out.KINDS.get}
        choice.bound(st.selectbox, "Left out", "left_out", kind, **listed)
        model, block = cache.model(name), 0
        if kind == "head":
            L = model.architecture.n_layer
            block = min(choice.get("block", 1, choice.number(1, 1000)), L)
            block = choice.bound(st.selectbox, "Block", "block", block, options=range(1, L + 1)) - 1
        over = choice.get("over", "ours", choice.one_of(*SOURCES))
        titles = {"ours": f"Our {held_out.kind(model)}", "one": "One text, token by token"}
        choice.bound(st.selectbox, "Measured on", "over", over, options=SOURCES, format_func=titles.get)
    return model, kind, block, over


# Over our own texts: parts, one at a time


def predict_and_measure(model, tries, mark):
    """The bars: first the reader's, then the measured ones as they come."""
    rows, guess_name = measures.own_rows(model), f"guess{len(tries) - 1}"
    predicted = choice.get(guess_name, None, guesses_of(len(tries) - 1))
    state = measuring.state(model, rows, tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state, "Predict again", lambda: choice.put(**{guess_name: None}))
    if not state.looked:
        predict(model, tries, mark, guess_name, predicted)
        return
    found = measured(model, tries, state, predicted)
    even = model.architecture.vocab_size
    page.notice(*leave_out.sentences(tries, found, even), guesses.bars_said(tries, found, predicted))
    plot.table(leave_out.columns(tries, found), "leave-out")
    if tries[1][0].kind == "block" and not state.missing:
        what_follows(model, rows, found, mark)


def predict(model, tries, mark, guess_name, predicted):
    """Bars that the reader drags, or an order to type."""
    st.markdown(
        "**Predict first.** Perplexity: as unsure as if among so many equally likely tokens. "
        "Drag each bar to where you think it will end, then measure."
    )
    names, even = [leave_out.name(one) for one in tries[1:]], model.architecture.vocab_size
    title, places = "Your prediction of the perplexity", predicted or [50] * len(names)
    guess_bars.show(title, names, places, even, mark, lambda new: choice.put(**{guess_name: new}))
    if len(names) > 1:
        order_field(tries, guess_name)


def order_field(tries, guess_name):
    """A field for those who would rather type an order than drag bars."""
    key = f"order-{guess_name}"

    def typed():
        raw = st.session_state[key]
        try:
            if raw.strip():
                choice.put(**{guess_name: guesses.order_to_guesses(raw, tries)})
        except ReaderError as error:
            choice.say(str(error))

    what = "heads" if tries[1][0].kind == "head" else "blocks"
    st.text_input(f"Or type an order of the {what}, the worst first", key=key, on_change=typed, width=420)


def guesses_of(count):
    """A reader for the address: so many whole numbers from 0 to 100."""
    one = choice.number(0, 100)

    def read(raw):
        found = [one(part) for part in raw.split(",")]
        if len(found) != count:
            raise ValueError(raw)
        return found

    return read


def measured(model, tries, state, predicted):
    """The measured bars, as they come -> {try: Result}."""
    place, even = st.empty(), model.architecture.vocab_size
    caption = f"Perplexity of {model.title} over our {held_out.kind(model)}, without one part at a time"
    values = predicted and [guess_bars.value(one) for one in predicted]

    def draw(results):
        trained = results[()].perplexity if () in results else None
        place.html(bars.html(caption, leave_out.rows(tries, results, values), even, trained))

    return measuring.run(state, draw)


def what_follows(model, rows, found, mark):
    """Why leaving out one block is not like leaving out another: what the later blocks then read."""
    st.header("What the later blocks meet", anchor=False)
    cut = max(1, len(rows) - NEW)
    known, new = rows[:cut][:KNOWN], rows[cut:]
    key = (model.checksum, "met", sweeps.fingerprint([known, new]))
    jobs = {(): (key, lambda: likeness.met(model, known, new))}
    idle = "The cosine to the most similar vector that followed the same block in other texts."
    label, what = "Comparing streams …", "comparing streams"
    met = measuring.at_once(jobs, mark, lambda _: None, label, what, idle).get(())
    if met is None:
        return
    head = ("left out", "what reads on", "as trained", "without it")
    title = "How much what follows resembles what is known"
    st.html(f"<style>{tables.CSS}</style>{tables.table(title, head, likeness_view.met_rows(met), (2, 3))}")
    worst = max((one for one in found if one), key=lambda one: found[one].nats)
    page.notice(*likeness_view.met_said(met, len(known), worst[0].block + 1))


# Over our own texts: every head


def every_head(model, tries, mark):
    """All heads, one at a time: first the reader's guess, then the map as it fills."""
    guess = guessed_head(tries)
    state = measuring.state(model, measures.own_rows(model), tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state, "Predict again", lambda: choice.put(guess_head=None))
    if not state.looked:
        st.markdown("**Predict first.** Without which one of these heads is most lost? Tap it, then measure.")
        head_map.show(leave_out.untouched(tries), guess or "", lambda new: choice.put(guess_head=new))
        return
    place = st.empty()
    caption = f"Perplexity of {model.title} over our {held_out.kind(model)}, without one head at a time"

    def draw(results):
        place.html(leave_out.head_map(caption, tries, results, guess))

    found = measuring.run(state, draw)
    said = leave_out.sentences(tries, found, model.architecture.vocab_size)
    page.notice(*said, guesses.head_said(tries, found, guess))
    show_on_depth(model, found)
    plot.table(leave_out.columns(tries, found), "leave-out")


def guessed_head(tries):
    """The head that the reader named, "block.head" from 1; None for one that this model has not."""
    guess = choice.get("guess_head", None, head_of)
    return guess if guess in {f"{one[0].block + 1}.{one[0].head + 1}" for one in tries if one} else None


def head_of(raw):
    """A reader for the address: "block.head", both from 1."""
    block, head = (choice.number(1, 1000)(part) for part in raw.split("."))
    return f"{block}.{head}"


def show_on_depth(model, found):
    """A link to where the head that is missed most looks."""
    heads = [one for one in found if one]
    if not heads:
        return
    worst = max(heads, key=lambda one: found[one].nats)
    where = {"model": model.name, "block": str(worst[0].block + 1), "head": str(worst[0].head + 1)}
    label = f"See where {leave_out.called(worst)} looks"
    st.page_link("pages/depth.py", label=label, icon=":material/arrow_forward:", query_params=where)


# Over one text


def token_by_token(model, tries, kind, mark, tail):
    """The reader's text, once for every part left out, coloured by what each token was given."""
    ids, labels = read_text(model)
    shown = tries if kind != "heads" else tries[:1]
    row, places = st.container(), st.container()
    with places:
        colour = coloured_texts.places(shown, leave_out.title, labels)
        map_place = st.empty()

    def draw(given):
        given = by_try(given)
        colour(given)
        if kind == "heads":
            map_place.html(map_of_text(tries, given))

    with tail:
        what_keeps_places_apart(model, ids)
    with row:
        found = by_try(read_without(model, ids, tries, kind, f"{mark}-{sweeps.fingerprint(ids)}", draw))
    if () not in found or len(found) == 1:
        return
    if kind == "heads":
        coloured_texts.places([leave_out.largest_fall(found).one], leave_out.title, labels)(found)
    page.notice(leave_out.fall_said(found, list(map(page.literal, labels))))
    columns = {leave_out.name(one): p for one, p in found.items()}
    plot.table({"token": labels[1:], **columns}, "leave-out-tokens")


def read_without(model, ids, tries, kind, mark, draw):
    """The text read without every part, as far as that was asked for or is short -> what is known."""
    whole = tries[:1] if kind == "heads" else tries
    jobs = measuring.readings(model, ids, whole)
    if kind == "heads":
        places = range(1, len(ids))
        of_heads = measuring.without_heads(model, ids, places)
        work = measuring.work_without_heads(model, ids, of_heads, places)
        jobs |= of_heads
    else:
        work = pace.passes(model, ids, len(ids) * (len(jobs) - len(measuring.recall(jobs))))
    draw(found := measuring.recall(jobs))
    if not pace.may_begin(work, mark, "Read it without each part"):
        return found
    return measuring.at_once(jobs, mark, draw, "Reading the text …", "reading the text", coloured.key())


def by_try(found):
    """What is known of a text, {try: probabilities}; of a block's heads, which are made together, each."""
    made = {one: p for one, p in found.items() if isinstance(one, tuple)}
    of_heads = {block: each for block, each in found.items() if not isinstance(block, tuple)}
    return made | {(Change("head", b, h),): p for b, each in of_heads.items() for h, p in enumerate(each)}


def read_text(model):
    """The text's controls -> (its ids, as far as they fit, their labels)."""
    text = choice.text_control(model.name)
    ids, cut = cache.fitting_ids(model, text)
    if cut:
        too_long = f"The text is {counted(cut, 'token')} too long for {model.title}"
        st.info(page.literal(f"{too_long}; the first {len(ids)} are read."))
    if len(ids) < 2:
        st.info("Type at least one word: the first token has nothing before it to be predicted from.")
        st.stop()
    return ids, [model.tokenizer.label(i) for i in ids]


def map_of_text(tries, given):
    """The perplexity of a text without each head, as a map."""
    found = {one: leave_out.summary(p) for one, p in given.items()}
    return leave_out.head_map("Perplexity of this text, without one head at a time", tries, found)


# Whichever is read


def what_keeps_places_apart(model, ids):
    """All skip connections or all feed-forward layers left out: how alike the places of a text become."""
    st.header("Leave out more: attention alone", anchor=False)
    with page.said_if_lacking():
        found = stacked(cache.key(model), tuple(ids), model)
        head, length = likeness_view.stacked_head(model.architecture.n_layer), counted(len(ids), "token")
        title = f"Mean cosine between two different places of a text of {length}; 1: all alike"
        table = tables.table(title, head, likeness_view.stacked_rows(found), range(1, len(head)))
        st.html(f"<style>{tables.CSS}</style>{table}")
        said = likeness_view.stacked_said(found)
        if said:
            page.notice(*said)


@kept.result(needs=lambda key, ids, model: passing.run(model, len(ids)))
def stacked(key, ids, _model):
    return likeness.stacked(_model, ids)


def figures(model, kind, block, over, tail):
    """What was chosen, measured; tail: the place below the lines and the questions."""
    tries, mark = leave_out.tries(model, kind, block), f"{model.name}-{kind}-{block + 1}"
    with tail.expander("Why: what a loss tells, and what it does not"):
        st.markdown(WHY)
    if over == "ours":
        with tail:
            what_keeps_places_apart(model, held_out.ids(model)[0])
    if over != "ours":
        token_by_token(model, tries, kind, mark, tail)
    elif kind == "heads":
        every_head(model, tries, mark)
    else:
        predict_and_measure(model, tries, mark)


page.head(
    "Leave out a part",
    "Take one part away from a trained model and measure what is lost: how far the model relies on it.",
    projected=True,
)
with page.figure():
    chosen = controls()
spot, tail = st.container(), st.container()
page.source("run", "block", "blocks", model=chosen[0])
asked.show("leave_out")
page.take_away()
with spot, page.figure():
    figures(*chosen, tail)
