from ui import shell

shell.guard()
import hashlib  # noqa: E402

import streamlit as st  # noqa: E402

import engine  # noqa: E402
from engine import presets  # noqa: E402
from ui import cache, choice, diagram, page  # noqa: E402
from views import comparison, passage, walk  # noqa: E402
from views import diagram as views  # noqa: E402

page.head(
    "Diagram",
    "Tap a part of the model and read the very lines that ran, with what they did to your text.",
)
with page.controls():
    name = choice.model_control(presets.NAMES, width=230)
    text = choice.text_control(name, where=st.popover("Text"))
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
start = {
    "run": st.session_state["runs"],  # the address counts again after each run of the whole page
    "part": choice.get("part", None, choice.one_of(*views.IDS)),
    "block": choice.get("block", 1, choice.number(1, 1000)),
    "step": choice.get("step", 0, choice.number(0, walk.COUNT)),
    "head": choice.get("head", 1, choice.number(1, 1000)),
}


@st.cache_data(max_entries=256, show_spinner=False)
def measured(name, checksum, ids, token):
    """The live numbers at one token; checksum: of the weights."""
    model = cache.model(name)
    pieces = [model.tokenizer.label(i) for i in ids]
    return passage.numbers(engine.follow(model, list(ids), token), pieces, model.tokenizer.label)


@st.fragment
def figure(name, text, start):
    """The diagram; its numbers are measured once the picture has asked for them."""
    ask = hashlib.sha256(f"{name}\n{text}".encode("utf-8", "replace")).hexdigest()[:16]
    live = None
    if diagram.wanted() == ask:
        try:
            ids, left_out = cache.fitting_ids(name, text)
            token = min(choice.get("token", len(ids) - 1, choice.number(0, 10**6)), len(ids) - 1)
            live = measured(name, cache.model(name).checksum, tuple(ids), token)
            if left_out:
                live = {
                    **live,
                    "note": f"The last {left_out:,} tokens do not fit this model and are left out.",
                }
        except ValueError as error:
            live = {"error": str(error)}
    diagram.show(name, start, ask, live)


with page.figure():
    figure(name, text, start)

st.subheader("What others do differently", anchor=False)
other = choice.bound(
    st.segmented_control, "Compare with", "compare",
    choice.get("compare", None, choice.one_of(*comparison.TITLES)),
    options=[*comparison.TITLES], format_func=comparison.TITLES.__getitem__,
)  # fmt: skip
if other:
    with page.figure():
        diagram.compare(name, other)
