from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from engine import stream  # noqa: E402
from ui import cache, choice, held_out, page, plot  # noqa: E402
from views import stream as views  # noqa: E402

IDEAS = {"added": "What each part adds", "numbers": "Size of the numbers", "direction": "Direction"}
PICTURES = {
    "added": "Mean lengths of what each part adds, and of the stream, by block",
    "numbers": "Root mean square and largest number of the stream, by block",
    "direction": "Cosine between the stream before and after each block",
}
DRAW = {"added": views.added_plot, "numbers": views.numbers_plot, "direction": views.direction_plot}
QUESTIONS = [
    (
        "Attention adds a vector of length 3 and the feed-forward layer one of length 4. How much longer "
        "is the stream?",
        "That depends on where they point. Along the stream, 7 longer; against it, up to 7 shorter; at "
        "right angles to it and to each other, lengths go by Pythagoras: √(length² + 9 + 16). That is "
        "why the bars do not stack up to the line.",
    ),
    (
        "Does it matter that the stream grows from block to block?",
        "Each part reads the stream through a norm, so what it reads is always of the same size. But "
        "what a later block adds must be larger to turn a longer vector by the same angle, and a number "
        "format with a small range, such as float16, may end. Before you run a model in float16, look at "
        "its largest number.",
    ),
    (
        "Why does a block add instead of replacing?",
        "The derivative of x + f(x) is 1 + f′(x): the 1 keeps a road for the gradient through any number "
        "of blocks (He et al. 2015). And a new block, whose last matrices start small, begins by adding "
        "almost nothing.",
    ),
]  # fmt: skip

page.head(
    "Residual stream",
    "Every block adds to one vector a token. Find out how much each part adds, how large the numbers "
    "get, and how far the vector turns.",
)
with page.controls():
    name = choice.model_control()
    averaged = choice.get("held", False, choice.switch)
    if not averaged:
        text = choice.text_control(name)
    choice.bound(st.toggle, f"Average over our {held_out.kind(name)}", "held", averaged)
idea = choice.get("stream", "added", choice.one_of(*IDEAS))
choice.bound(
    st.segmented_control, "What to look at", "stream", idea, options=tuple(IDEAS),
    format_func=IDEAS.__getitem__, required=True, label_visibility="collapsed",
)  # fmt: skip
with page.figure():
    model = cache.model(name)
    if averaged:
        growth = stream.together(held_out.over_texts(name, stream.measure))
        every = held_out.ids(name)
    else:
        ids, dropped = cache.fitting_ids(name, text)
        growth, every = stream.measure(cache.trace(name, ids)), [ids]
        if dropped:
            st.warning(f"The last {dropped} tokens do not fit this model and are left out.")
    plot.show(DRAW[idea](growth, plot.dark()), views.columns(growth), f"stream-{idea}", PICTURES[idea])
if idea == "added":
    page.notice(views.added_sentence(growth))
elif idea == "numbers":
    number, token, _ = growth.place[growth.largest.argmax()]
    page.notice(
        views.numbers_sentence(growth, f"“{page.literal(model.tokenizer.label(every[number][token]))}”")
    )
else:
    page.notice(views.direction_sentence(growth))
what = f"our {held_out.kind(name)}" if averaged else "this text"
st.caption(f"Means over all {growth.tokens:,} tokens of {what}, the marker at the start included.")
if name in views.ORIGINALS:
    st.caption(views.ORIGINALS[name])
page.source("stream", "block", system="store" if name == "store" else "sprout")
page.questions(QUESTIONS)
page.take_away()
