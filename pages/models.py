from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from engine import measures, presets, records, sampling, weights  # noqa: E402
from ui import cache, choice, page, plot  # noqa: E402
from views import models as view  # noqa: E402
from views import numbers  # noqa: E402

PROMPTS = {"store": "Blue Cotton Shirt\n"}

page.head(
    "The models", "What each model is, how it was trained, and how well it predicts texts it has never seen."
)
with page.figure():
    found = [records.read(name) for name in weights.available()]
    st.dataframe(view.table(found), hide_index=True, width="stretch")
    figure = view.curves(found, plot.dark())
    plot.show(figure, view.curve_columns(found), "training-curves", "Held-out loss falls as tokens are seen.")
page.notice(
    view.comparison(found),
    "The curves of the story models were logged on 64 of the held-out stories, the table counts all of them.",
    "The store's model reads other texts with other tokens, so its loss is no rival to theirs.",
    view.on_the_way(found),
    view.originals(),
)

st.subheader("Let it write", anchor=False)
with page.controls():
    name = choice.model_control()
    heat = choice.bound(
        st.slider, "Temperature", "temperature", choice.get("temperature", 0.8, choice.number(0, 2, float)),
        min_value=0.0, max_value=2.0, step=0.1, help="0 always takes the likeliest token (greedy).",
    )  # fmt: skip
    seed = choice.bound(
        st.number_input, "Seed", "seed", choice.get("seed", 1, choice.number(0, 10**6)),
        min_value=0, max_value=10**6, step=1, help="The same seed gives the same text.",
    )  # fmt: skip
default = PROMPTS.get(name, "Once upon a time there was")
prompt_name = "product_prompt" if name == "store" else "prompt"
prompt = choice.get(prompt_name, default, lambda raw: raw[: choice.LONGEST])
prompt_help = "Press Ctrl + Enter, or tap outside the field."
choice.bound(st.text_area, "Beginning", prompt_name, prompt, choice.kept, height=68, help=prompt_help)


with st.container(horizontal=True):
    start = st.button("Write", key="write")
    st.button("Stop", key="stop")
working, written = st.empty(), st.empty()
if not start:
    written.text(st.session_state.get("written", ""))


def write():
    """Writes token by token.  Not in a fragment: only a click that runs the page again ends a run."""
    loaded = cache.model(name)
    ids, cut = cache.fitting_ids(name, prompt)
    if cut:
        st.info(f"The beginning is {cut} tokens too long; the first {len(ids)} are used.")
    with st.spinner("Writing …", show_time=True):
        for new in sampling.continuation(loaded, ids, 150, heat, seed=int(seed)):
            ids.append(new)
            st.session_state["written"] = loaded.tokenizer.decode(ids)
            written.text(st.session_state["written"])


@st.cache_data(show_spinner=False)
def own_score(model_name, checksum):
    """Nats a token on our own texts, measured once for these weights."""
    loaded = cache.model(model_name)
    return measures.nats_a_token(loaded, measures.own_rows(loaded))


@st.fragment
def check():
    """The card's figure, measured again on this machine."""
    if not st.button("Measure it here", key="measure"):
        return
    loaded = cache.model(name)
    with st.spinner("Reading our own texts …", show_time=True):
        nats, tokens = own_score(name, loaded.checksum)
    record = next(r for r in found if r.name == name)
    stated = f"; its card says {record.results['own_texts']['nats']:.3f}" if record.results else ""
    st.markdown(
        f"{presets.TITLES[name]} needs {nats:.3f} nats a token over the {numbers.whole(tokens)} tokens "
        f"of our own texts{stated}."
    )


st.subheader("Is the card true?", anchor=False)
with page.figure():
    check()
    record = next(r for r in found if r.name == name)
    if record.card:
        with st.expander(f"The card of {presets.TITLES[name]}"):
            st.markdown(record.card)
    with st.expander("Data, licences and credits"):
        st.markdown((weights.FOLDER.parent / "CREDITS.md").read_text(encoding="utf-8"))
page.source("generate", system="store" if name == "store" else "sprout")
page.take_away()
if start:
    with working.container(), page.figure():
        write()
