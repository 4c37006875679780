from ui import shell

shell.guard()

import streamlit as st

from engine import export, families, measures, records, weights
from ui import cache, choice, kept, opened, page, plot
from views import models as models_view
from views import opened as opened_view
from views.markdown import beneath


def compared():
    """All models side by side -> {name: Record}."""
    if not families.available():
        raise weights.WeightsError("No weights are here. Restore the folder with `git checkout -- weights`.")
    found = {name: records.of(name) for name in families.available()}
    told = [record for name, record in found.items() if not families.offered(name)]
    for fault in (fault for record in told for fault in record.faults):
        st.warning(page.literal(fault))
    st.html(models_view.html(told))
    plot.table(models_view.columns(told), "models", "The numbers of this table")
    drawn, columns = models_view.curves(told, plot.dark()), models_view.curve_columns(told)
    plot.show(drawn, columns, "training-curves", "Held-out loss against the tokens seen in training")
    said = (models_view.comparison(told), models_view.others(told))
    page.notice(*filter(None, said), *models_view.on_the_way(told), models_view.originals())
    return found


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


@kept.result("Writing …", needs=lambda key, card, model: 12 * model.stored)
def files(key, card, _model):
    """A model as a ZIP file and as a GGUF file, the latter None without its package."""
    return export.zipped(_model, card), export.gguf_bytes(_model) if export.has_gguf() else None


@st.fragment
def elsewhere(name, record):
    """The model as files that other programs open."""
    st.markdown(models_view.ELSEWHERE)
    if not st.button("Make its files", key="make-files"):
        return
    with page.figure(), page.said_if_lacking():
        model = cache.model(name)
        folder, one_file = files(cache.key(model), record.card, model)
        keep = {"on_click": "ignore", "mime": "application/octet-stream"}
        with st.container(horizontal=True):
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
st.header("One of them", anchor=False)
with page.controls():
    name = choice.model_control()
st.page_link("pages/story.py", label="Let it write a story", icon=":material/arrow_forward:")
st.subheader("Is the card true?", anchor=False)
check(name, found[name])
if found[name].card:
    with st.expander(page.literal(f"The card of {families.title(name)}")):
        st.markdown(beneath(found[name].card, 2))
st.subheader("Take it elsewhere", anchor=False)
elsewhere(name, found[name])
with st.expander("Data, licences and credits"), page.figure():
    credited = (weights.FOLDER.parent / "CREDITS.md").read_text(encoding="utf-8")
    st.markdown(beneath(credited, 2))
page.take_away()
