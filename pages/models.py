from ui import shell

shell.guard()

import streamlit as st

from engine import measures, presets, records, sampling, weights
from ui import cache, choice, page, plot
from views import models as view

PROMPTS = {"store": "Blue Cotton Shirt\n"}

page.head(
    "The models", "What each model is, how it was trained, and how well it predicts texts it has never seen."
)
with page.figure():
    if not weights.available():
        raise weights.WeightsError("No weights are here. Restore the folder with `git checkout -- weights`.")
    found = {name: records.read(name) for name in weights.available()}
    told = list(found.values())
    for fault in (fault for record in told for fault in record.faults):
        st.warning(page.literal(fault))
    st.dataframe(view.table(told), hide_index=True, width="stretch")
    drawn, columns = view.curves(told, plot.dark()), view.curve_columns(told)
    plot.show(drawn, columns, "training-curves", "Held-out loss against the tokens seen in training")
page.notice(
    *filter(None, (view.comparison(told), view.others(told), view.on_the_way(told), view.originals()))
)

st.header("Let it write", anchor=False)
with page.controls():
    name = choice.model_control()
    heat = choice.bound(
        st.slider,
        "Temperature",
        "temperature",
        choice.get("temperature", 0.8, choice.number(0, 2, float)),
        min_value=0.0,
        max_value=2.0,
        step=0.1,
        help="0 always takes the likeliest token (greedy).",
    )
    seed = choice.bound(
        st.number_input,
        "Seed",
        "seed",
        choice.get("seed", 1, choice.number(0, 10**6)),
        min_value=0,
        max_value=10**6,
        step=1,
        help="The same seed gives the same text.",
    )
default = PROMPTS.get(name, "Once upon a time there was")
prompt_name = "product_prompt" if name == "store" else "prompt"
prompt = choice.get(prompt_name, default, str)
choice.text_field("Beginning", prompt_name, prompt)


with st.container(horizontal=True):
    start = st.button("Write", key="write")
    st.button("Stop", key="stop")
working, written = st.empty(), st.empty()
if not start and "written" in st.session_state:
    by, text = st.session_state["written"]
    working.caption(page.literal(by))
    written.text(text)


def write():
    """Writes token by token.  Not in a fragment: only a click that runs the page again ends a run."""
    loaded = cache.model(name)
    ids, cut = cache.fitting_ids(name, prompt)
    if cut:
        st.info(f"The beginning is {cut} tokens too long; the first {len(ids)} are used.")
    by = f"Written by {loaded.title} at temperature {heat:g}, seed {int(seed)}."
    st.caption(page.literal(by))
    with st.spinner("Writing …", show_time=True):
        for new in sampling.continuation(loaded, ids, 150, heat, seed=int(seed)):
            ids.append(new)
            st.session_state["written"] = (by, loaded.tokenizer.decode(ids))
            written.text(st.session_state["written"][1])


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
    with page.figure():
        loaded = cache.model(name)
        with st.spinner("Reading our own texts …", show_time=True):
            nats, tokens = own_score(name, loaded.checksum)
        st.markdown(view.measured_again(record, nats, tokens))


st.header("Is the card true?", anchor=False)
record = found[name]
check()
if record.card:
    with st.expander(f"The card of {presets.TITLES[name]}"):
        st.markdown(record.card)
with st.expander("Data, licences and credits"), page.figure():
    st.markdown((weights.FOLDER.parent / "CREDITS.md").read_text(encoding="utf-8"))
page.source("generate", system="store" if name == "store" else "sprout")
page.take_away()
if start:
    with working.container(), page.figure():
        write()
