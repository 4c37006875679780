"""The anatomy of a page, the same everywhere: see the functions in their order.

shell.guard()                                        first line of every page
page.head("Logit lens", "Read the model's mind …")   title and one sentence
with page.controls(): …                              one row
with page.figure(): …                                the picture
page.notice("…")                                     what to notice, numbers filled in
page.source("attention", …)                          the lines that computed it
page.questions([...])                                Try
page.take_away(csv=…)                                link, data, picture
"""

import logging
import time
from contextlib import contextmanager, nullcontext
from itertools import accumulate

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.errors import LacksError, ReaderError
from ui import choice, fold, share, source_panel, web
from views import marks
from views.numbers import form, whole

MUCH = 480  # letters of "What to notice" that stand in the open: some five lines
GONE = (
    "The server does not answer. The page goes on by itself as soon as it does; if not, load it again. "
    "What you chose is in the page's address."
)
_CSS = f"""
{marks.css()}
[data-testid="stMainBlockContainer"] {{ padding-top: 4.5rem; padding-bottom: 4rem; max-width: 110rem; }}
[data-testid="stHeadingWithActionElements"] h1 {{ font-size: 1.9rem; padding: 0; }}
[data-testid="stHeadingWithActionElements"] h2 {{ font-size: 1.5rem; padding: .5rem 0; }}
/* Streamlit makes up an anchor for every heading that is given none, at every run, by thousands of rules. */
[data-testid="stHeaderActionElements"] {{ display: none; }}
.stApp {{ font-variant-numeric: tabular-nums; }}
[data-stale="true"] {{ opacity: 1 !important; }}  /* still true, so not dimmed meanwhile */
@media not all and (any-pointer: coarse) {{ [class*="st-key-apply-"] {{ display: none; }} }}
/* Firefox takes a popover's name for wider than the room it gave it. */
[data-testid="stPopoverButton"] :is(div, span) {{ min-width: max-content; }}
.st-key-server-came-back {{ position: absolute; }}
/* A tap beside an open sheet closes it and does nothing else. */
body:has([data-testid="stPopoverBody"]) [data-testid="stMainBlockContainer"] {{ pointer-events: none; }}
/* Streamlit's own Stop would leave a measurement standing half-way; each page that measures has its own. */
[data-testid="stStatusWidget"] button {{ display: none; }}
/* Streamlit's words for a lost connection speak to who runs the server; of its dialogs' contents, they alone
   have no name. (Asking body:has(.stApp:not(…)) makes a browser look through the page at every change.) */
body > [data-testid="stDialog"] h2 + div > div:only-child:not([data-testid]) {{
  font-size: 0; visibility: hidden;
  &::after {{ content: "{GONE}"; font-size: 1rem; visibility: visible; }}
}}
@media (max-width: 640px) {{ [data-testid="stMainBlockContainer"] {{ padding: 4rem 1rem 3rem; }}
  [data-testid="stTable"] :is(th, td) {{ padding: .2rem !important; font-size: .76rem !important;
    white-space: normal !important; }} }}
@media (max-width: 340px) {{
  [data-testid="stTable"] :is(th, td) {{ padding: .15rem !important; font-size: .62rem !important; }} }}
/* A long line of a card breaks, so that nothing in it has to be scrolled sideways. */
[data-testid="stMarkdownPre"] :is(pre, code) {{ white-space: pre-wrap !important; overflow-wrap: anywhere; }}
/* Streamlit draws switches, sliders and the chosen tab by backgrounds, which forced colours take away. */
@media (forced-colors: active) {{ label:has(> span > [role="switch"]) > div:not([data-testid]) {{
  outline: 2px solid CanvasText; > div {{ background: CanvasText; }} }}
  label:has(> span > [role="switch"]:checked) > div:not([data-testid]) {{ background: Highlight; }}
  [data-testid="stSlider"] [role="group"] > div > div:first-child {{ border-block: 2px solid CanvasText; }}
  [data-testid="stSlider"] [role="group"] > div > div:has(input) {{ background: Highlight; }}
  [data-testid="stButtonGroup"] button[data-selected] {{ outline: 3px solid Highlight;
    outline-offset: -3px; }} }}
@page {{ margin: 12mm; }}
@media print {{ h1, h2, h3, h4 {{ break-after: avoid; }}
  tr, [class*="st-key-state-"] {{ break-inside: avoid; }}
  .st-key-onward, [data-testid="stDownloadButton"] {{ display: none; }} }}
@media (prefers-reduced-motion: reduce) {{ * {{ animation: none !important; transition: none !important; }} }}
"""

# In somebody else's frame a page stands alone: see docs/embedding.md.
_FRAMED = """
header[data-testid="stHeader"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: .6rem 1rem 1.5rem; }
"""

PROJECTED = """<style>
header[data-testid="stHeader"], [data-testid="stSidebarCollapsedControl"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1rem 1.5rem !important; max-width: none !important; }
@media (min-width: 1200px) { html { font-size: clamp(17px, 1.46vw, 34px) !important; } }
</style>"""


def dress(more=""):
    """What all pages wear.  more: style beside it."""
    st.session_state["teaching"] = False  # until the page's head says otherwise
    framed = _FRAMED if st.context.is_embedded else ""
    st.html(f"<style>{_CSS}{fold.CSS}{web.text('web/touch.css')}{more}{framed}</style>")


def head(title, sentence, projected=False):
    """The page's title and the one sentence that says what can be found out here.

    projected: whether the page has a class mode, in which it is title, controls and figure in large type.
    """
    st.session_state["teaching"] = teaching = projected and choice.get("class", False, choice.switch)
    row = st.container(horizontal=True, vertical_alignment="center") if projected else nullcontext()
    with row:
        st.title(title, anchor="top")
        if projected:
            said = "Nothing but the figure and its controls, in large type."
            choice.bound(st.toggle, "Class mode", "class", teaching, help=said)
        if teaching:
            share.stand_here()
    if teaching:
        st.html(PROJECTED)
    else:
        st.markdown(sentence)
    notices_here()


def notices_here():
    """Where it is said what happened to the reader's choices on the way."""
    st.session_state["notices_here"] = st.container()


def teaching():
    """Whether this page is shown in class mode."""
    return st.session_state.get("teaching", False)


def show_notices():
    """Say below the title what happened to the reader's choices on the way, when the page has run."""
    place = st.session_state.pop("notices_here", None)
    if place is not None:
        for notice in st.session_state.pop("notices", []):
            place.warning(literal(notice))


def is_answer():
    """Whether a fragment runs alone, since a control in it was moved: all else is on screen."""
    return bool(get_script_run_ctx().fragment_ids_this_run)


def let_draw():
    """Between what answers a control first and the rest: the browser draws what came before.

    What comes within some milliseconds is drawn together.
    """
    if is_answer():
        time.sleep(0.06)


def say_at_once():
    """At the end of a fragment that runs alone: what has to be said under the title takes the whole page."""
    if st.session_state.get("notices") and is_answer():
        st.rerun()


def controls():
    """The one row of controls, in the page's body so that a phone shows it."""
    return st.container(horizontal=True, vertical_alignment="bottom", key="controls")


@contextmanager
def figure():
    """Where the picture goes.  What can't be shown is said in a sentence, never with a traceback."""
    try:
        yield
    except ReaderError as error:  # what a reader gave, chose or can repair: the message is ours
        st.error(literal(str(error)))
        st.stop()
    except Exception as error:
        if type(error).__module__.startswith("streamlit"):  # how a run is ended or begun again
            raise
        logging.getLogger(__name__).exception("A figure failed")
        st.error("This could not be shown. Your choices are kept: change one, or load the page again.")
        st.stop()


def lacking(sentence):
    """Say, where the figure would stand, what the chosen model has not."""
    st.info(literal(sentence))


@contextmanager
def said_if_lacking():
    """Where something stands that a model may not have: then a sentence says so, and the page goes on."""
    try:
        yield
    except LacksError as error:
        lacking(str(error))


def left_out(dropped):
    """Say that so many tokens at a text's end are not read, if any."""
    if dropped:
        last = "last token does" if dropped == 1 else f"last {whole(dropped)} tokens do"
        st.warning(f"The {last} not fit this model and {form(dropped, 'is', 'are')} left out.")


def notice(*sentences):
    """What to notice: Markdown, the numbers filled in from the measurement; what is much stands in a fold."""
    first, more = parted(sentences)
    st.markdown("**What to notice.** " + " ".join(first))
    if more:
        with st.expander("More to notice"):
            st.markdown("\n\n".join(more))


def parted(sentences):
    """Those that stand in the open, as many as MUCH letters hold and one at least, and the others."""
    reach = list(accumulate(len(one) + 1 for one in sentences))
    open_ones = max(1, sum(end <= MUCH for end in reach))
    return sentences[:open_ones], sentences[open_ones:]


def source(*parts, model=None, system="sprout"):
    """The lines of the engine that computed the figure, highlighted in their file.

    model: whose lines, itself or its name; of its parts those are shown that it has.  Without one, those
    of a system: "counting" or "lens".
    """
    if not teaching():
        source_panel.show(parts, system if model is None else model)


def questions(pairs):
    """Try: questions with answers that give reasons, [(question, answer)], in Markdown."""
    if teaching():
        return
    st.header("Try", anchor="try")
    for question, answer in pairs:
        with st.expander(question):
            st.markdown(answer)


FILES = {  # what a kind of file is called on its button
    "plotly.json": "figure (JSON)",
    "html": "page (HTML)",
    "handout-a4.html": "handout (A4)",
    "handout-letter.html": "handout (Letter)",
}


def take_away(csv=None, name="data", **files):
    """The link, and files to keep.  csv: text; files: {"html": text, …}, named name.html and so on."""
    if teaching():
        return
    if csv is not None:
        files = {"csv": csv, **files}
    called = {kind: FILES.get(kind, kind.upper()) for kind in files}
    says = "Files to keep: " + ", ".join(called.values())
    with fold.on_a_phone("files", says) if len(files) > 2 else nullcontext(), st.container(horizontal=True):
        for kind, content in files.items():
            label, key = f"Download {called[kind]}", f"get-{name}-{kind}"
            st.download_button(label, content, f"{name}.{kind}", on_click="ignore", key=key)
        st.caption("The address of this page holds all you chose: copy it to share or to come back.")


def plain(text):
    """What came in an address as a link may hold it again: letters, digits and little of them."""
    return "".join(c for c in text if c.isascii() and c.isalnum())[:40]


def literal(text):
    """Text -> Markdown that shows exactly this text, whatever is in it."""
    return "".join("\\" + c if c in r"\`*_{}[]()#+-.!|<>~$:&" else c for c in text)
