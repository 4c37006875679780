"""The doctor: is a model run as it was trained?"""

from ui import shell

shell.guard()

from functools import partial

import streamlit as st

from engine import doctor, sweeps
from engine.counting import config_json
from ui import cache, choice, measuring, pace, page, plot
from views import bars, parameters, tables
from views import doctor as doctor_view
from views.numbers import counted


def jobs(model, texts, changes):
    """What is measured -> {name: (key, begin)}, as measuring.gather takes them."""
    mark = (model.checksum, sweeps.fingerprint(texts), "doctor")
    found = {
        "weights": ((*mark, "weights"), partial(doctor.broken_weights, model)),
        None: ((*mark, None), partial(doctor.reading, model, None, texts)),
        "stream": ((*mark, "stream"), partial(doctor.stream_sizes, model, texts)),
    }
    return found | {one: ((*mark, one), partial(doctor.reading, model, one, texts)) for one in changes}


def work(model):
    """What the examination takes: every text as declared, with each change, and once more for the stream."""
    texts, times = doctor.rows(model), len(doctor.alternatives(model)) + 2
    return pace.passes(model, texts[0], times * sum(map(len, texts)))


def examined(model, mark):
    """Everything measured, drawn as it comes -> what is known."""
    texts, changes = doctor.rows(model), doctor.alternatives(model)
    place = st.empty()
    caption = f"Perplexity of {model.title} as declared and with one detail changed"
    even = model.architecture.vocab_size

    def draw(found):
        read = {one: found[one] for one in (None, *changes) if one in found}
        compared = doctor_view.compared(changes, read)
        rows = doctor_view.bars(changes, read, compared)
        declared = doctor.perplexity(read[None]) if None in read else None
        place.html(bars.html(caption, rows, even, declared, doctor_view.AS_DECLARED, tops=False))

    wanted = jobs(model, texts, changes)
    label, what = "Examining …", "the examination"
    found = measuring.at_once(
        wanted, mark, draw, label, what, f"Read: {counted(len(texts), 'text')} of ours."
    )
    return changes, found


def told(model, changes, found):
    """What was found, and what to do."""
    read = {one: found[one] for one in (None, *changes) if one in found}
    compared = doctor_view.compared(changes, read)
    broken, sizes = found.get("weights"), found.get("stream")
    st.header("Findings", anchor=False)
    listed = doctor_view.findings(model, read, compared, broken, sizes)
    for what, remedy in listed:
        st.warning(page.literal(f"{what} {remedy}"))
    if not listed and len(found) == len(changes) + 3:
        st.success(doctor_view.healthy(model, len(changes)))
    if sizes is not None:
        page.notice(doctor_view.sizes_said(sizes))
    if None in read:
        plot.table(doctor_view.columns(read, compared), "doctor")


def config_lines(model):
    """Every line of the file that the settings were read from, and what depends on it."""
    if model.config is None:
        page.lacking(f"{model.title} was read from no config.json.")
    else:
        st.html(f"<style>{tables.CSS}</style>{parameters.lines_table(config_json.read(model.config))}")


def reference(model):
    """The reader's own numbers, made elsewhere, against the model's."""
    st.header("Against numbers made elsewhere", anchor=False)
    st.markdown(
        "A small file with the ids of a text and another program's logits for it, from "
        '`numpy.savez("reference.npz", ids=ids, logits=logits)`; the logits may be those of the last '
        "positions only."
    )
    given = st.file_uploader("A reference, .npz", type="npz", key="reference")
    if given is not None:
        with page.figure():
            ids, logits = doctor.read_reference(given.getvalue())
            st.markdown(doctor_view.apart_said(doctor.hold(model, ids, logits), len(ids)))


page.head(
    "The doctor",
    "Is a model run as it was trained? A wrong detail raises no error: it shows in what the model makes of "
    "texts.",
)
with page.figure():
    with page.controls():
        name = choice.model_control()
    model = cache.model(name)
    table = tables.table("How it is run", ("detail", "declared"), doctor_view.declared(model))
    st.html(f"<style>{tables.CSS}</style>{table}")
    with st.expander("Its config.json, line by line"), page.figure():
        config_lines(model)
    mark = f"{name}-doctor"
    if choice.get("look", "", lambda raw: raw[:80]) == mark:
        told(model, *examined(model, mark))
    else:
        st.markdown("Next, the same texts are read as declared and with one detail changed after the other.")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Examine", key="examine", on_click=choice.put, kwargs={"look": mark})
            pace.tell(work(model))
    reference(model)
page.source("rope", "rms_norm", "output", model=name)
page.questions(
    [
        (
            "Why can the wrong base of RoPE go unnoticed?",
            "The pairs that turn fast are turned alike by either base, and the slow ones hardly turn between "
            "near tokens. What suffers are long distances, and a short text has few of those.",
        ),
        (
            "Why is a better perplexity with another setting a sign, and no proof?",
            "Training fits all weights to the settings it was run with, so the declared ones should win. "
            "But the "
            "texts are few, and another setting may win on them by chance: that is what the standard error "
            "is for.",
        ),
    ]
)
page.take_away()
