"""Train one here: a tiny model learns to copy while the reader looks, or does not.

It runs in the page and not in a fragment, so that a click anywhere, or leaving, ends it; what there is by
then is kept for this reader.
"""

import functools
import time
from contextlib import closing
from dataclasses import replace

import streamlit as st

import engine
from engine import families
from engine import tiny_training as tiny
from ui import choice, fold, page, pattern, plot
from ui.turns import Turns
from views import tiny_training as tiny_training_view
from views.numbers import counted

OTHERS = {  # where what was trained can be looked into
    "lens": "Logit lens",
    "depth": "Depth: its heads",
    "leave_out": "Leave out a part",
    "attention": "Attention",
    "who_wrote_it": "Who wrote it",
    "what_if": "What if",
    "stream": "Residual stream",
}
AT_ONCE = 2  # trainings on one machine
_PAUSE = 0.25  # seconds between two pictures


@functools.cache
def _turns():
    return Turns(AT_ONCE)


def show():
    """The whole part of the page."""
    st.header("Train one here", anchor=False)
    st.markdown(
        "Two tiny models read random pieces that come twice, one model with one block of attention and "
        "feed-forward, the other with more. Nothing in such a text can be known beforehand; but in its "
        "second half, whoever looks back can copy. Mark when each will learn it, then start."
    )
    with fold.on_a_phone("train", "Settings, your two marks, and the training"):
        marked_and_trained()


def marked_and_trained():
    """The settings, the reader's marks, the training and what came of it."""
    with page.figure():
        chosen, wanted = settings()
        guesses = guessed(wanted)
        start = buttons()
    status, curve, maps = st.empty(), st.empty(), st.container()
    places = {title: maps.empty() for title in wanted}
    known = st.session_state.get("trained", {})
    mine = known if known.get("wanted") == wanted else {}
    runs = mine.get("runs", {})
    if start:
        with page.figure():
            runs = train(wanted, chosen.steps, status, curve, places)
        st.rerun()
    draw(runs, chosen.steps, curve, places)
    told(runs, guesses, chosen.steps)


def settings():
    """The reader's own settings, within bounds -> (the larger model's Choices, {title: Choices})."""
    with st.popover("Settings"):
        blocks = _number("Blocks of the larger model", "blocks", 2, least=2)
        heads = _among("Heads in a block", "heads", 4, (1, 2, 4, 8))
        width = _among("Width of the stream", "width", 64, (32, 48, 64, 96))
        longest = _number("Pieces in the longest half", "longest", 24)
        rate = _among("Learning rate", "rate", 0.02, (0.002, 0.005, 0.01, 0.02, 0.04, 0.08))
        steps = _number("Steps", "steps", 1500, step=100)
        seed = _number("Seed", "seed", 0)
    chosen = tiny.Choices(blocks, heads, width, longest, rate, steps, seed)
    return chosen, {counted(blocks, "block"): chosen, "1 block": replace(chosen, blocks=1)}


def _number(label, name, usual, least=None, step=1):
    low, high = tiny.BOUNDS[name]
    low = least or low
    value = choice.get(f"tiny_{name}", usual, choice.number(low, high))
    return int(
        choice.bound(st.number_input, label, f"tiny_{name}", value, min_value=low, max_value=high, step=step)
    )


def _among(label, name, usual, options):
    value = choice.get(f"tiny_{name}", usual, choice.one_of(*options))
    return choice.bound(st.selectbox, label, f"tiny_{name}", value, options=options)


def guessed(wanted):
    """When the reader expects each model to copy -> {title: key of GUESSES or None}."""
    found = {}
    for title in wanted:
        name = "guess_one" if title == "1 block" else "guess_more"
        found[title] = choice.bound(
            st.radio,
            f"With {title}, copying jumps …",
            name,
            choice.get(name, None, choice.one_of(*tiny_training_view.GUESSES)),
            options=tuple(tiny_training_view.GUESSES),
            format_func=tiny_training_view.GUESSES.__getitem__,
            horizontal=True,
        )
    return found


def buttons():
    """Start and Stop -> whether Start was pressed; any click ends a training that runs."""
    with st.container(horizontal=True):
        start = st.button("Start", key="tiny-start", type="primary")
        st.button("Stop", key="tiny-stop", help="Ends the training; what there is stays.")
    return start


def train(wanted, steps, status, curve, places):
    """Train the models step by step in turn, drawing as they go -> {title: run}."""
    runs = {title: [] for title in wanted}
    networks = {}
    st.session_state["trained"] = {"wanted": wanted, "runs": runs, "networks": networks}
    draw(runs, steps, curve, places)  # the axes: nothing jumps when its turn comes
    with _turns().taking() as before:
        while ahead := before():
            waits = counted(ahead, "reader is", "readers are")
            status.info(
                f"{waits} before you: at most {AT_ONCE} trainings run at a time. It starts by itself."
            )
            time.sleep(_PAUSE)
        drawn = 0.0
        with closing(tiny.race(wanted)) as looks:
            for title, look, network in looks:
                runs[title].append(look)
                networks[title] = network
                if time.monotonic() - drawn > _PAUSE or look.step >= steps:
                    share = min(run[-1].step if run else 0 for run in runs.values()) / steps
                    status.progress(share, f"Training … step {look.step:,} of {steps:,}")
                    draw(runs, steps, curve, places)
                    drawn = time.monotonic()
    return runs


def pattern_of(runs):
    """Where the strongest induction head of the larger model looks, in a text that it never read."""
    title = next(iter(runs))
    block, head = tiny_training_view.strongest(runs[title])
    model = tiny.as_model(st.session_state["trained"]["networks"][title])
    passed = engine.run(
        model, choice.ready_text(next(iter(choice.ready_texts("repeats").values()))), ("attention",)
    )
    said = f"The attention of head {head + 1} of block {block + 1}, all letters"
    st.markdown(f"**Where head {head + 1} of block {block + 1} looks, in a text it never read**")
    start = len(passed.ids) // 2 + 2
    pattern.show(passed.pieces, passed.attention[block, head], start, said)


def opener(networks):
    """What was trained, opened in other pages: one place for all readers of this server."""
    title = next(iter(networks))
    if st.button(f"Open the model with {title} in other pages", key="tiny-open"):
        families.add(tiny.as_model(networks[title], st.session_state["trained"]["wanted"][title].longest))
        st.session_state["trained"]["opened"] = True
    if not (st.session_state["trained"].get("opened") and families.is_added(tiny.NAME)):
        return
    st.markdown(
        f"It is in the lists of models as “{families.title(tiny.NAME)}”, for everyone on this server, until "
        "somebody opens another. Every page that runs a model can show it; these say most of it:"
    )
    with st.container(horizontal=True):
        for name, label in OTHERS.items():
            st.page_link(f"pages/{name}.py", label=label, query_params={"model": tiny.NAME})


def draw(runs, steps, curve, places):
    """The curve and every head, into the places kept for them."""
    runs = {title: run for title, run in runs.items() if run}
    made = tiny_training_view.curve(runs, steps, plot.dark())
    stamp = "-".join(str(run[-1].step) for run in runs.values())
    curve.plotly_chart(made, config={"displaylogo": False}, key=f"tiny-{stamp}")
    for title, run in runs.items():
        places[title].html(f"<p><b>{title}</b></p>" + tiny_training_view.heads(title, run[-1]))


def told(runs, guesses, steps):
    """What came of it, and the lines that ran."""
    runs = {title: run for title, run in runs.items() if run}
    if runs:
        over = all(run[-1].step >= steps for run in runs.values())
        page.notice(
            *tiny_training_view.judged(runs, guesses, steps, over), *tiny_training_view.sentences(runs)
        )
        plot.table(tiny_training_view.columns(runs), "tiny-training")
        pattern_of(runs)
        opener(st.session_state["trained"]["networks"])
    st.markdown("**The lines that train it**")
    page.source("learn", "look", system="tiny")
