"""Lessons: which one is taught and where in it, the slim bar that leads on, and the figures to expect."""

import numpy as np
import streamlit as st

from engine import guessing, heads
from engine.counting import count_parameters
from engine.errors import ReaderError
from ui import cache, choice, clicker, page, shell
from ui import guessing as guessing_ui
from views import lessons

_CSS = """
.st-key-lesson { position: sticky; top: 0; z-index: 99; background: var(--st-background-color, Canvas);
  border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .2rem 0 .5rem;
  margin-bottom: .6rem; }
.st-key-lesson :is(p, [data-testid="stMarkdownContainer"]) { margin: 0; }
@media print { .st-key-lesson { display: none; } }
"""


def names():
    """The names of all pages that a state can be of."""
    return {name for entries in shell.MENU.values() for name, *_ in entries}


def read_plan(raw):
    """A reader for choice.get(): the plan in a link, as it stands there."""
    lessons.unpacked(raw, names())
    return raw


def read_where(raw):
    """A reader for choice.get(): "lens.3" -> ("lens", 3); the fourth step of a plan of ours or of the own."""
    name, _, at = raw.partition(".")
    return choice.one_of(*lessons.ready(), lessons.OWN)(name), choice.number(0, lessons.MOST - 1)(at)


def own():
    """The plan in the address, or None."""
    raw = choice.get("plan", None, read_plan)
    return None if raw is None else lessons.unpacked(raw, names())


def link(lesson, at):
    """What the address of a step holds."""
    more = {"plan": lessons.packed(lesson)} if lesson.id == lessons.OWN else {}
    return {**lesson.steps[at].chosen, **more, "lesson": f"{lesson.id}.{at}"}


def bar():
    """While a lesson is taught: what to show and to ask, and the way on.  Before everything on a page."""
    choice.alone("lesson")
    go_there()
    where = choice.get("lesson", None, read_where)
    if where is None:
        return
    plan = own() if where[0] == lessons.OWN else lessons.ready()[where[0]]
    if plan is None:
        choice.forget("lesson")
        return
    at = min(where[1], len(plan.steps) - 1)
    step = plan.steps[at]
    st.html(f"<style>{_CSS}</style>")
    with st.container(key="lesson", horizontal=True, vertical_alignment="center"):
        _way(plan, at)
        st.markdown(f"**{page.literal(step.ask)}** {page.literal(step.show)}")
        with st.popover("Expect"):
            st.markdown(page.literal(expected(step)))
            st.caption(page.literal(f"{plan.title}: {lessons.place(plan, at)}"))
        st.button(
            "Leave the lesson", key="lesson-leave", on_click=choice.put, kwargs={"lesson": None, "plan": None}
        )
        clicker.show(lambda by: go(plan, at + by))


def _way(plan, at):
    last = len(plan.steps) - 1
    st.button("Previous", key="lesson-previous", on_click=go, args=(plan, at - 1), disabled=at == 0)
    st.button("Next", key="lesson-next", on_click=go, args=(plan, at + 1), disabled=at == last)


def go(plan, at):
    """Lead to a step, as soon as the page runs."""
    if 0 <= at < len(plan.steps):
        st.session_state["lesson.go"] = plan.steps[at].page, link(plan, at)


def go_there():
    """Where go() leads."""
    there = st.session_state.pop("lesson.go", None)
    if there is not None:
        choice.begin_anew()
        st.switch_page(f"pages/{there[0]}.py", query_params=there[1])


def expected(step):
    """What a state shows, measured now, in a sentence.  A plan from outside may ask for what there is not."""
    measure = _MEASURES.get(step.expect)
    if measure is None:
        return "No figure is foretold for this state."
    try:
        return measure(step.chosen)
    except (ReaderError, KeyError, ValueError, IndexError):
        return "This state's figures can't be measured; open it to see what it shows."


def _model_and_ids(chosen):
    model = cache.model(chosen.get("model", "gpt-4"))
    texts = choice.ready_texts_of(model.name)
    name = chosen.get("text", next(iter(texts)))
    text = chosen.get("own", "") if name == choice.OWN else choice.ready_text(texts[name])
    return model, cache.fitting_ids(model, text)[0]


def _cell(chosen):
    model, ids = _model_and_ids(chosen)
    column = int(chosen["cell"].partition(".")[2])
    models = [model, *([cache.model(chosen["with"])] if "with" in chosen else [])]
    return lessons.of_cell(column, [_told(one, ids, column) for one in models])


def _told(model, ids, column):
    lens, label = cache.lens(model, ids), model.tokenizer.label
    real = label(ids[column + 1]) if column + 1 < len(ids) else None
    top, p = int(lens.ids[-1, column, 0]), float(lens.probabilities[-1, column, 0])
    return model.title, label(top), p, real, float(lens.next_probability[-1, column])


def _places(chosen):
    model, ids = _model_and_ids(chosen)
    places = [t for t in guessing_ui.read_picked(chosen["picked"]) if t < len(ids)]
    models = {model.name: model, **guessing_ui.alike(model, len(ids))}
    traces = {name: cache.trace(one, ids, scores=True) for name, one in models.items()}
    game = guessing.Game(model.tokenizer, ids, traces, chosen.get("how") == "five")
    found = {name: [] for name in models}
    for place in places:
        for name, expected_there in game.expected(place).items():
            found[name].append(guessing.nats(float(expected_there[ids[place]])))
    means = [(models[name].title, float(np.mean(nats))) for name, nats in found.items()]
    return lessons.of_places(len(places), means)


def _copied(chosen):
    from views import depth  # which draws with Plotly: not for every page that has no lesson

    model, ids = _model_and_ids(chosen)
    starts, length = heads.longest_repeat(ids, lambda i: any(c.isalnum() for c in model.tokenizer.label(i)))
    first, later = depth.mentions(starts, length)
    models = {model.name: model, **guessing_ui.alike(model, len(ids))}
    given = {one.title: np.exp(-one.surprises(ids)) for one in models.values()}
    run = model.tokenizer.read(ids[starts[0] : starts[0] + length]).strip()
    return lessons.of_copied(run, [(t, depth.mean(p, first), depth.mean(p, later)) for t, p in given.items()])


def _count(chosen):
    model = cache.model(chosen.get("a") or chosen.get("model", "gpt-4"))
    a = model.architecture
    return lessons.of_count(model.title, count_parameters(a).total, a.vocab_size, a.n_layer)


_MEASURES = {"cell": _cell, "places": _places, "copied": _copied, "count": _count}
