"""Depth: what more blocks can do, and the two heads that do it."""

from ui import shell

shell.guard()

import json  # noqa: E402
import random  # noqa: E402

import streamlit as st  # noqa: E402

from engine import heads, presets, weights  # noqa: E402
from engine.experiments import Change  # noqa: E402
from ui import cache, choice, head_map, measuring, page, pattern, plot  # noqa: E402
from views import coloured, tables  # noqa: E402
from views import depth as view  # noqa: E402
from views.numbers import figure, percent  # noqa: E402

FAMILY = [name for name in weights.available() if name != "store"]


@st.cache_data(show_spinner=False)
def openings():
    return json.loads((choice.TEXTS.parent / "names.json").read_text(encoding="utf-8"))["openings"]


def invent():
    """Put a story with a name nobody has met into the text field."""
    dice = random.Random()
    text = view.story(dice.choice(openings()), view.invent(dice.random()))
    choice.put(own=text, text=choice.OWN)


@st.cache_resource(show_spinner=False)
def scores_of(name, checksum):
    return heads.score_heads(cache.model(name))


@st.fragment
def cause(ids, labels, starts, length):
    """The heads of one model, where one of them looks, and what is lost without it."""
    st.subheader("The cause: two heads", anchor=False)
    name = choice.model_control(FAMILY)
    model = cache.model(name)
    with st.spinner("Reading random pieces that come twice …"):
        scores = scores_of(name, model.checksum)
    L, H = scores.induction.shape
    best_block, best_head = scores.best("induction")
    block = choice.get("block", None, choice.number(1, 1000))
    head = choice.get("head", None, choice.number(1, 1000))
    if not block or not head or block > L or head > H:  # not chosen yet, or in a model with more
        block, head = best_block + 1, best_head + 1

    def choose(new):
        b, h = (int(part) for part in new.split("."))
        choice.put(block=b, head=h)

    st.markdown("Every head, scored on random pieces that come twice. Tap one.")
    head_map.show(scores, f"{block}.{head}", choose)
    page.notice(*view.cause(scores))
    st.markdown(f"**Where head {head} of block {block} looks in your text**")
    attention = cache.trace(name, ids, ("attention",)).attention[block - 1, head - 1]
    start = starts[1] + 1 if starts and length > 1 else len(ids) - 1
    pattern.show(labels, attention, start, f"The attention of head {head} of block {block}, all tokens")
    if starts:
        proof(name, ids, scores, (block - 1, head - 1), view.mentions(starts, length)[1])


def proof(name, ids, scores, chosen, later):
    """The text once more with heads switched off."""
    st.markdown("**The proof.** Switch a head off: zero what it gathered, before the output matrix.")
    other, all_induction = view.another_head(scores, chosen), view.induction_heads(scores)
    sets = {"as trained": [], f"without {view.called([chosen])}": [chosen]}
    if other != chosen:
        sets[f"without {view.called([other])}, drawn at random"] = [other]
    if len(all_induction) > 1:
        title = (
            f"without all {len(all_induction)} heads that score {percent(view.SEEN)} or more for induction"
        )
        sets[title] = all_induction
    rows = []
    for title, off in sets.items():
        given = measuring.probabilities(name, ids, [Change("head", b, h) for b, h in off])
        nats, perplexity = view.worth(given)
        rows.append((title, percent(view.mean(given, later)), f"{nats:.3f}", figure(perplexity)))
    head = ("the model", "the pieces, when they come back", "loss, nats a token", "perplexity")
    st.html(f"<style>{tables.CSS}</style>" + tables.table("With heads switched off", head, rows, (1, 2, 3)))


page.head(
    "Depth",
    "Models of different depth read the same text, in which a made-up name comes twice. "
    "See which of them knows it the second time, and why.",
)
with page.figure():
    with page.controls():
        text = choice.text_control("gpt-4", default="name")
        st.button("Invent a new name", on_click=invent, key="invent")
    tokenizer = cache.model(FAMILY[0]).tokenizer
    ids, cut = cache.fitting_ids(FAMILY[0], text)
    if cut:
        st.info(f"The text is {cut} tokens too long; the first {len(ids)} are read.")
    if len(ids) < 3:
        st.info("Type at least two words: the first token has nothing before it to be predicted from.")
        st.stop()
    labels = [tokenizer.label(i) for i in ids]
    starts, length = heads.longest_repeat(ids, lambda i: any(c.isalnum() for c in tokenizer.label(i)))
    told = {start + i for start in starts for i in range(length)}
    with st.spinner("The models read the text …"):
        given = {name: measuring.probabilities(name, ids) for name in FAMILY}
    st.html(coloured.key("the longest run of tokens that comes again" if starts else ""))
    for name, p in given.items():
        L = cache.model(name).setting("n_layer")
        blocks = "1 block" if L == 1 else f"{L} blocks"
        st.markdown(f"**{presets.TITLES[name]}**, {blocks}: {view.worth_sentence(p)}")
        st.html(coloured.html(labels, [None, *p.tolist()], told))
    run = page.literal("".join(labels[starts[0] : starts[0] + length])) if starts else ""
    page.notice(*view.sentences(given, starts, length, f"**{run}**"))
    made, columns = view.curves(labels, given, starts, length, plot.dark())
    plot.show(made, columns, "depth", "The probability of every token under each model")
    cause(ids, labels, starts, length)
page.source("attention", "causal_softmax")
page.take_away()
