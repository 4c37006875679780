"""Who wrote this token: a score as the sum of what each part added."""

from ui import shell

shell.guard()

from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import streamlit as st

from engine import attribution, lens, passing, patching, store, sweeps
from engine.attribution import Question
from ui import (
    asked,
    cache,
    choice,
    fold,
    held_out,
    kept,
    lens_options,
    measuring,
    pace,
    page,
    pattern,
    plot,
    token_line,
    waterfall,
)
from views import gate as gate_view
from views import tables, writers
from views import waterfall as waterfall_view
from views.numbers import probability

LISTED = 5  # candidates that are offered
WHY = """
The stream is a sum: the embedding, and what each part adds. The last norm multiplies it by one number and
its gains (LayerNorm first takes off its mean, and adds a bias), and the output layer multiplies it once more.
With the norm's number fixed at what it was in this pass, all of this is linear, so a score is a **sum of what
each part wrote**, exactly (direct logit attribution; Elhage et al. 2021).

A score has no zero of its own: adding the same to all scores changes no probability. So the mean over the
vocabulary is taken off, or, with two candidates, the other one's score; their difference is the logarithm of
the ratio of their probabilities.

What a part **wrote** is not all that it does. It also changes what later parts read. The second column leaves
the part out, at every token, and runs everything after it again. The losses need not sum to the score.
"""


@dataclass(frozen=True)
class Shown:
    """What is asked, and of which pass."""

    model: object
    ids: list
    labels: list
    asked: Question

    @property
    def trace(self):
        """The pass, from what is kept: an open page holds what is asked, not the pass."""
        return passed(self.model, self.ids)

    @property
    def row_name(self):
        return lens.row_names(self.model.architecture.n_layer)[self.asked.row]

    def quoted(self, token):
        """A token in a sentence of Markdown."""
        return None if token is None else f"**{page.literal(self.model.tokenizer.label(token))}**"


def passed(model, ids):
    """The pass that is taken apart."""
    return cache.trace(model, ids, attribution.keep(model))


def chosen():
    """The page's controls -> Shown."""
    choice.belong("token", ("row", "candidate", "against", "writer"))
    with page.controls():
        name = choice.model_control(width=170)
        text = choice.text_control(name, where=st.popover("Text"))
        model = cache.model(name)
        ids, cut = cache.fitting_ids(model, text)
        labels = [model.tokenizer.label(i) for i in ids]
        token = chosen_token(len(ids))
        row = row_control(model.architecture.n_layer)
        candidate, against = candidate_controls(model, ids, token, row)
    page.left_out(cut)
    token_line.show(labels, token, "After which token? Tap it.", go_to)
    return Shown(model, ids, labels, Question(token, row, candidate, against))


def chosen_token(T):
    """After which token the score is asked for."""
    usual = max(0, T - 2)  # the last that has a real next one
    return min(choice.get("token", usual, choice.number(0, 10**6)), T - 1)


def go_to(token):
    """Ask for a score after another token."""
    choice.put(token=token, candidate=None, against=None, writer=None)


def row_control(L):
    """As of which row the sum is read."""
    row = min(choice.get("row", L, choice.number(0, 1000)), L)
    names = [name.replace(" (the model's output)", ", the output") for name in lens.row_names(L)]
    listed = {"options": range(L + 1), "format_func": names.__getitem__}
    return choice.bound(st.selectbox, "Read", "row", row, width=180, **listed)


def candidate_controls(model, ids, token, row):
    """The candidate and the one to compare it with -> (id, id or None)."""
    scores = lens.readout(model, passed(model, ids).streams[row, token][None])[0].astype(np.float64)
    p = store.softmax(scores)
    likely = [int(i) for i in np.argsort(-p, kind="stable")[:LISTED]]
    real = [int(ids[token + 1])] if token + 1 < len(ids) else []
    usual, V = likely[0], model.architecture.vocab_size
    candidate, against = (choice.get(n, None, choice.number(0, 10**6)) for n in ("candidate", "against"))
    candidate = usual if candidate is None or candidate >= V else candidate
    against = None if against is None or against >= V or against == candidate else against
    listed = list(dict.fromkeys([*likely, *real, candidate, *([] if against is None else [against])]))
    named = names(model, listed, p, real)

    def typed(raw):
        return raw if isinstance(raw, int) else lens_options.token_of(model, str(raw or ""))

    def token_list(label, name, value, first, **more):
        options = {"options": [*first, *listed], "format_func": lambda i: named.get(i, i), **more}
        return choice.bound(
            st.selectbox, label, name, value, typed, width=165, accept_new_options=True, **options
        )

    token_list("Candidate", "candidate", candidate, [], help="Any token: type it, or # and its id.")
    named[None] = "the mean of all"
    token_list("Compared with", "against", against, [None], placeholder="the mean of all")
    return candidate, against


def names(model, listed, p, real):
    """What a list calls its tokens: the label and the probability, and the id where two are called alike."""
    found = {}
    for one in listed:
        name = f"{model.tokenizer.label(one)}  {probability(p[one])}{', real' if one in real else ''}"
        found[one] = f"{name}, #{one}" if name in found.values() else name
    return found


def losses(shown):
    """What is lost without each part, as jobs for measuring: {block: (key, begin)}."""
    model, q = shown.model, shown.asked
    key = (model.checksum, "left out", tuple(shown.ids[: q.token + 1]), q)

    def begin(block):
        steps = patching.leaving_out(model, shown.trace, q, block)
        return kept.stepwise(passing.without_heads(model, q.token + 1), steps)

    return {block: ((*key, block), partial(begin, block)) for block in range(q.row)}


def work_left(shown, jobs, lost):
    """What the missing losses take: all that comes after a block, once for each part of it."""
    a, q = shown.model.architecture, shown.asked
    after = sum(q.row - block for block in jobs if block not in lost) / a.n_layer
    return pace.passes(shown.model, shown.ids, after * (a.n_head + 2) * (q.token + 1))


def read_writer(raw):
    """A reader for the address: a part's id, "a3", "f3.117" or "embedding"."""
    if raw == waterfall_view.EMBEDDING:
        return raw
    block, _, one = raw[1:].partition(".")
    if raw[:1] not in ("a", "f") or not all(
        n.isascii() and n.isdigit() and len(n) < 7 for n in (block, one or "0")
    ):
        raise ValueError(raw)
    return raw


def writer_of(shown):
    """The part that the reader opened, as far as this model has it; "" for none."""
    raw = choice.get("writer", "", read_writer)
    if raw in ("", waterfall_view.EMBEDDING):
        return raw
    a, (block, _, one) = shown.model.architecture, raw[1:].partition(".")
    there = 1 <= int(block) <= shown.asked.row
    if one and raw[0] == "a":
        there = there and 1 <= int(one) <= a.n_head
    elif one:
        there = there and shown.trace.units is not None and int(one) < shown.trace.units.shape[-1]
    return raw if there else ""


def figures(shown):
    """The waterfall, what the opened part says, and what is lost without each."""
    trace = shown.trace  # held until what asks for it is drawn, not while losses are measured
    direct = attribution.direct(shown.model, trace, shown.asked)
    q, opened, jobs = shown.asked, writer_of(shown), losses(shown)
    known = measuring.recall(jobs)
    ids = q.candidate, shown.ids[q.token], q.against
    V, label = shown.model.architecture.vocab_size, shown.model.tokenizer.label
    tokens = [shown.quoted(one) for one in ids]
    what = writers.asked(*tokens, shown.row_name, V)
    plain = writers.asked(*(None if one is None else label(one) for one in ids), shown.row_name, V)
    st.markdown(f"{what}: **{waterfall_view.signed(direct.score)}**.")
    found = waterfall_view.rows(direct, opened, known)
    waterfall.show(waterfall_view.data(found, plain), opened, lambda new: choice.put(writer=new))
    at_output = q.row == shown.model.architecture.n_layer
    page.notice(
        *filter(
            None, (writers.largest(direct), writers.sums(direct), writers.means(direct, tokens[2], at_output))
        )
    )
    plot.table(waterfall_view.columns(found), "who-wrote-it")
    if opened:
        with st.container(key=f"says-{opened.replace('.', '-')}"):
            says(shown, opened)
    del trace
    both(shown, direct, jobs, known)
    return waterfall_view.picture(found, plain)


def says(shown, opened):
    """What the opened part says, and where it looked or what drives it."""
    kind, (block, _, one) = opened[0], opened[1:].partition(".")
    trace, q = shown.trace, shown.asked
    if opened == waterfall_view.EMBEDDING:
        title, vector = "The embedding", trace.streams[0, q.token]
    else:
        title = writers.begun(writers.called(opened))
        number = None if not one else int(one) - (kind == "a")
        part = "attention" if kind == "a" else "feed-forward"
        vector = attribution.added(shown.model, trace, q.token, part, int(block) - 1, number)
    st.header(title, anchor=False)
    scores = attribution.says(shown.model, trace, q.row, q.token, vector)
    head = ("pushed up most", "by", "pushed down most", "by")
    rows = writers.pushed(scores, shown.model.tokenizer.label)
    caption = "What its addition alone adds to scores here, the mean over the vocabulary taken off"
    st.html(f"<style>{tables.CSS}{waterfall.BELOW}</style>{tables.table(caption, head, rows, (1, 3))}")
    if one and kind == "a":
        where_it_looked(shown, int(block) - 1, int(one) - 1)
    elif one:
        what_drives(shown, int(block) - 1, int(one))


def where_it_looked(shown, block, head):
    """A head's attention in the whole text, at the token it wrote for."""
    attention = cache.attention(shown.model, shown.ids, block)[head]
    t = shown.asked.token
    label = f"The attention of head {head + 1} of block {block + 1}, all tokens"
    pattern.show(shown.labels, attention, t, label, grid=False)


def what_drives(shown, block, unit):
    """The texts that drive a unit most, where they were measured beforehand; else the way to them."""
    model = shown.model
    if "gate" not in model.has:
        return
    found, beforehand = held_out.kept_driving(model), True
    if found is None:
        where = {"gate": "unit", "model": model.name, "block": str(block + 1), "unit": str(unit)}
        label = f"See which texts drive unit {unit} of block {block + 1}"
        st.page_link("pages/gate.py", label=label, icon=":material/arrow_forward:", query_params=where)
        return
    texts = held_out.ids(model)
    label = model.tokenizer.label
    rows = [
        (i, value, gate_view.snippet([label(x) for x in texts[i]], token))
        for i, token, value in found.of(block, unit)[:4]
    ]
    st.html(gate_view.DRIVING_CSS + gate_view.driving_html(held_out.one(model), rows))
    st.caption(gate_view.driving_origin(None, held_out.kind(model), beforehand))


def both(shown, direct, jobs, before):
    """What each part wrote beside what is lost without it -> what is known of the losses."""
    st.header("What it wrote, and what is lost without it", anchor=False)
    if not jobs:
        page.lacking("No part has written yet at this row: choose a later one.")
        return {}
    says, asked = "Each part left out in turn, beside what it wrote itself", bool(writer_of(shown))
    with fold.on_a_phone("lost", says, opened=asked):
        return left_out_each(shown, direct, jobs, before)


def left_out_each(shown, direct, jobs, before):
    """The same, measured and drawn."""
    place = st.container()
    mark = f"lost-{sweeps.fingerprint([*shown.ids[: shown.asked.token + 1], *asdict(shown.asked).values()])}"
    idle = "Each part left out at every token, and everything after it run again."
    with place:
        lost = measuring.recall(jobs)
        if pace.may_begin(work_left(shown, jobs, lost), mark, "Leave out every part"):
            lost = measuring.at_once(jobs, mark, lambda _: None, "Leaving out …", "leaving out parts", idle)
    if len(before) < len(lost) == len(jobs):
        st.rerun()  # the waterfall above can now tell it too
    if not lost:
        return lost
    made = writers.points(direct, lost, plot.dark())
    plot.show(
        made,
        writers.point_columns(direct, lost),
        "wrote-and-lost",
        "What each part wrote, and what is lost without it",
    )
    part = writers.carrier(direct, lost)
    said = [writers.carries(direct, lost, part) if part else "", writers.agree(direct, lost)]
    if any(said):
        page.notice(*filter(None, said))
    if part:
        st.button(f"Open {writers.called(part)}", key="carrier", on_click=lambda: choice.put(writer=part))
    return lost


page.head(
    "Who wrote it",
    "Every part adds to the stream, so a token's score is a sum: see which part wrote how much of it.",
)
with page.figure():
    shown = chosen()
spot, tail = st.container(), st.container()
with tail:
    with st.expander("Why"):
        st.markdown(WHY)
    st.markdown("**The lines that take a score apart**")
    page.source("direct", system="attribution")
    st.markdown("**The lines that leave a part out**")
    page.source("left_out", system="patching")
    asked.show("who_wrote_it")
with spot, page.figure():
    svg = figures(shown)
with tail:
    page.take_away(name=f"who-wrote-it-{shown.model.name}", svg=svg)
