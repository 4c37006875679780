from ui import shell

shell.guard()
import json
from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.errors import ReaderError
from engine.families import Model
from engine.lens import confidence, probability_of, row_keys, row_names
from engine.untrained import SEEDS
from ui import cache, choice, lens_grid, lens_options, page, plot, share
from ui.lens_grid import kept
from views import handout, lens_files, lens_plots, lens_words, tables, untrained
from views import lens_grid as grid_data

QUESTIONS = [
    (
        "Why does the embedding row so often repeat its own token?",
        "Where the output matrix is the embedding matrix, as in all our models, the output layer compares a "
        "vector with the very rows that vectors start as. Before any block has added something, the vector "
        "is its own token's row, and mostly no other row fits it better. The blocks have to turn it from "
        "what stands here to what comes next.",
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
BELOW = """<style>
@media (max-width: 640px), (max-height: 479px) {
  .st-key-lens-choice, [data-testid="stLayoutWrapper"]:has(> .st-key-lens-choice) { display: contents; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-lens-options) { order: 1; flex: none; }
}
</style>"""
CLASS = """<style>
header[data-testid="stHeader"], [data-testid="stSidebarCollapsedControl"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: .7rem 1.5rem 0 !important; max-width: none !important; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: .5rem; }
.st-key-lens-class [data-testid="stSelectbox"] [data-testid="stWidgetLabel"] {
  position: absolute; clip-path: inset(50%); }
.st-key-lens-class [data-baseweb="select"] { font-size: 1.15rem; }
@media (min-width: 1200px) { html { font-size: clamp(15px, 1.18vw, 34px) !important; } }
</style>"""


@dataclass(frozen=True)
class Reading:
    """What is read here: base, the text's ids, of which the model could not read so many more (lost); more,
    the ids that the model wrote on; reads, the lens of the model and of one beside it, or why_alone."""

    model: Model
    text: str
    options: lens_options.Options
    base: list
    lost: int
    more: list
    reads: list
    why_alone: str | None

    @property
    def ids(self):
        return [*self.base, *self.more]

    @property
    def lens(self):
        return self.reads[0].lens

    @property
    def names(self):
        return self.reads[0].rows

    def start(self):
        """What is chosen in the grids."""
        keys = row_keys(self.model.architecture.n_layer, self.options.rows == "within")
        usual = grid_data.first_cell(self.lens, keys)
        return lens_grid.start(keys, len(self.ids), usual, self.options.follow is not None)

    def data(self, teaching=False):
        """The grids' data."""
        follow = self.options.follow
        follow = None if follow is None else {"id": follow, "label": self.model.tokenizer.label(follow)}
        return grid_data.data([grid_of(one, len(self.more)) for one in self.reads], follow, teaching)


def read(model, text, options):
    """What the reader chose -> a Reading."""
    base, lost = cache.fitting_ids(model, text)
    more = lens_options.written(model, base)
    ids = [*base, *more]
    reads, why_alone = [read_by(model, ids, options.rows, options.follow)], None
    if options.other:
        try:
            reads.append(beside(options, ids))
        except ReaderError as error:
            why_alone = str(error)
    return Reading(model, text, options, base, lost, more, reads, why_alone)


def beside(options, ids):
    """The compared model's lens."""
    other = cache.model(options.other)
    tuned = options.rows == "tuned" and lens_options.has_tuned_lens(other)
    rows = "plain" if options.rows == "tuned" and not tuned else options.rows
    return read_by(other, ids, rows, options.follow)


def read_by(model, ids, rows, follow):
    """One model's lens."""
    lens, followed = cache.lens(model, ids, rows=rows), None
    if follow is not None:
        followed = probability_of(model, lens, cache.lens_streams(model, ids, rows), follow)
    title = f"{model.title}, tuned lens" if rows == "tuned" else model.title
    return lens_files.Read(title, model, ids, lens, rows == "within", follow, followed)


def grid_of(one, written):
    """A Read as the grid takes it."""
    return grid_data.grid(one.model, one.ids, one.lens, one.within, written, one.title, one.followed)


def chosen_in_class():
    """The model, its text and the options in one row, which also says what they are; the text is hidden."""
    st.html(CLASS)
    with st.container(horizontal=True, vertical_alignment="center", key="lens-class"), page.figure():
        name = choice.model_control(width=230)
        words, beside, more = (st.container(width=size) for size in ("stretch", 240, "content"))
        more = more.popover("More")
        text = choice.text_control(name, where=words, hidden=True, field=more)
        model = cache.model(name)
        with more:
            options = lens_options.options(model, compare=beside)
            st.page_link("pages/guess.py", label="Open a room for this text", icon=":material/groups:")
        class_mode(True)
        share.stand_here()
    page.notices_here()
    return model, text, options


def class_mode(teaching):
    """The switch between the page and class mode, which takes the whole page."""
    said = "Nothing but the grid, in large type; its rows are covered and shown one by one."
    choice.bound(st.toggle, "Class mode", "class", teaching, then=st.rerun, help=said)


def chosen():
    """The same, with the controls; on a phone those of the lens itself stand below the grid."""
    with page.controls():
        name = choice.model_control(width=165)
        text = choice.text_control(name)
    aside = st.container(horizontal=True, vertical_alignment="bottom", width=490, key="lens-options")
    with aside, page.figure():
        model = cache.model(name)
        return model, text, lens_options.options(model)


def chosen_before():
    """The same as the address has them, without controls."""
    name = choice.shown_model()
    with page.figure():
        model = cache.model(name)
        return model, choice.chosen_text(name), lens_options.options(model, draw=False)


@st.fragment
def answer():
    """All that a control changes.  One that was moved is answered by the grid first, then by the rest."""
    with st.container(key="lens"):
        row = st.container(horizontal=True, vertical_alignment="bottom", key="lens-choice")
        if page.is_answer():
            try:
                shown = draw(*chosen_before())
            finally:
                with row:
                    chosen()
        else:
            with row:
                given = chosen()
            shown = draw(*given)
    class_mode(False)
    page.say_at_once()
    page.let_draw()
    below(*shown)


def draw(model, text, options, teaching=False):
    """Draw the grid -> what is read: the model's name, the text, the options."""
    with page.figure():
        shown = read(model, text, options)
        lens_options.cut(model, shown.base, shown.lost)
        if shown.why_alone:
            st.warning(page.literal(shown.why_alone))
        lens_grid.show(shown.data(teaching), shown.start())
    return model.name, text, options


def notices(shown):
    """What to notice; by row, over all ready-made texts, how sure the rows are and how often right."""
    ready = choice.ready_texts_of(shown.model.name).values()
    texts = tuple(map(choice.ready_text, ready))
    everywhere = cache.confidence(shown.model, texts, shown.options.rows)
    page.notice(
        *(one["why"] for one in ready if choice.ready_text(one) == shown.text),
        lens_words.repeats(shown.lens, shown.ids, shown.options.rows == "tuned", "tied" in shown.model.has),
        lens_words.answers(shown.lens, shown.names),
        lens_words.steps(everywhere, shown.names, f"our {len(ready)} ready-made texts"),
    )
    return {f"our {len(ready)} texts": everywhere[:2]}


def by_row(shown, measured):
    """Confidence by row, as curves.  measured: over our texts; this text's is added."""
    if len(shown.ids) > 1:
        measured = {**measured, "this text": confidence(shown.lens)}
    columns = {"row": shown.names}
    for where, (top, right) in measured.items():
        columns[f"mean top probability, {where}"] = top
        columns[f"share right, {where}"] = right
    plot.show(
        lens_plots.confidence(shown.names, measured, plot.dark()),
        columns,
        "lens-confidence",
        "Mean probability of the top candidate and share of right top candidates, row by row.",
    )


def before_training(shown):
    """The same text read with the weights that the model began with, beside the trained ones."""
    model = shown.model
    if not model.has_start:
        st.markdown(untrained.no_start(model.title))
        return
    if len(shown.ids) < 2:
        st.markdown(untrained.TOO_SHORT)
        return
    with st.spinner("Reading with the weights of the start …"):
        first, trained = cache.untrained(model, shown.ids)
    a = model.architecture
    made = untrained.rows_table(first, trained, row_names(a.n_layer))
    st.html(f"<style>{tables.CSS}</style>{made}")
    page.notice(*untrained.sentences(first, trained, a.vocab_size, len(SEEDS)))
    page.source("initialisation", model=model)


def fold(title, key, show, *given):
    """Something under a heading, which is worked out when the reader opens it."""
    opened = st.expander(title, key=key, on_change="rerun")
    if opened.open:
        with opened, page.figure():
            show(*given)


@st.fragment
def below(name, text, options):
    """All that stands below the grid, of what it shows; between two runs only names are held."""
    shown = read(cache.model(name), text, options)
    explain(shown)
    take_away(shown)


def explain(shown):
    """What to notice, what is folded, and the lines that ran."""
    with page.figure():
        measured = notices(shown)
    fold("Confidence by row", "lens-confidence", by_row, shown, measured)
    fold("Before its training", "lens-untrained", before_training, shown)
    fold("Let the model write on", "lens-writing", lens_options.writing, shown.model, shown.base, shown.more)
    with st.expander("Why"):
        st.markdown(WHY)
    st.markdown("**The lines that read a row**")
    page.source("reading", system="lens")
    st.markdown("**The model's own last norm and output layer, whose numbers every row uses**")
    page.source("final_norm", "output", model=shown.model)
    page.questions(QUESTIONS)


def take_away(shown):
    """The grids as a table, as a page of its own, and as Plotly's JSON."""
    start = shown.start()
    names = [one.model.name for one in shown.reads]
    titles = " and ".join(one.model.title for one in shown.reads)
    state = share.here("lens")
    page.take_away(
        csv=partial(lens_files.table, shown.reads),
        html=lambda: kept.page(shown.data(), start, f"Logit lens of {titles}"),
        name="-".join(("lens", *names)),
        **{"plotly.json": lambda: json.dumps(lens_files.figure(shown.reads))},
        **{f"handout-{paper}.html": partial(printed, shown, state, paper) for paper in handout.PAPERS},
    )


def printed(shown, state, paper):
    """The grids to print, with empty cells, and the answers."""
    reads = [(one.title, one.model, one.ids, one.lens, one.within) for one in shown.reads]
    start = shown.model.tokenizer.read(shown.ids[:8]).strip()
    return handout.of_lens(reads, f"“{start} …”", state, paper)


if choice.get("class", False, choice.switch):
    with st.container(key="lens"):
        draw(*chosen_in_class(), teaching=True)
else:
    page.head(
        "Logit lens",
        "Read the stream after every block as if it were the last, and watch the next token take shape.",
    )
    st.html(BELOW)
    answer()
