"""Past the training length: what the loss does where training never went."""

from ui import shell

shell.guard()

import streamlit as st

from engine import length as length_readings
from engine import passing
from ui import asked, cache, choice, kept, measuring, page, plot
from views import length
from views.numbers import whole

WORK = 43e9  # weights times tokens: so much is read in about a minute
FEWEST, MOST = 3, 8  # rows


def rows_for(model):
    """How many rows are read: as many as take a minute or so."""
    return min(MOST, max(FEWEST, int(WORK / (model.stored * length.TIMES * model.window))))


def measured(model):
    """The curve, growing with every row that is read."""
    length_readings.check(model, length.TIMES)
    key, rows, state = (model.checksum, "length"), rows_for(model), state_of(model)
    with st.container(horizontal=True):
        measuring.buttons(state)
    if not state.looked:
        before_measuring(model)
        return
    place, partial = st.empty(), st.session_state.setdefault("length.partial", {})
    if state.missing and not state.stopped:
        read_on(model, key, rows, place, partial)
        st.rerun()
    found = state.found.get(key) or partial.get(model.checksum)
    if found is None:
        st.caption("Stopped before the first row was read.")
        return
    with place.container():
        made, columns = length.curve(found, model.window, plot.dark())
        plot.show(made, columns, "length", "The loss by position, with a line where training ended")
    if state.stopped and state.missing:
        st.caption(f"Stopped after {found.rows} of {rows} rows.")
    page.notice(*length.sentences(found, model.window, model.joined))
    with st.expander("What is promised and what is not"):
        st.markdown(length.promise(model.window, found.rows))


def state_of(model):
    """Where the reader stands; that the curve was asked for is in the address."""
    mark, key = f"{model.name}-length", (model.checksum, "length")
    found = measuring.remembered(key)
    looked = choice.get("look", "", lambda raw: raw[:80]) == mark
    stopped = st.session_state.get("stopped") == mark
    return measuring.State(model, [], [key], mark, looked, stopped, {key: found} if found else {})


def before_measuring(model):
    """What is asked, before it is answered."""
    title, window = page.literal(model.title), whole(model.window)
    st.markdown(
        f"{title} was trained on rows of at most {window} tokens. Joined end to end, our "
        f"texts go on to {whole(length.TIMES * model.window)}. Does the loss stay, fall or rise beyond that? "
        "And if it rises: is it the distance? Decide, then measure."
    )


def read_on(model, key, rows, place, partial):
    """Read row after row, drawing the curve so far into its place; partial keeps it for a Stop."""

    def draw(loss):
        if loss is not None:
            partial[model.checksum] = loss
            made, _ = length.curve(loss, model.window, plot.dark())
            place.plotly_chart(made, config={"displaylogo": False}, key=f"length-{loss.rows}")

    def begin():
        needs = passing.reading(model, length.TIMES * model.window)
        return kept.stepwise(needs, length_readings.loss_by_place(model, length.TIMES, rows))

    steps = measuring.once(key, begin)
    label = f"Reading {rows} rows of {whole(length.TIMES * model.window)} tokens …"
    measuring.stream(steps, draw, label)


page.head(
    "Past the training length",
    "RoPE has an angle for every position, however far; whether the model can use it has to be measured.",
)
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
    model = cache.model(name)
spot = st.container()
page.source("rope", model=model)
asked.show("length")
page.take_away()
with spot, page.figure(), page.said_if_lacking():
    measured(model)
