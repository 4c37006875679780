from ui import shell

shell.guard()
import json
from functools import partial

import streamlit as st

from engine.lens import confidence, probability_of, row_keys, row_names
from engine.untrained import SEEDS
from ui import cache, choice, lens_grid, lens_options, page, plot
from ui.lens_grid import kept
from views import lens_grid as drawing
from views import lens_plots as plots
from views import lens_words as words
from views import tables, untrained

QUESTIONS = [
    (
        "Why does the embedding row so often repeat its own token?",
        "The output layer compares a vector with every row of the embedding matrix, and it is that very "
        "matrix. Before any block has added something, the vector is its own token's row, and mostly no "
        "other row fits it better. The blocks have to turn it from what stands here to what comes next.",
    ),
    (
        "The text has a name twice. Where do you expect the lens to differ the second time?",
        "The first time, nothing before it tells which pieces follow. The second time, a model with two "
        "layers or more can look for the earlier place and copy what came after it, so that the real next "
        "piece should rise in the middle rows. Compare gpt-1 with a deeper model: in its one layer no key "
        "knows what stood before it, so it can't look up what followed.",
    ),
    (
        "A row before the output is surer than the output. Is that row better?",
        "Not by itself: training grades the output alone, so a row in between may put all its weight on a "
        "guess that the later blocks take back. Compare how sure it is with how often it is right: "
        "“Confidence by row” shows both.",
    ),
]
WHY = """
The stream keeps its width from the embedding to the output, so the final norm and the output layer can
read it at any row: that is the logit lens (nostalgebraist, 2020). Each row is normed anew, with the same
gains; the last row is the model's own output.

The lens reads a row as if it were the last one. Earlier blocks may write in directions that later blocks
still turn, and the plain lens may then show nonsense where there is knowledge. The **tuned lens** (Belrose et
al. 2023) puts a small learned affine map before the reading, one for each row, trained to come as near to
the output as it can. What it shows, it has partly learned itself, and not the model. It is
offered under “Rows” for models that have one.
"""
LEAVE_OUT = """<style>
header[data-testid="stHeader"], [data-testid="stSidebarCollapsedControl"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1rem 1.5rem !important; max-width: none !important; }
</style>"""


def read(name, text, options, teaching):
    """What the reader chose -> model, the text's ids, the ids written on, lens, the grid's data and start."""
    model = cache.model(name)
    base, cut = cache.fitting_ids(name, text)
    lens_options.cut(model, base, cut)
    more = lens_options.written(model, base)
    ids = [*base, *more]
    lens = cache.lens(name, ids, rows=options.rows)
    grids = [grid_of(name, ids, options.rows, len(more), options.follow)]
    if options.other:
        grids += beside(options, ids, len(more))
    follow = options.follow
    follow = None if follow is None else {"id": follow, "label": model.tokenizer.label(follow)}
    data = drawing.data(grids, follow, teaching)
    keys = row_keys(model.setting("n_layer"), options.rows == "within")
    start = lens_grid.start(keys, len(ids), drawing.first_cell(lens, keys), follow is not None)
    return model, base, more, lens, data, start


def beside(options, ids, written):
    """The compared model's grid, or a sentence that says why there is none: [grid] or []."""
    try:
        tuned = options.rows == "tuned" and lens_options.has_tuned_lens(options.other)
        rows = "plain" if options.rows == "tuned" and not tuned else options.rows
        return [grid_of(options.other, ids, rows, written, options.follow)]
    except ValueError as error:
        st.warning(page.literal(str(error)))
        return []


def grid_of(name, ids, rows, written, follow):
    """One model's grid."""
    model, lens = cache.model(name), cache.lens(name, ids, rows=rows)
    followed = None
    if follow is not None:
        followed = probability_of(model, lens, cache.lens_streams(name, ids, rows), follow)
    title = f"{model.title}, tuned lens" if rows == "tuned" else model.title
    return drawing.grid(model, ids, lens, rows == "within", written, title, followed)


def before_training(model, ids):
    """The same text read with the weights that the model began with, beside the trained ones."""
    with st.spinner("Reading with the weights of the start …"):
        first, trained = cache.untrained(model.name, ids)
    made = untrained.rows_table(first, trained, row_names(model.setting("n_layer")))
    st.html(f"<style>{tables.CSS}</style>{made}")
    page.notice(*untrained.sentences(first, trained, model.setting("vocab_size"), len(SEEDS)))
    page.source("initialisation", system=model.name)


teaching = choice.get("class", False, choice.switch)
if teaching:
    st.html(LEAVE_OUT)
    name = choice.get("model", "gpt-4", choice.one_of(*lens_options.presets.NAMES))
    text = choice.chosen_text(name)
    with page.figure():
        options = lens_options.options(name, draw=False)
else:
    page.head(
        "Logit lens",
        "Read the stream after every block as if it were the last, and watch the next token take shape.",
    )
    with page.controls():
        name = choice.model_control(width=170)
        text = choice.text_control(name)
        with st.popover("More"), page.figure():
            options = lens_options.options(name)
with page.figure():
    model, base, more, lens, data, start = read(name, text, options, teaching)
    lens_grid.show(data, start)
choice.bound(
    st.toggle,
    "Class mode",
    "class",
    teaching,
    help="Nothing but the grid, in large type; its rows are covered and shown one by one.",
)
if teaching:
    st.stop()

ids, within = [*base, *more], options.rows == "within"
names = row_names(model.setting("n_layer"), within)
ready = choice.ready_texts("products" if name == "store" else "texts")
with page.figure():
    everywhere = cache.confidence(name, tuple(map(choice.ready_text, ready.values())), options.rows)
    page.notice(
        *(one["why"] for one in ready.values() if choice.ready_text(one) == text),
        words.repeats(lens, ids, options.rows == "tuned"),
        words.answers(lens, names),
        words.steps(everywhere, names, f"our {len(ready)} ready-made texts"),
    )
behind = st.expander("Confidence by row", key="lens-confidence", on_change="rerun")
if behind.open:
    with behind, page.figure():
        measured = {f"our {len(ready)} texts": everywhere[:2]}
        if len(ids) > 1:
            measured["this text"] = confidence(lens)
        columns = {"row": names}
        for where, (top, right) in measured.items():
            columns[f"mean top probability, {where}"] = top
            columns[f"share right, {where}"] = right
        plot.show(
            plots.confidence(names, measured, plot.dark()),
            columns,
            "lens-confidence",
            "Mean probability of the top candidate and share of right top candidates, row by row.",
        )
if model.family == "sprout" and len(ids) > 1:  # its start is in the file that runs
    early = st.expander("Before its training", key="lens-untrained", on_change="rerun")
    if early.open:
        with early, page.figure():
            before_training(model, ids)
writing = st.expander("Let the model write on", key="lens-writing", on_change="rerun")
if writing.open:
    with writing, page.figure():
        lens_options.writing(name, base, more)
with st.expander("Why"):
    st.markdown(WHY)
st.markdown("**The lines that read a row**")
page.source("reading", system="lens")
st.markdown("**The model's own last norm and output layer, whose numbers every row uses**")
page.source("final_norm", "output", system=name)
page.questions(QUESTIONS)
page.take_away(
    csv=partial(drawing.table, model, ids, lens, within),
    html=partial(
        kept.page, drawing.data(data["grids"], data["follow"]), start, f"Logit lens of {model.title}"
    ),
    name=f"lens-{name}",
    **{"plotly.json": lambda: json.dumps(plots.heatmap(model, ids, lens, within))},
)
