"""Past the training length: what the loss does where training never went."""

from ui import shell

shell.guard()

import streamlit as st

from engine import length
from ui import asked, cache, choice, measuring, page, plot
from views import length as view
from views.numbers import whole

FEWER, ROWS = {"gpt-4": 6, "sprout": 3}, 8  # rows: more take minutes


def measured(model, window):
    """The curve, growing with every row that is read."""
    mark, key, rows = f"{model.name}-length", (model.checksum, "length"), FEWER.get(model.name, ROWS)
    found = measuring.remembered(key)
    state = measuring.State(
        model,
        [],
        [key],
        mark,
        choice.get("look", "", lambda raw: raw[:80]) == mark,
        st.session_state.get("stopped") == mark,
        {key: found} if found else {},
    )
    with st.container(horizontal=True):
        measuring.buttons(state)
    if not state.looked:
        st.markdown(
            f"{model.title} was trained on rows of at most {whole(window)} tokens. Joined end to end, our "
            f"texts go on to {whole(view.TIMES * window)}. Does the loss stay, fall or rise beyond that? "
            "And if it rises: is it the distance? Decide, then measure."
        )
        return
    place, partial = st.empty(), st.session_state.setdefault("length.partial", {})

    def draw(loss):
        if loss is not None:
            partial[model.checksum] = loss
            made, _ = view.curve(loss, window, plot.dark())
            place.plotly_chart(made, config={"displaylogo": False}, key=f"length-{loss.rows}")

    if not found and not state.stopped:
        steps = measuring.once(key, lambda: length.loss_by_place(model, view.TIMES, rows))
        measuring.stream(steps, draw, f"Reading {rows} rows of {whole(view.TIMES * window)} tokens …")
        st.rerun()
    found = found or partial.get(model.checksum)
    if found is None:
        st.caption("Stopped before the first row was read.")
        return
    made, columns = view.curve(found, window, plot.dark())
    with place.container():
        plot.show(made, columns, "length", "The loss by position, with a line where training ended")
    if state.stopped and state.missing:
        st.caption(f"Stopped after {found.rows} of {rows} rows.")
    page.notice(*view.sentences(found, window, model.joined))
    with st.expander("What is promised and what is not"):
        st.markdown(view.promise(window, found.rows))


page.head(
    "Past the training length",
    "RoPE has an angle for every position, however far; whether the model can use it has to be measured.",
)
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
    model = cache.model(name)
spot = st.container()
page.source("rope", system="store" if name == "store" else "sprout")
asked.show("length")
page.take_away()
with spot, page.figure():
    measured(model, model.window)
