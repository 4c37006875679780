from ui import shell

shell.guard("page")
import hashlib
from functools import partial

import streamlit as st

from engine import families, gradients
from engine.errors import ReaderError
from ui import cache, choice, diagram, journey, page
from views import comparison, journey_words, tables, walk
from views import diagram as diagram_view
from views import gradients as gradients_view

KEYS = "In the walk, → or Page Down leads to the next step, ← or Page Up back."


@st.fragment
def figure(name, text, start):
    """The diagram; its numbers are measured once the picture has asked for them."""
    with page.figure():
        ask = hashlib.sha256(f"{name}\n{text}".encode("utf-8", "replace")).hexdigest()[:16]
        place, below = st.container(), st.container()  # that a model loads must not move the picture
        with below:
            found = measured(name, text) if diagram.wanted() == ask else None
            of = diagram.matrix_wanted() if found and "error" not in found else None
            matrix = journey.matrix(cache.model(name), text, of) if of else None
        with place:
            diagram.show(name, start, ask, found, matrix)
        a = families.architecture_of(name)
        for sentence in diagram_view.not_drawn(a):
            st.caption(page.literal(sentence))
        if found and "error" not in found:
            part = choice.get("part", "stream", choice.one_of(*diagram_view.IDS))
            block = choice.get("block", 1, choice.number(1, 1000))
            page.notice(*map(page.literal, journey_words.sentences(found, a.n_layer, part, block)))
            full = partial(journey.as_csv, cache.model(name), text, found["token"])
            page.take_away(csv=full, name=f"{name}-token-{found['token']}")
        else:
            page.notice("The numbers of your text are on their way.")


def measured(name, text):
    """What each part did at the chosen token, or {"error": sentence}."""
    try:
        return journey.measured(cache.model(name), text)
    except ReaderError as error:
        return {"error": str(error)}


def compare(name):
    """Another model's picture beside the chosen one's facts, when it is asked for."""
    other = choice.bound(
        st.segmented_control,
        "Compare with",
        "compare",
        choice.get("compare", None, choice.one_of(*comparison.TITLES)),
        options=[*comparison.TITLES],
        format_func=comparison.TITLES.__getitem__,
    )
    if other:
        with page.figure():
            diagram.compare(cache.model(name), other)


def adding():
    """Why a block adds, by the gradients that were measured beforehand."""
    kept = gradients.read()
    st.markdown(gradients_view.explanation(kept))
    way = choice.bound(
        st.segmented_control,
        "A block does",
        "way",
        choice.get("way", "ours", choice.one_of(*gradients_view.WAYS)),
        options=[*gradients_view.WAYS],
        format_func=gradients_view.WAYS.__getitem__,
        required=True,
    )
    st.html(f"<style>{gradients_view.CSS}</style>{gradients_view.bars(kept, way)}")
    st.markdown(" ".join(gradients_view.sentences(kept)))
    tabled = "".join(gradients_view.table(kept, begun) for begun in gradients.STARTS)
    st.html(f"<style>{tables.CSS}</style>{tabled}")
    page.source("block", "initialisation")


page.head(
    "Diagram",
    "Tap a part of the model and read the very lines that ran, with what they did to your text.",
    projected=True,
)
with page.controls():
    name = choice.model_control(families.known(), width=230, label_visibility="collapsed")
    named = choice.text_title(name) if page.teaching() else "Text"
    text = choice.text_control(name, where=st.popover(page.literal(named), key="text-popover"))
    if page.teaching():
        st.caption(KEYS)
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
choice.get("token", None, choice.number(0, 10**6))  # kept from the page before, until it is measured
choice.belong("part", ("step",))  # a link to a part does not begin the walk
start = {
    "run": st.session_state["runs"],  # the address counts again after each run of the whole page
    "part": choice.get("part", None, choice.one_of(*diagram_view.IDS)),
    "block": choice.get("block", 1, choice.number(1, 1000)),
    "step": choice.get("step", 0, choice.number(0, walk.COUNT)),
    "head": choice.get("head", 1, choice.number(1, 1000)),
    "still": choice.get("still", False, choice.switch),
    "teaching": page.teaching(),  # a presenter's clicker leads the walk
}
figure(name, text, start)
if not page.teaching():
    st.header("What others do differently", anchor=False)
    compare(name)
    with st.expander("Why does a block add, and why does it norm first?"):
        adding()
page.questions(diagram_view.QUESTIONS)
