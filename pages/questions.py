"""Questions with reasons, and the place where each can be tried."""

from ui import shell

shell.guard()

import streamlit as st

from ui import choice, page
from views import questions

ASKED = questions.all_questions()


def go(number):
    choice.put(question=number)


def chosen():
    """The controls that choose a question -> the Question.  Its number in the address is the file's."""
    order = questions.easiest_first()
    number = choice.get("question", order[0], choice.number(1, len(ASKED)))
    at = order.index(number)
    with page.controls():
        choice.bound(
            st.selectbox,
            "Question",
            "question",
            number,
            options=order,
            format_func=lambda n: f"{order.index(n) + 1}. {ASKED[n - 1].title}",
        )
        before, then = order[max(at - 1, 0)], order[min(at + 1, len(order) - 1)]
        st.button("Previous", key="previous", on_click=go, args=(before,), disabled=before == number)
        st.button("Next", key="next", on_click=go, args=(then,), disabled=then == number)
    one = ASKED[number - 1]
    of_level = [n for n in order if ASKED[n - 1].level == one.level]
    st.caption(f"{questions.LEVELS[one.level]}: {of_level.index(number) + 1} of {len(of_level)}")
    return one


def reasons(one, given):
    """The answer that was given, and why each is right or wrong."""
    signs = ["✓" if i == one.right else "✗" for i in range(len(one.answers))]
    st.markdown(f"**{signs[given]} {one.answers[given][0]}** {one.answers[given][1]}")
    with st.expander("Why each of the others is right or wrong"):
        for i, (text, why) in enumerate(one.answers):
            if i != given:
                st.markdown(f"**{signs[i]} {text}** {why}")


@st.fragment
def ask():
    """One question at a time."""
    answered, one = st.session_state.setdefault("answered", {}), chosen()
    given = st.radio(
        f"**{one.question}**",
        range(len(one.answers)),
        index=None,
        key=f"answer-{one.id}",
        format_func=lambda i: one.answers[i][0],
    )
    if st.button("Check my answer", key="answer", disabled=given is None):
        answered.setdefault(one.id, given)
        st.session_state["checked"] = (one.id, given)
    if given is not None and st.session_state.get("checked") == (one.id, given):
        reasons(one, given)
    st.markdown(f"**Try it.** {one.do}")
    st.page_link(
        f"pages/{one.page}.py", label="Open the page", icon=":material/arrow_forward:", query_params=one.query
    )
    st.caption(questions.score(answered))


st.html("<style>[data-testid=stRadio] label { min-height: 2.75rem; align-items: center; }</style>")
page.head("Questions", "Each can be tried in the explorer: guess, try, and read why.")
with page.figure():
    ask()
page.take_away()
