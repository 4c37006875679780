"""The pages, in their order, each with what it is for, and the guard that every page starts with."""

import json
from pathlib import Path

import streamlit as st

from ui import warm

NAME = "Sprout Explorer"
WEB = Path(__file__).parent / "web"  # the pictures and the components' files
START = "start"  # the page that answers at "/"
# {group: (page, title in the menu, what one finds there)}; a page's address is its file's stem.
MENU = {
    "Look inside": (
        (START, "Start", "A story half told: what does the model think comes next?"),
        ("diagram", "Diagram", "Follow one token through the parts and the lines that ran."),
        ("story", "Write a story", "Give a beginning, and a model writes on."),
        ("lens", "Logit lens", "Watch a prediction take shape from block to block."),
        ("who_wrote_it", "Who wrote it", "A token's score as the sum of what each part wrote."),
        ("what_if", "What if", "Put one text's stream into another's pass: whose answer comes out?"),
        ("guess", "The guessing game", "Guess what comes next, beside the models."),
        ("code", "The code", "The files that every page here runs, whole."),
    ),
    "Parts": (
        ("tokens", "Tokens", "How a text is cut into pieces, merge by merge."),
        ("stream", "Residual stream", "The vector that every part adds to."),
        ("attention", "Attention", "All that one head looks at in a text."),
        ("rope", "RoPE", "How queries and keys tell how far apart they stand."),
        ("norm", "RMSNorm", "Every vector brought to the same size."),
        ("gate", "The gate", "Which units of a feed-forward layer open, and for what."),
    ),
    "Laboratory": (
        ("how_it_learned", "How it learned", "Move through a training, or train a small model here."),
        ("depth", "Depth", "What two blocks can do that one can't: heads that copy."),
        ("leave_out", "Leave out a part", "Take a part away and measure what is lost."),
        ("mismatch", "A mismatched detail", "One detail unlike the training, and no error comes."),
        ("length", "Past the training length", "Read on beyond all that was trained."),
        ("doctor", "The doctor", "Is a model run as it was trained? What no error tells."),
    ),
    "Models": (
        ("models", "The models", "What each is, how it was trained, how well it predicts."),
        ("parameters", "Parameters", "Count any model of this kind to the last number."),
    ),
    "For a class": (
        ("lessons", "Lessons", "Ready plans, state by state, to teach by and to change."),
        ("join", "Join a room", "Four letters from the projector, and you guess along."),
    ),
    "Questions and checks": (
        ("questions", "Questions", "Guess, try, and read why; the easy ones first."),
        ("checks", "The checks, live", "Every claim tested here and now."),
    ),
}
# What comes after what; a page that is not named here leads to the next one in the menu.
PATH = (
    START, "diagram", "tokens", "stream", "norm", "attention", "rope", "gate", "lens", "who_wrote_it",
    "what_if", "depth", "leave_out", "how_it_learned", "length", "mismatch", "doctor", "parameters", "models",
    "questions",
)  # fmt: skip
# The part of the diagram that a page goes further into.
IN_THE_PICTURE = {
    "tokens": "tokens", "stream": "stream", "norm": "norm1", "attention": "causal_softmax", "rope": "rope",
    "gate": "gate", "lens": "output", "who_wrote_it": "addition1", "what_if": "stream", "depth": "attention",
    "leave_out": "block", "parameters": "embedding", "length": "rope",
}  # fmt: skip
_LINK = 'a:is([data-testid="stTopNavDropdownLink"], [data-testid="stSidebarNavLink"])'
# Streamlit keeps room after a title for its bold letters, out of sight: there the line stands.
_CSS = f"""
{_LINK} {{ height: auto; }}
{_LINK} > span {{ display: block; overflow: visible; padding-block: .25rem; }}
{_LINK} > span::after {{ display: block; height: auto; visibility: visible; max-width: 21rem;
  font-size: .82rem; line-height: 1.3; font-weight: 400; white-space: normal; color: var(--mark-norm); }}
:is(.st-key-contents, .st-key-onward) [data-testid="stPageLink"] a {{ height: auto; min-height: 2.75rem; }}
:is(.st-key-contents, .st-key-onward) [data-testid="stPageLink"] a * {{ white-space: normal;
  overflow: visible; }}
"""


def pages():
    """The navigation: {group: [pages]}."""
    found = {group: [_page(*entry) for entry in entries] for group, entries in MENU.items()}
    # The default page answers at "/" alone; its twin, in no menu, answers at its file's stem.
    first = next(iter(found.values()))
    first.insert(1, st.Page(f"pages/{START}.py", title="Start", url_path=START, visibility="hidden"))
    return found


def _page(name, title, _line):
    if name == START:
        return st.Page(f"pages/{name}.py", title=title, url_path="first", default=True)
    return st.Page(f"pages/{name}.py", title=title, url_path=name)


def name_of(address):
    """The name of the page at an address, which the default page has none of."""
    return address or START


def names():
    """The names of all pages in the menu."""
    return [name for entries in MENU.values() for name, _, _ in entries]


def contents():
    """Every page with what one finds there, each as a link."""
    with st.container(key="contents"):
        for column, (group, entries) in zip(st.columns(len(MENU)), MENU.items(), strict=True):
            column.markdown(f"**{group}**")
            for name, title, line in entries:
                column.page_link(f"pages/{name}.py", label=f"**{title}**  \n{line}")


def after(name):
    """The page that is read after this one; after the last, the first."""
    path = [one for one in PATH if one in names()] if name in PATH else names()
    return path[(path.index(name) + 1) % len(path)]


def footer(name):
    """The end of a page: its place in the picture, and the next page.  All that was chosen comes along."""
    if name not in names() or st.query_params.get("class") == "1" or "room" in st.query_params:
        return  # a class looks at it, or a student who plays
    said = {one: (title, line) for entries in MENU.values() for one, title, line in entries}
    title, line = said[after(name)]
    with st.container(horizontal=True, key="onward"):
        if name in IN_THE_PICTURE:
            where = {"part": IN_THE_PICTURE[name]}
            icon = ":material/arrow_back:"
            st.page_link("pages/diagram.py", label="Its place in the picture", icon=icon, query_params=where)
        icon = ":material/arrow_forward:"
        st.page_link(f"pages/{after(name)}.py", label=f"**Next: {title}.** {line}", icon=icon)


def menu_css():
    """The style that puts under every entry of the menu what one finds there.

    Streamlit's menu shows titles alone.  The line is no part of an entry's accessible name.
    """
    rules = [_CSS]
    for name, _, line in (entry for entries in MENU.values() for entry in entries):
        address, said = "/" if name == START else f"/{name}", json.dumps(line, ensure_ascii=False)
        one = f'{_LINK}[href$="{address}"] > span::after'
        rules.append(f'{one} {{ content: {said}; content: {said} / ""; }}')
    return "\n".join(rules)


def guard(step="rest"):
    """Run app.py first when a link leads straight to a page of a server that has just started.

    Streamlit takes the pages/ folder for its older layout until st.navigation has run once, and
    would show the page without the app around it.  Then wait until all that the page imports is there, up
    to this step of ui/warm.py.
    """
    if not st.session_state.get("_shell"):
        st.navigation(pages(), position="hidden")
        st.rerun()
    if not warm.ready(step):
        with st.spinner("The server has just started, and is loading what it needs …"):
            warm.need(step)
