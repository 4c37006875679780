"""Depth: what more blocks can do, and the two heads that do it."""

from ui import shell

shell.guard()

import json
import random

import numpy as np
import streamlit as st

from engine import families, heads, sweeps, weights
from engine.experiments import Change
from ui import asked, cache, choice, head_map, measuring, page, pattern, plot
from ui import coloured as texts
from views import coloured, proof, tables
from views import depth as view
from views.numbers import counted

FAMILY = [name for name in weights.shipped() if families.texts_of(name) == "stories"]  # one tokenizer


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
            jobs,
            wish(ids),
            draw,
            "The models read the text …",
            "reading the text",
            coloured.key(view.FRAME if told else ""),
        )


def wish(ids):
    """Names what the reader is looking at: after a stop nothing begins until this changes."""
    chosen = (choice.get(name, "", lambda raw: raw[:20]) for name in ("model", "block", "head", "draw"))
    return "-".join(("depth", sweeps.fingerprint(ids), *chosen))


def cause(ids, labels, starts, length):
    """The heads of one model, where one of them looks, what it adds, and what is lost without it."""
    st.header("Which heads do it", anchor=False)
    name = choice.model_control(FAMILY)
    model = cache.model(name)
    scores = scored(model, ids)
    if scores is None:
        return
    L, H = scores["trained"].induction.shape
    best_block, best_head = scores["trained"].best("induction")
    block = choice.get("block", None, choice.number(1, 1000))
    head = choice.get("head", None, choice.number(1, 1000))
    if not block or not head or block > L or head > H:  # not chosen yet, or in a model with more
        block, head = best_block + 1, best_head + 1

    def choose(new):
        b, h = (int(part) for part in new.split("."))
        choice.put(block=b, head=h)

    head_map.show(view.cells(scores["trained"]), f"{block}.{head}", choose, view.KEY)
    page.notice(*view.cause(scores["trained"], scores.get("without")))
    st.markdown(f"**Where head {head} of block {block} looks in your text**")
    attention = cache.trace(name, ids, ("attention",)).attention[block - 1, head - 1]
    start = starts[1] + 1 if starts and length > 1 else len(ids) - 1
    pattern.show(labels, attention, start, f"The attention of head {head} of block {block}, all tokens")
    chosen = (block - 1, head - 1)
    st.markdown(view.adds(lengths_added(name, model.checksum, tuple(ids), block - 1), chosen))
    if starts:
        prove(name, ids, scores["trained"], chosen, view.mentions(starts, length)[1])


def scored(model, ids):
    """Every head's scores, and those without the best previous-token head -> {which: Scores}, or None."""
    key, label, what = model.checksum, "Reading random pieces that come twice …", "scoring the heads"
    idle = "Every head, scored on random pieces that come twice. Tap one."
    place = st.container()
    jobs = {"trained": ((key, "heads"), lambda: heads.scoring(model))}
    known = measuring.recall(jobs).get("trained")
    if known is not None and known.best("previous")[0] < known.best("induction")[0]:
        off = known.best("previous")
        jobs["without"] = ((key, "heads", off), lambda: heads.scoring_without(model, [off]))
    with place:
        found = measuring.at_once(jobs, wish(ids), lambda _: None, label, what, idle)
    if known is None and found:
        st.rerun()  # now it is known which head to switch off
    return found if "trained" in found else None


@st.cache_resource(max_entries=200, show_spinner=False)
def lengths_added(name, checksum, ids, block):
    """Mean lengths of what each head of a block adds, and of their sum."""
    added = heads.added(cache.model(name), ids, block)
    return np.linalg.norm(added, axis=-1).mean(-1), float(np.linalg.norm(added.sum(0), axis=-1).mean())


def prove(name, ids, scores, chosen, later):
    """The text once more with heads switched off: some in a table, then every single one."""
    draw_number = choice.get("draw", 0, choice.number(0, 10_000))
    rows = proof.switched_off(scores, chosen, draw_number)
    tries = {title: tuple(Change("head", b, h) for b, h in off) for title, off in rows.items()}
    alone = {one: (Change("head", *one),) for one in proof.every_head(scores)}
    jobs = measuring.readings(name, ids, [*tries.values(), *alone.values()])
    row, place = st.container(), st.empty()
    head = ("the model", "probability", "loss", "perplexity")

    def draw(given):
        shown = [(title, *proof.lost(given.get(one), later)) for title, one in tries.items()]
        table = tables.table(
            "What the pieces get when they come back, and the whole text", head, shown, (1, 2, 3)
        )
        base, left = kept(given)
        grid = proof.grid(scores.induction.shape, base, left, chosen)
        place.html(f"<style>{tables.CSS}</style>{table}{grid}")

    def kept(given):
        base = view.mean(given[()], later) if () in given else None
        return base, {one: view.mean(given[off], later) for one, off in alone.items() if off in given}

    with row:
        given = measuring.at_once(
            jobs,
            wish(ids),
            draw,
            "Reading with heads switched off …",
            "reading without heads",
            "<b>The proof.</b> Switch a head off: zero what it gathered, before the output matrix.",
        )
    if len(given) == len(jobs):
        together = next((off for off in tries.values() if len(off) > 1), None)
        page.notice(*proof.proven(*kept(given), together and view.mean(given[together], later)))
    st.button(
        "Draw another head at random", key="draw", on_click=lambda: choice.put(draw=draw_number % 10_000 + 1)
    )


def compare(given, ids, labels, starts, length):
    """What the models that have read the text gave it: in words, as curves, and the cause."""
    run = page.literal(view.shown(labels[starts[0] : starts[0] + length])) if starts else ""
    page.notice(*view.sentences(given, starts, length, f"**{run}**", in_reverse(given, ids, starts, length)))
    made, columns = view.curves(labels, given, starts, length, plot.dark())
    plot.show(made, columns, "depth", "The probability of every token under each model")
    cause(ids, labels, starts, length)


def in_reverse(given, ids, starts, length):
    """The text with the run's first time in reverse order, under the models that gain from it as it is."""
    turned = view.turned(ids, starts, length)
    if turned is None:
        return {}
    found = {name: view.copied(p, starts, length) for name, p in given.items()}
    names = [name for name, one in found.items() if one and one.gain >= view.GAIN]
    jobs = {name: measuring.readings(name, turned, [()])[()] for name in names}
    return (
        measuring.at_once(
            jobs,
            wish(ids),
            lambda _: None,
            "Reading it with the first time in reverse order …",
            "reading it in reverse",
            "",
        )
        if jobs
        else {}
    )


page.head(
    "Depth",
    "Models of different depth read the same text. Where something in it comes again, a made-up name, see "
    "which of them knows it the second time, and why.",
)
with page.figure():
    with page.controls():
        text = choice.text_control("gpt-4", default="name")
        st.button("Invent a new name", on_click=invent, key="invent")
    tokenizer = cache.model(FAMILY[0]).tokenizer
    ids, cut = cache.fitting_ids(FAMILY[0], text)
    if cut:
        st.info(f"The text is {counted(cut, 'token')} too long; the first {len(ids)} are read.")
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
