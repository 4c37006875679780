"""Leave out a part: predict what it costs, then measure it."""

from ui import shell

shell.guard()

import numpy as np  # noqa: E402
import streamlit as st  # noqa: E402

from engine import measures  # noqa: E402
from ui import cache, choice, guess_bars, measuring, page, plot  # noqa: E402
from views import bars, coloured  # noqa: E402
from views import leave_out as view  # noqa: E402
from views.numbers import percent  # noqa: E402

SOURCES = {"ours": "Our own texts", "one": "One text, token by token"}


def predict_and_measure(model, tries, mark):
    """The bars: first the reader's, then the measured ones as they come."""
    even, names, texts = (
        model.setting("vocab_size"),
        [view.name(one) for one in tries[1:]],
        measures.own_rows(model),
    )
    guess_name = f"guess{len(names)}"
    guesses = choice.get(guess_name, None, guesses_of(len(names)))
    state = measuring.state(model, texts, tries, mark)
    with st.container(horizontal=True):
        measuring.buttons(state, "Predict again", lambda: choice.put(**{guess_name: None}))
    if not state.looked:
        st.markdown(
            "**Predict first.** Perplexity: as unsure as if among so many equally likely tokens. "
            "Drag each bar to where you think it will end, then measure."
        )
        guess_bars.show(
            "Your prediction of the perplexity", names, guesses or [50] * len(names), even, mark,
            lambda new: choice.put(**{guess_name: new}),
        )  # fmt: skip
        return
    place = st.empty()
    ours = f"our {len(texts)} {'products' if model.name == 'store' else 'stories'}"
    caption = f"Perplexity of {model.title} over {ours}, without one part at a time"

    def draw(results):
        drawn = view.rows(tries, results, guesses and [guess_bars.value(g) for g in guesses])
        trained = results[()].perplexity if () in results else None
        place.html(bars.html(caption, drawn, even, trained))

    found = measuring.run(state, draw)
    page.notice(*view.sentences(tries, found, even), view.guess_sentence(tries, found, guesses))
    plot.table(view.columns(tries, found), "leave-out")


def guesses_of(count):
    """A reader for the address: so many whole numbers from 0 to 100."""
    one = choice.number(0, 100)

    def read(raw):
        found = [one(part) for part in raw.split(",")]
        if len(found) != count:
            raise ValueError(raw)
        return found

    return read


def token_by_token(model, tries):
    """The reader's text, once for every part left out, coloured by what each token was given."""
    text = choice.text_control(model.name)
    ids, cut = cache.fitting_ids(model.name, text)
    if cut:
        st.info(f"The text is {cut} tokens too long for {model.title}; the first {len(ids)} are read.")
    if len(ids) < 2:
        st.info("Type at least one word: the first token has nothing before it to be predicted from.")
        st.stop()
    labels = [model.tokenizer.label(i) for i in ids]
    with st.spinner("Reading the text …"):
        found = {one: measuring.probabilities(model.name, ids, one) for one in tries}
    st.html(coloured.key())
    for one, given in found.items():
        worth = float(np.exp(-np.log(np.maximum(given, 1e-300)).mean()))
        st.markdown(f"**{view.name(one)}**, perplexity {bars.perplexity(worth)}")
        st.html(coloured.html(labels, [None, *given.tolist()]))
    base = found[()]
    drops = {one: base - given for one, given in found.items() if one}
    one = max(drops, key=lambda one: drops[one].max())
    place = int(drops[one].argmax())
    page.notice(
        f"The largest fall: {view.name(one)}, the token {page.literal(labels[place + 1])} goes from "
        f"{percent(float(base[place]))} to {percent(float(found[one][place]))}."
    )
    plot.table({"token": labels[1:], **{view.name(o): p for o, p in found.items()}}, "leave-out-tokens")


page.head(
    "Leave out a part", "Take one part away from a trained model and measure what is lost: that is its job."
)
with page.figure():
    with page.controls():
        name = choice.model_control(default="store")
        kind = choice.get("left_out", "block", choice.one_of(*view.KINDS))
        choice.bound(
            st.selectbox, "Left out", "left_out", kind, options=tuple(view.KINDS), format_func=view.KINDS.get
        )
        model = cache.model(name)
        L, block = model.setting("n_layer"), 0
        if kind == "head":
            block = choice.get("block", 1, choice.number(1, 1000))
            block = choice.bound(st.selectbox, "Block", "block", min(block, L), options=range(1, L + 1)) - 1
        texts = choice.get("over", "ours", choice.one_of(*SOURCES))
        choice.bound(
            st.selectbox, "Measured on", "over", texts, options=tuple(SOURCES), format_func=SOURCES.get
        )
    tries = view.tries(model, kind, block)
spot = st.container()
page.source("run", "block", system="store") if name == "store" else page.source("block", "blocks")
page.take_away()
with spot, page.figure():
    if texts == "ours":
        predict_and_measure(model, tries, f"{name}-{kind}-{block + 1}")
    else:
        token_by_token(model, tries)
