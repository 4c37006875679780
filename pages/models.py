from ui import shell

shell.guard()

import streamlit as st

from engine import export, families, measures, passing, records, sampling, weights
from ui import cache, choice, kept, opened, page, plot
from views import models as models_view
from views import opened as opened_view
from views.markdown import beneath
from views.numbers import counted

# What a model begins to write from, by the kind of its texts: the choice's name, and the usual beginning.
BEGINNINGS = {
    "stories": ("prompt", "Once upon a time there was"),
    "products": ("product_prompt", "Blue Cotton Shirt\n"),
    "plain": ("plain_prompt", "The capital of France is"),
    "repeats": ("repeat_prompt", choice.ready_text(next(iter(choice.ready_texts("repeats").values())))),
}


def compared():
    """All models side by side -> {name: Record}."""
    if not families.available():
        raise weights.WeightsError("No weights are here. Restore the folder with `git checkout -- weights`.")
    found = {name: records.of(name) for name in families.available()}
    told = list(found.values())
    for fault in (fault for record in told for fault in record.faults):
        st.warning(page.literal(fault))
    st.html(models_view.html(told))
    plot.table(models_view.columns(told), "models", "The numbers of this table")
    drawn, columns = models_view.curves(told, plot.dark()), models_view.curve_columns(told)
    plot.show(drawn, columns, "training-curves", "Held-out loss against the tokens seen in training")
    said = (models_view.comparison, models_view.others, models_view.on_the_way)
    page.notice(*filter(None, (*(sentence(told) for sentence in said), models_view.originals())))
    return found


def how_to_write():
    """The controls -> (the model's name, temperature, seed, the beginning)."""
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
    list_name, usual = BEGINNINGS[families.texts_of(name)]
    beginning = choice.get(list_name, usual, str)
    choice.text_field("Beginning", list_name, beginning)
    return name, heat, int(seed), beginning


def write(name, heat, seed, beginning, place):
    """Writes token by token.  Not in a fragment: only a click that runs the page again ends a run."""
    model = cache.model(name)
    ids, cut = cache.fitting_ids(model, beginning)
    if cut:
        st.info(f"The beginning is {counted(cut, 'token')} too long; the first {len(ids)} are used.")
    by = f"Written by {model.title} at temperature {heat:g}, seed {seed}."
    st.caption(page.literal(by))
    with st.spinner("Writing …", show_time=True):
        drawn = sampling.continuation(model, ids, 150, heat, seed=seed)
        for new in kept.stepwise(passing.reading(model, len(ids) + 150), drawn):
            ids.append(new)
            st.session_state["written"] = (by, model.tokenizer.decode(ids))
            place.text(st.session_state["written"][1])


@kept.result()
def own_score(key, _model):
    """Nats a token on our own texts, measured once for these weights."""
    return measures.nats_a_token(_model, measures.own_rows(_model))


@st.fragment
def check(name, record):
    """The card's figure, measured again on this machine."""
    if not st.button("Measure it here", key="measure"):
        return
    with page.figure():
        model = cache.model(name)
        with st.spinner("Reading our own texts …", show_time=True):
            nats, tokens = own_score(cache.key(model), model)
        st.markdown(models_view.measured_again(record, nats, tokens))


@st.fragment
def elsewhere(name, record):
    """The model as files that other programs open."""
    st.markdown(models_view.ELSEWHERE)
    if not st.button("Make its files", key="make-files"):
        return
    with page.figure(), st.spinner("Writing …"):
        model = cache.model(name)
        folder = export.zipped(model, record.card)
        one_file = export.gguf_bytes(model) if export.has_gguf() else None
    with page.figure(), st.container(horizontal=True):
        keep = {"on_click": "ignore", "mime": "application/octet-stream"}
        st.download_button("Download the folder (ZIP)", folder, f"{name}.zip", key="get-folder", **keep)
        if one_file is not None:
            st.download_button("Download GGUF", one_file, f"{name}.gguf", key="get-gguf", **keep)


page.head(
    "The models", "What each model is, how it was trained, and how well it predicts texts it has never seen."
)
with page.figure():
    found = compared()

if opened.shelf():
    st.header(opened_view.HEADING, anchor=False)
    st.html(opened_view.html(opened.shelf()))
    st.caption(page.literal(opened_view.sentence(opened.shelf())))
st.header("Let it write", anchor=False)
name, *wanted = how_to_write()
with st.container(horizontal=True):
    start = st.button("Write", key="write")
    st.button("Stop", key="stop")
working, written = st.empty(), st.empty()
if not start and "written" in st.session_state:
    by, text = st.session_state["written"]
    working.caption(page.literal(by))
    written.text(text)

st.header("Is the card true?", anchor=False)
check(name, found[name])
if found[name].card:
    with st.expander(page.literal(f"The card of {families.title(name)}")):
        st.markdown(beneath(found[name].card, 2))
st.header("Take it elsewhere", anchor=False)
elsewhere(name, found[name])
with st.expander("Data, licences and credits"), page.figure():
    credited = (weights.FOLDER.parent / "CREDITS.md").read_text(encoding="utf-8")
    st.markdown(beneath(credited, 2))
page.source("generate")
page.take_away()
if start:
    with working.container(), page.figure():
        write(name, *wanted, written)
