"""Lessons: ready plans, each a list of states to show one after the other, and a plan of one's own."""

from ui import shell

shell.guard()

import zlib
from functools import partial

import pandas as pd
import streamlit as st

from ui import address, choice, lessons, page, share
from views import handout
from views import lessons as lesson_plans
from views.numbers import counted

COLUMNS = {
    "address": "The state's address",
    "minutes": "Minutes",
    "show": "What to show",
    "ask": "What to ask",
}
QUESTIONS = [
    (
        "How does a lesson run?",
        "“Begin” opens the first state. A slim bar at the top says what to ask and to show, and leads on: "
        "“Next”, or Page Down on a presenter's clicker. Where rows are uncovered one by one, the clicker "
        "does that first. What to expect stays behind a button, since the class looks at the same screen.",
    ),
    (
        "How do I change a lesson?",
        "Make a plan your own below, and edit its table: set a page up as you want it, press “Share”, copy "
        "the address, and paste it into a row. The page's address then holds your plan; it can also be kept "
        "as a file, which anyone opens here again.",
    ),
]


def chosen():
    """The control -> the Lesson that is shown."""
    own = lessons.own()
    titles = {one.id: f"{one.title}, {one.minutes} min" for one in lesson_plans.ready().values()}
    if own:
        titles[lesson_plans.OWN] = f"{own.title}, {own.minutes} min"
    usual = lesson_plans.OWN if own else next(iter(titles))
    name = choice.get("lessons", usual, choice.one_of(*lesson_plans.ready(), lesson_plans.OWN))
    name = name if name in titles else usual
    choice.bound(
        st.segmented_control,
        "Lesson",
        "lessons",
        name,
        options=tuple(titles),
        format_func=titles.__getitem__,
        required=True,
    )
    return own if name == lesson_plans.OWN else lesson_plans.ready()[name]


def steps(lesson):
    """The states, each with its link, what to show, to ask and to expect."""
    titles = {name: title for entries in shell.MENU.values() for name, title, _ in entries}
    for at, step in enumerate(lesson.steps):
        with st.container(border=True, key=f"state-{at}"):
            st.page_link(
                f"pages/{step.page}.py",
                label=f"**{at + 1}. {titles[step.page]}**, {step.minutes} min",
                query_params=lessons.link(lesson, at),
            )
            st.markdown(f"**Show.** {page.literal(step.show)} **Ask.** {page.literal(step.ask)}")
            with st.container(key=f"expect-{at}"):
                st.caption("Expect: " + page.literal(lessons.expected(step)))


def edit(lesson):
    """The plan as a table that is one's own from the first change on."""
    mark = zlib.crc32(lesson_plans.packed(lesson).encode())  # another plan is not changed by this one's edits
    title = st.text_input("Title", lesson.title, key=f"lesson-title-{mark}", width=400)
    rows = [
        (f"/{s.page}" + (f"?{s.query}" if s.query else ""), s.minutes, s.show, s.ask) for s in lesson.steps
    ]
    table = pd.DataFrame(rows, columns=[*COLUMNS])
    edited = st.data_editor(
        table,
        num_rows="dynamic",
        hide_index=True,
        key=f"lesson-table-{mark}",
        column_config={name: st.column_config.Column(label) for name, label in COLUMNS.items()},
    )
    if st.button("Keep it as my own plan", key="lesson-keep"):
        keep(title, edited.to_dict("records"), lesson)


def keep(title, rows, lesson):
    """The edited table becomes the plan in the address."""
    with page.figure():
        rows = [{name: "" if pd.isna(value) else value for name, value in row.items()} for row in rows]
        made = lesson_plans.of_table(title or "", rows, lesson, lessons.names())
        choice.put(plan=lesson_plans.packed(made), lessons=lesson_plans.OWN)
    st.rerun()


def opened():
    """A plan from a file becomes the one in the address."""
    file = st.file_uploader("Open a plan from a file", type="json", key="lesson-file")
    if file is None or st.session_state.get("lesson.file") == file.file_id:
        return
    st.session_state["lesson.file"] = file.file_id
    with page.figure():
        text = file.getvalue()[:100_000].decode("utf-8-sig", "replace")
        choice.put(
            plan=lesson_plans.packed(lesson_plans.from_file(text, lessons.names())), lessons=lesson_plans.OWN
        )
    st.rerun()


def handout_of(lesson, paper):
    """The lesson to print: its states with their codes, and what to expect on pages of its own."""
    where = address.outer()[0]
    links = [where + share.state(f"/{one.page}", one.query) for one in lesson.steps]
    titles = {name: title for entries in shell.MENU.values() for name, title, _ in entries}
    expected = [lessons.expected(one) for one in lesson.steps]
    return handout.of_lesson(lesson, links, expected, titles, paper)


page.head(
    "Lessons", "Three ready plans: states of the explorer in order, with what to show, to ask and to expect."
)
with page.controls():
    lesson = chosen()
with page.figure():
    st.button("Begin", key="lesson-begin", on_click=lessons.go, args=(lesson, 0))
    st.caption(f"{counted(len(lesson.steps), 'state')}, {counted(lesson.minutes, 'minute')} in all")
    steps(lesson)
page.notice("What to expect is measured with the loaded weights when this page is shown.")
with st.expander("A plan of your own", key="lesson-edit"):
    edit(lesson)
    opened()
page.questions(QUESTIONS)
printed = {f"handout-{paper}.html": partial(handout_of, lesson, paper) for paper in handout.PAPERS}
page.take_away(name=f"lesson-{lesson.id}", json=lesson_plans.as_file(lesson), **printed)
