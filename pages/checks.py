"""The checks, live: press, and see whether what is claimed holds."""

from ui import shell

shell.guard()

import logging

import streamlit as st

from engine import checks, measures, passing
from ui import asked, cache, choice, kept, measuring, opened, page
from ui.sizes import size_of
from views import checks as checks_view
from views import opened as opened_view


def outcome_of(check, model):
    """Run one check; of one that breaks nothing is known, neither that it holds nor that it does not."""
    try:
        return check(model)
    except Exception as error:
        logging.getLogger(__name__).exception("A check broke")
        return checks.not_run(f"It could not be run: {type(error).__name__}.")


def steps(model, wanted, outcomes):
    """Runs the checks one by one -> an iterator of (the share that is done, the outcomes so far)."""
    for number, (title, check) in enumerate(wanted.items(), start=1):
        outcomes[title] = outcome_of(check, model)
        yield number / len(wanted), outcomes


def run(model):
    """The list, with outcomes as they come; they are made anew at every press."""
    wanted = checks.all_checks(model)
    known = st.session_state.setdefault("outcomes", {})
    with st.container(horizontal=True):
        start = st.button("Run the checks", key="check")
        st.button("Stop", key="stop")
    place = st.empty()

    def draw(outcomes):
        place.html(checks_view.html(model.title, wanted, outcomes))

    if start:
        outcomes = known[model.checksum] = {}
        draw({})
        needs = passing.run(model, len(measures.own_rows(model)[0]), model.extras) + size_of(model)
        measuring.stream(kept.stepwise(needs, steps(model, wanted, outcomes)), draw, "Checking …")
    outcomes = known.get(model.checksum, {})
    draw(outcomes)
    st.caption(page.literal(checks_view.versions(checks.versions())))
    st.caption(page.literal(checks_view.memory(*kept.state()[:2], kept.budget())))
    if opened.shelf():
        st.caption(page.literal(opened_view.in_memory(opened.shelf())))
    if outcomes:
        page.notice(checks_view.sentence(wanted, outcomes))


page.head("The checks", "Do not take it on trust: press the button, and every claim is tested here and now.")
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
    model = cache.model(name)
spot = st.container()
page.source("run", "model", model=model)
asked.show("checks")
page.take_away()
with spot, page.figure():
    run(model)
