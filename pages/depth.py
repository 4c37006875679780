"""Depth: what more blocks can do, and the two heads that do it."""

from ui import shell

shell.guard()

import json
import random
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine import families, heads, passing, sweeps
from engine.errors import ReaderError
from engine.experiments import Change
from ui import (
    asked,
    cache,
    choice,
    coloured_texts,
    fold,
    head_map,
    kept,
    measuring,
    pace,
    page,
    pattern,
    plot,
)
from views import coloured, depth, proof, tables
from views.numbers import counted, within

# Where a made-up name can be put, by kind.
OPENINGS = {"stories": "openings", "products": "product_openings", "plain": "openings"}
USUAL = {
    "stories": "name",
    "products": "new-name-lamp",
    "plain": "name-twice",
}  # the text that is shown first: a name comes twice


@dataclass(frozen=True)
class Text:
    """The text as the chosen model reads it, and the models that read it in the same tokens."""

    model: object
    others: dict  # {name: Model} of all that are compared, the chosen one among them
    ids: list
    labels: list
    starts: list  # of the longest run that comes again
    length: int

    @property
    def told(self):
        """The places of the run's tokens, each time it comes."""
        return {start + i for start in self.starts for i in range(self.length)}


@kept.result()
def openings(kind):
    """Our texts of a kind with a gap for a name."""
    kept = json.loads((choice.TEXTS.parent / "names.json").read_text(encoding="utf-8"))
    return kept[OPENINGS[kind]]


def invent(name):
    """Put a text with a name nobody has met into the model's text field."""
    dice = random.Random()
    text = depth.story(dice.choice(openings(families.texts_of(name))), depth.invent(dice.random()))
    choice.put_text(name, text)


def draw_letters(name):
    """Put other letters that come twice into the model's text field."""
    choice.put_text(name, depth.letters(random.Random().random()))


def controls():
    """The page's controls -> (the chosen model, its text)."""
    with page.controls():
        name = choice.model_control()
        kind = families.texts_of(name)
        text = choice.text_control(name, default=USUAL.get(kind))
        if kind in OPENINGS:
            st.button("Invent a new name", on_click=invent, args=(name,), key="invent")
        else:
            st.button("Draw other letters", on_click=draw_letters, args=(name,), key="invent")
    return cache.model(name), text


def cut_alike(model, count):
    """The models with this one's tokenizer that read so many tokens -> ({name: Model}, {name: why not})."""
    alike, why = {}, {}
    for name in families.beside(model.name):
        try:
            one = cache.model(name)
        except ReaderError:
            why[name] = depth.NOT_LOADED
            continue
        if one.pieces != model.pieces:
            why[name] = depth.OTHER_TOKENS
        elif one.context < count:
            why[name] = depth.TOO_SHORT
        else:
            alike[name] = one
    return alike, why


def text_of(model, text):
    """The text as it is read, or a sentence in its place -> Text."""
    ids, cut = cache.fitting_ids(model, text)
    if cut:
        st.info(f"The text is {counted(cut, 'token')} too long; the first {len(ids)} are read.")
    if len(ids) < 3:
        st.info("Type at least two words: the first token has nothing before it to be predicted from.")
        st.stop()
    others, why = cut_alike(model, len(ids))
    if why:
        st.caption(page.literal(depth.left_out(why)))
    labels = [model.tokenizer.label(i) for i in ids]
    starts, length = heads.longest_repeat(ids, lambda i: any(c.isalnum() for c in model.tokenizer.label(i)))
    return Text(model, others, ids, labels, starts, length)


def read(text):
    """Every model reads the text, which is coloured as soon as one has -> {name: probabilities}."""
    jobs = {name: measuring.readings(model, text.ids, [()])[()] for name, model in text.others.items()}
    row = st.container()

    def title(name, p):
        return depth.title(name, text.others[name].architecture.n_layer, p)

    draw = coloured_texts.places(text.others, title, text.labels, text.told)
    frame = coloured.key(depth.FRAME if text.told else "")
    with row:
        return measuring.at_once(
            jobs, wish(text.ids), draw, "The models read the text …", "reading the text", frame
        )


def wish(ids):
    """Names what the reader is looking at: after a stop nothing begins until this changes."""
    chosen = (choice.get(name, "", lambda raw: raw[:20]) for name in ("model", "block", "head", "draw"))
    return "-".join(("depth", sweeps.fingerprint(ids), *chosen))


def compare(text, given):
    """What the models that have read the text gave it: in words, and as curves."""
    pieces = text.labels[text.starts[0] : text.starts[0] + text.length] if text.starts else []
    run, reverse = page.literal(depth.shown(pieces)), in_reverse(text, given)
    page.notice(*depth.sentences(given, text.starts, text.length, f"**{run}**", reverse))
    made, columns = depth.curves([*text.others], text.labels, given, text.starts, text.length, plot.dark())
    says = "The probability of every token under each model"
    with fold.on_a_phone("curves", f"{says}, as curves"):
        plot.show(made, columns, "depth", says)


def in_reverse(text, given):
    """The text with the run's first time in reverse order, under the models that gain from it as it is."""
    turned = depth.turned(text.ids, text.starts, text.length)
    if turned is None:
        return {}
    found = {name: depth.copied(p, text.starts, text.length) for name, p in given.items()}
    gaining = [name for name, one in found.items() if one and one.gain >= depth.GAIN]
    jobs = {name: measuring.readings(text.others[name], turned, [()])[()] for name in gaining}
    if not jobs:
        return {}
    label = "Reading it with the first time in reverse order …"
    return measuring.at_once(jobs, wish(text.ids), lambda _: None, label, "reading it in reverse", "")


def cause(text):
    """The heads of the chosen model, where one of them looks, what it adds, and what is lost without it."""
    st.header(page.literal(f"Which heads of {within(families.title(text.model.name))} do it"), anchor=False)
    linked = choice.get("block", None, choice.number(1, 1000)) is not None
    says = "Every head's score, where one looks in the text, and what is lost without it"
    with fold.on_a_phone("heads", says, opened=linked), page.said_if_lacking():
        scores = scored(text)
        if scores is None:
            return
        chosen = chosen_head(scores["trained"])
        show_heads(scores["trained"], chosen)
        page.notice(*depth.cause(scores["trained"], scores.get("without")))
        where_it_looks(text, chosen)
        if text.starts:
            prove(text, scores["trained"], chosen)


def scored(text):
    """Every head's scores, and those without the best previous-token head -> {which: Scores}, or None."""
    key, label, what = text.model.checksum, "Reading random pieces that come twice …", "scoring the heads"
    idle = "Every head, scored on random pieces that come twice. Tap one."
    place = st.container()
    jobs = {"trained": ((key, "heads"), lambda: heads.scoring(text.model))}
    known = measuring.recall(jobs).get("trained")
    if known is not None and known.best("previous")[0] < known.best("induction")[0]:
        off = known.best("previous")
        jobs["without"] = ((key, "heads", off), lambda: heads.scoring_without(text.model, [off]))
    with place:
        found = measuring.at_once(jobs, wish(text.ids), lambda _: None, label, what, idle)
    if known is None and found:
        st.rerun()  # now it is known which head to switch off
    return found if "trained" in found else None


def chosen_head(scores):
    """The chosen head -> (block, head), from 0; the best induction head before one is chosen."""
    L, H = scores.induction.shape
    block, head = (choice.get(name, None, choice.number(1, 1000)) for name in ("block", "head"))
    if not block or not head or block > L or head > H:  # not chosen yet, or in a model with more
        return scores.best("induction")
    return block - 1, head - 1


def show_heads(scores, chosen):
    """Every head as a button."""

    def choose(new):
        block, head = (int(part) for part in new.split("."))
        choice.put(block=block, head=head)

    head_map.show(depth.cells(scores), f"{chosen[0] + 1}.{chosen[1] + 1}", choose, depth.KEY)


def where_it_looks(text, chosen):
    """Where a head looks in the text, and what it adds to the stream."""
    block, head = chosen
    st.markdown(f"**Where head {head + 1} of block {block + 1} looks in your text**")
    attention = cache.attention(text.model, text.ids, block)[head]
    start = text.starts[1] + 1 if text.starts and text.length > 1 else len(text.ids) - 1
    label = f"The attention of head {head + 1} of block {block + 1}, all tokens"
    pattern.show(text.labels, attention, start, label)
    lengths = lengths_added(cache.key(text.model), tuple(text.ids), block, text.model)
    st.markdown(depth.adds(lengths, chosen))


@kept.result(needs=lambda key, ids, block, model: passing.shares(model, len(ids)))
def lengths_added(key, ids, block, _model):
    """Mean lengths of what each head of a block adds, and of their sum."""
    added = heads.added(_model, ids, block)
    return np.linalg.norm(added, axis=-1).mean(-1), float(np.linalg.norm(added.sum(0), axis=-1).mean())


def prove(text, scores, chosen):
    """The text once more with heads switched off: some in a table, then every single one."""
    draw_number = choice.get("draw", 0, choice.number(0, 10_000))
    later = depth.mentions(text.starts, text.length)[1]
    rows = proof.switched_off(scores, chosen, draw_number)
    tries = {title: tuple(Change("head", b, h) for b, h in off) for title, off in rows.items()}
    row, place = st.container(), st.empty()

    def draw(given):
        place.html(f"<style>{tables.CSS}</style>{table_of_lost(tries, given, later)}")

    idle = "<b>The proof.</b> Switch a head off: zero what it gathered, before the output matrix."
    label, what = "Reading with heads switched off …", "reading without heads"
    jobs = measuring.readings(text.model, text.ids, [*tries.values()])
    with row:
        given = measuring.at_once(jobs, wish(text.ids), draw, label, what, idle)
    if len(given) == len(jobs):
        together = next((off for off in tries.values() if len(off) > 1), None)
        every_head(
            text, chosen, depth.mean(given[()], later), together and depth.mean(given[together], later)
        )
    next_draw = draw_number % 10_000 + 1
    st.button("Draw another head at random", key="draw", on_click=lambda: choice.put(draw=next_draw))


def every_head(text, chosen, base, together):
    """What the run's later pieces get without each single head, block by block.

    base: what they get as trained; together: without all specialists, or None.
    """
    a, later = text.model.architecture, depth.mentions(text.starts, text.length)[1]
    jobs = measuring.without_heads(text.model, text.ids, later)
    row, place = st.container(), st.empty()

    def alone(found):
        return {(b, h): float(p.mean()) for b, of_block in found.items() for h, p in enumerate(of_block)}

    def draw(found):
        place.html(proof.grid((a.n_layer, a.n_head), base, alone(found), chosen))

    with row:
        work = measuring.work_without_heads(text.model, text.ids, jobs, later)
        mark = f"depth-heads-{text.model.name}-{sweeps.fingerprint(text.ids)}"
        found = measuring.recall(jobs)
        draw(found)
        if pace.may_begin(work, mark, "Switch off every head in turn"):
            label, what = "Switching off every head in turn …", "switching off heads"
            found = measuring.at_once(jobs, wish(text.ids), draw, label, what, "Every head in turn:")
    if len(found) == len(jobs):
        page.notice(*proof.proven(base, alone(found), together))


def table_of_lost(tries, given, later):
    """What is left of the run's later pieces without some heads, as HTML."""
    head = ("the model", "probability", "loss", "perplexity")
    shown = [(title, *proof.lost(given.get(one), later)) for title, one in tries.items()]
    title = "What the pieces get when they come back, and the whole text"
    return tables.table(title, head, shown, (1, 2, 3))


page.head(
    "Depth",
    "The chosen model reads a text, and so does every other that cuts it into the same tokens. Where "
    "something in it comes again, a made-up name, see which of them knows it the second time, and why.",
    projected=True,
)
with page.figure():
    model, words = controls()
    text = text_of(model, words)
    given = read(text)
    if given:
        compare(text, given)
        cause(text)
page.source("attention", "causal_softmax", model=model)
asked.show("depth")
page.take_away()
