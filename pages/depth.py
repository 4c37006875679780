"""Depth: what more blocks can do, and the two heads that do it."""

from ui import shell

shell.guard()

import json  # noqa: E402
import random  # noqa: E402

import streamlit as st  # noqa: E402

from engine import heads, sweeps, weights  # noqa: E402
from engine.experiments import Change  # noqa: E402
from ui import asked, cache, choice, head_map, measuring, page, pattern, plot  # noqa: E402
from ui import coloured as texts  # noqa: E402
from views import coloured, tables  # noqa: E402
from views import depth as view  # noqa: E402

FAMILY = [name for name in weights.available() if name != "store"]


@st.cache_data(show_spinner=False)
def openings():
    return json.loads((choice.TEXTS.parent / "names.json").read_text(encoding="utf-8"))["openings"]


def invent():
    """Put a story with a name nobody has met into the text field."""
    dice = random.Random()
    text = view.story(dice.choice(openings()), view.invent(dice.random()))
    choice.put(own=text, text=choice.OWN)


def read(ids, labels, told):
    """Every model reads the text, which is coloured as soon as one has -> {name: probabilities}."""
    jobs = {name: measuring.readings(name, ids, [()])[()] for name in FAMILY}
    row = st.container()

    def title(name, p):
        return view.title(name, cache.model(name).setting("n_layer"), p)

    draw = texts.places(FAMILY, title, labels, told)
    with row:
        return measuring.at_once(
            jobs, wish(ids), draw, "The models read the text …", "reading the text",
            coloured.key(view.FRAME if told else ""),
        )  # fmt: skip


def wish(ids):
    """Names what the reader is looking at: after a stop nothing begins until this changes."""
    chosen = (choice.get(name, "", lambda raw: raw[:20]) for name in ("model", "block", "head", "draw"))
    return "-".join(("depth", sweeps.fingerprint(ids), *chosen))


def cause(ids, labels, starts, length):
    """The heads of one model, where one of them looks, and what is lost without it."""
    st.subheader("The cause: two heads", anchor=False)
    name = choice.model_control(FAMILY)
    model = cache.model(name)
    jobs = {name: ((model.checksum, "heads"), lambda: heads.scoring(model))}
    scores = measuring.at_once(
        jobs, wish(ids), lambda _: None, "Reading random pieces that come twice …", "scoring the heads",
        "Every head, scored on random pieces that come twice. Tap one.",
    ).get(name)  # fmt: skip
    if scores is None:
        return
    L, H = scores.induction.shape
    best_block, best_head = scores.best("induction")
    block = choice.get("block", None, choice.number(1, 1000))
    head = choice.get("head", None, choice.number(1, 1000))
    if not block or not head or block > L or head > H:  # not chosen yet, or in a model with more
        block, head = best_block + 1, best_head + 1

    def choose(new):
        b, h = (int(part) for part in new.split("."))
        choice.put(block=b, head=h)

    head_map.show(view.cells(scores), f"{block}.{head}", choose, view.KEY)
    page.notice(*view.cause(scores))
    st.markdown(f"**Where head {head} of block {block} looks in your text**")
    attention = cache.trace(name, ids, ("attention",)).attention[block - 1, head - 1]
    start = starts[1] + 1 if starts and length > 1 else len(ids) - 1
    pattern.show(labels, attention, start, f"The attention of head {head} of block {block}, all tokens")
    if starts:
        proof(name, ids, scores, (block - 1, head - 1), view.mentions(starts, length)[1])


def proof(name, ids, scores, chosen, later):
    """The text once more with heads switched off."""
    draw_number = choice.get("draw", 0, choice.number(0, 10_000))
    rows = view.switched_off(scores, chosen, draw_number)
    tries = {title: tuple(Change("head", b, h) for b, h in off) for title, off in rows.items()}
    jobs = measuring.readings(name, ids, tries.values())
    row, place = st.container(), st.empty()
    head = ("the model", "probability", "loss", "perplexity")

    def draw(given):
        shown = [(title, *view.lost(given.get(one), later)) for title, one in tries.items()]
        table = tables.table(
            "What the pieces get when they come back, and the whole text", head, shown, (1, 2, 3)
        )
        place.html(f"<style>{tables.CSS}</style>{table}")

    with row:
        given = measuring.at_once(
            jobs, wish(ids), draw, "Reading with heads switched off …", "reading without heads",
            "<b>The proof.</b> Switch a head off: zero what it gathered, before the output matrix.",
        )  # fmt: skip
    if len(given) == len(jobs):
        page.notice(view.proven(given, tries, later))
    st.button(
        "Draw another head at random", key="draw", on_click=lambda: choice.put(draw=draw_number % 10_000 + 1)
    )


def compare(given, ids, labels, starts, length):
    """What the models that have read the text gave it: in words, as curves, and the cause."""
    run = page.literal("".join(labels[starts[0] : starts[0] + length])) if starts else ""
    page.notice(*view.sentences(given, starts, length, f"**{run}**"))
    made, columns = view.curves(labels, given, starts, length, plot.dark())
    plot.show(made, columns, "depth", "The probability of every token under each model")
    cause(ids, labels, starts, length)


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
    given = read(ids, labels, told)
    if given:
        compare(given, ids, labels, starts, length)
page.source("attention", "causal_softmax")
asked.show("depth")
page.take_away()
