"""What if: one text's stream put into another's pass, and how far the first text's answer comes back."""

from ui import shell

shell.guard()

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from engine import passing, patching, sweeps
from ui import asked, cache, choice, kept, measuring, pace, page, pairs, patch_grid, plot
from views import patch_grid as grid_view
from views.numbers import counted

WHY = """
Both texts run once. Then the second runs again with **one vector exchanged**: at one row and one token it
gets the first text's. All that comes after reads the exchanged vector. The figure tells how much of the
difference between the two answers comes back:

(difference of the two answers' scores now − in the second text) / (in the first text − in the second)

It is 0 where the answer stays the second text's and 1 where it becomes the first's. Nothing keeps it between:
below 0 the change drives the answer further away, above 1 further than the first text itself does. This was
called causal tracing (Meng et al. 2022) and is now mostly called activation patching.

A cell says that what stands there **suffices** to bring an answer back, in this one pair of texts. It does
not say that the model would need it, nor that other pairs go the same way.
"""


@dataclass(frozen=True)
class Shown:
    """What was chosen: both texts run, what is put in, and the grid's rows."""

    model: object
    both: patching.Pair
    kind: str
    block: int
    names: list
    why: str  # what to look for in a ready-made pair

    def label(self, token_id):
        return self.model.tokenizer.label(int(token_id))

    def quoted(self, token_id):
        """A token in a sentence of Markdown."""
        return f"**{page.literal(self.label(token_id))}**"

    def at(self, place):
        """A token of the second text in a sentence."""
        return self.quoted(self.both.second.ids[place])


def chosen():
    """The page's controls -> Shown."""
    with page.controls():
        name = choice.model_control(width=170)
        model = cache.model(name)
        two = pairs.control(model)
        kind = choice.get("put_in", "stream", choice.one_of(*patching.KINDS))
        listed = {"options": patching.KINDS, "format_func": grid_view.KINDS.get, "width": 290}
        choice.bound(
            st.selectbox, "Put in", "put_in", kind, also={"cell_in": None, "guess_in": None}, **listed
        )
        block = block_control(model) if kind == "head" else 0
        with st.popover("Texts and answers"):
            first, second = (pairs.ids(model, text) for text in pairs.fields(two))
            answers = st.container()
    labels = [[model.tokenizer.label(i) for i in ids] for ids in (first, second)]
    st.html(grid_view.lined_up(*labels, grid_view.differing(first, second)))
    both = ran(cache.key(model), tuple(first), tuple(second), None, model)
    with answers:
        wanted = answer_controls(model, both, pairs.answers(model, two))
    both = ran(cache.key(model), tuple(first), tuple(second), wanted, model)
    a = model.architecture
    return Shown(model, both, kind, block, grid_view.row_names(kind, a.n_layer, a.n_head, block), two["why"])


@kept.result(needs=lambda key, first, second, answers, model: 2 * passing.run(model, len(first)))
def ran(key, first, second, answers, _model):
    return patching.pair(_model, list(first), list(second), answers)


def block_control(model):
    L = model.architecture.n_layer
    number = min(choice.get("block", 1, choice.number(1, 1000)), L)
    return choice.bound(st.selectbox, "Block", "block", number, options=range(1, L + 1), width=90) - 1


def answer_controls(model, both, ready):
    """Whose scores are compared -> (id, id).  ready: the ids that the pair brings along, or None."""
    usual, V = ready or both.answers, model.architecture.vocab_size
    found = [choice.get(one, None, choice.number(0, 10**6)) for one in ("answer", "other_answer")]
    found = [own if one is None or one >= V else one for one, own in zip(found, usual, strict=True)]
    if found[0] == found[1]:
        choice.say("Both answers were the same token: the usual two are shown.")
        choice.put(answer=None, other_answer=None)
        found = usual
    for name, label, own in (
        ("answer", "The first text's answer", 0),
        ("other_answer", "The second text's", 1),
    ):
        passed = both.second if own else both.first
        likely = np.argsort(-passed.logits[-1], kind="stable")[: patching.CANDIDATES].tolist()
        listed = [one for one in dict.fromkeys([found[own], usual[own], *likely]) if one != found[1 - own]]
        choice.bound(
            st.selectbox,
            label,
            name,
            found[own],
            partial(pairs.typed, model),
            options=listed,
            format_func=partial(pairs.named, model, tuple(listed)),
            accept_new_options=True,
            help="Any token: type it, or # and its id.",
        )
    return tuple(found)


def jobs_of(shown):
    """The grid's pieces as jobs for measuring: {(row, first token): (key, begin)}."""
    both, model = shown.both, shown.model
    ids = [both.first.ids.tolist(), both.second.ids.tolist(), list(both.answers)]
    key = (model.checksum, "put in", sweeps.fingerprint(ids), shown.kind, shown.block)

    def begin(row, tokens):
        steps = patching.putting_in(model, both, shown.kind, row, tokens, shown.block)
        return kept.stepwise(passing.without_heads(model, len(both.first.ids)), steps)

    found = patching.pieces(model, both, shown.kind)
    return {(row, t.start): ((*key, row, t.start), partial(begin, row, t)) for row, t in found}


def grid(shown, found):
    """What is measured, (R, T), nan where it is not, and the likeliest tokens of each measured cell."""
    back = np.full((len(shown.names), len(shown.both.second.ids)), np.nan)
    after = {}
    for (row, start), cells in found.items():
        back[row, start : start + len(cells.back)] = cells.back
        after |= {(row, start + i): (cells.ids[i], cells.probabilities[i]) for i in range(len(cells.back))}
    return back, after


def figures(shown):
    """Predict, measure, look: the grid all the while in its place."""
    jobs = jobs_of(shown)
    mark = sweeps.fingerprint([key for key, _ in jobs.values()][:1])
    looked = choice.get("look", "", lambda raw: raw[:80]) == mark
    st.markdown(grid_view.gaps([shown.quoted(one) for one in shown.both.answers], shown.both.gaps))
    row, place, below = st.container(), st.container(), st.container()
    stopped = st.session_state.get("stopped") == mark
    found = measuring.recall(jobs) if looked else {}
    with row:
        at_work = buttons(shown, jobs, found, mark, looked, stopped)
    back, after = grid(shown, found)
    with place:
        cell, guess = draw(shown, back, looked)
    with below:
        if looked and cell in after:
            said_after(shown, cell, back[cell], after[cell])
        if looked and len(found) == len(jobs):
            told(shown, back, guess)
    if at_work:
        measuring.advance(jobs, at_work)
        st.rerun()


def passes_of(shown, found):
    """How many passes the grid takes in all, and how many of them are still to come."""
    effort = patching.effort(shown.model, shown.both, shown.kind, shown.block)
    return sum(effort.values()), sum(passes for piece, passes in effort.items() if piece not in found)


def buttons(shown, jobs, found, mark, looked, stopped):
    """Measure, stop or start over, and how far it is -> what draws that again."""
    done, (total, left) = len(found) == len(jobs), passes_of(shown, found)

    def begin():
        st.session_state["stopped"] = None
        pace.begin_anew(mark)
        choice.put(look=mark)

    def stop():
        st.session_state["stopped"] = mark

    def again():
        choice.put(look=None, guess_in=None, cell_in=None)

    with st.container(horizontal=True, vertical_alignment="center"):
        if looked and done:
            st.button("Predict again", key="again", on_click=again)
            st.markdown("Tap a cell to see what the model then says.")
        elif looked and not stopped:
            st.button("Stop", key="stop", on_click=stop)
            share = 1 - left / total if total else 1.0
            said = f"{len(found)} of {counted(len(jobs), 'piece')} of the grid measured"
            said += pace.Remaining(mark).said(share)
            bar = st.progress(share, said)
            return lambda: bar.progress(share, said)
        else:
            st.button("Measure the rest" if looked else "Measure", key="measure", on_click=begin)
            st.markdown(
                f"Stopped. {len(found)} of {counted(len(jobs), 'piece')} of the grid measured and kept."
                if looked
                else "**Predict first.** Tap a cell where you think the first text's answer lives: where "
                f"putting in what the first text has there brings it back. Then measure. {shown.why}"
            )
            ids = shown.both.second.ids
            pace.tell(pace.passes(shown.model, ids, left * len(ids)))
    return None


def draw(shown, back, looked):
    """The grid -> (the chosen cell, the reader's guess), each (row, token) or None."""
    both, labels = shown.both, shown.model.tokenizer.label
    pieces = [[labels(i) for i in run.ids] for run in (both.first, both.second)]
    what = f"How far the answer {shown.label(both.answers[0])} comes back"
    data = grid_view.data(shown.names, *pieces, back, what)
    cell, guess = (
        patch_grid.fitting(choice.get(name, "", patch_grid.read_cell), data)
        for name in ("cell_in", "guess_in")
    )
    name = "cell_in" if looked else "guess_in"
    patch_grid.show(
        {**data, "tells": looked}, cell if looked else "", guess, lambda new: choice.put(**{name: new})
    )
    return tuple(tuple(map(int, one.split("."))) if one else None for one in (cell, guess))


def said_after(shown, cell, back, after):
    """What the model says next with the chosen cell put in."""
    row, token = cell
    ids, p = after
    place = st.container(key=f"after-{row}-{token}")
    came = f"{grid_view.number(back)} of the answer comes back"
    place.markdown(f"**{shown.names[row]}**, token {token}, {shown.at(token)}: {came}. The model then says:")
    labels = [shown.label(i) for i in ids]
    place.html(grid_view.candidates(labels, p, "The likeliest next tokens"))


def told(shown, back, guess):
    """What to notice in the whole grid, and its numbers."""
    if shown.kind == "stream":
        said = grid_view.ways(shown.names, back, shown.both.differ, shown.at)
    else:
        said = [grid_view.strongest(shown.names, back, shown.at)]
    if guess:
        said = [grid_view.guessed(shown.names, back, guess, shown.at), *said]
    page.notice(*filter(None, (shown.why, *said, grid_view.beyond(back))))
    pieces = [shown.label(i) for i in shown.both.second.ids]
    plot.table(grid_view.columns(shown.names, pieces, back), "what-if")


page.head(
    "What if",
    "What if the model had read another text at one place alone? Put it in there: whose answer comes?",
)
spot, tail = st.container(), st.container()
with tail:
    with st.expander("Why"):
        st.markdown(WHY)
    st.markdown("**The lines that put it in**")
    page.source("cells", system="patching")
    asked.show("what_if")
    page.take_away()
with spot, page.figure():
    figures(chosen())
