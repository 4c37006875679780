"""The diagram as a component: the picture, what each part says, and the running file beside it.

The component holds all it needs to answer a tap by itself: the part's card and lines appear without
asking the server.  It reports what was chosen (part, block, token, head, step), and asks once for the
measured numbers after it has been drawn.
"""

import engine
from engine import families, source
from engine.counting.published import BY_ID
from engine.families.lines import FAMILIES
from ui import choice, onward, sent, shell, web
from views import comparison, diagram_links, walk
from views import diagram as diagram_view
from views.diagram_parts import How
from views.listing import rows, span

_component = web.component("diagram", "listing/listing.css")
KEY = "diagram"
_READERS = {
    "part": choice.one_of(*diagram_view.IDS),
    "block": choice.number(1, 1000),
    "head": choice.number(1, 1000),
    "token": choice.number(0, 10**6),
    "step": choice.number(0, walk.COUNT),
    "still": choice.switch,
}


def show(name, start, ask=None, journey=None, matrix=None):
    """Draw a model, with the code that runs it as far as its lines are known here.

    start: {"part", "block", "head", "step", "still"}, what the address says.  ask: names the measured numbers
    that the reader may want; journey: these numbers (see views/journey_words.py), once wanted() them; matrix:
    a head's weights, once matrix_wanted() them.
    Raises SourceError when the file is not the code that is running.
    """
    a, how = families.architecture_of(name), _how(name)
    cards = diagram_view.cards(a, how)
    for part_id, card in cards.items():
        card |= {
            "depth": diagram_links.depth(part_id, how.parallel),
            "pages": diagram_links.pages(part_id, a, shell.names()),
        }
    data = {
        "model": name,
        "name": f"{families.title(name)}, from text to prediction",
        "layers": a.n_layer,
        "heads": a.n_head,
        "picture": diagram_view.picture(a, how.parallel),
        "files": _with_lines(cards, _lines(name)),
        "parts": cards,
        "start": start,
        "ask": ask,
        "journey": journey,
        "matrix": matrix,
        "walk": walk.steps(a, cards, how),
        "onward": walk.ONWARD,
    }
    _component(
        data=data,
        key=KEY,
        on_wanted_change=lambda: None,
        on_matrix_change=lambda: None,
        on_selected_change=_chosen("selected", "part"),
        on_block_change=_chosen("block", "block"),
        on_head_change=_chosen("head", "head"),
        on_token_change=_chosen("token", "token"),
        on_step_change=_stepped,
        on_still_change=_chosen("still", "still"),
        on_page_change=onward.chosen(KEY),
    )
    onward.go()


def _ours(name):
    """Whether a file of this project runs a model."""
    return families.family_of(name) in FAMILIES


def _how(name):
    """What a model's architecture leaves open of it."""
    facts = families.facts_of(name)
    if not _ours(name):
        return How(marker=False, **facts)
    return How(scaled_start=True, functions=families.runs_in(name) == "NumPy", **facts)


def _lines(name):
    """A model's parts with their lines; none where they are not known here."""
    if families.family_of(name) in source.FILES:
        return engine.parts(name)
    try:
        return families.load(name).parts()
    except source.SourceError:
        return {}


def _with_lines(cards, lines):
    """Give each card its lines -> {file: its rows} of the files that hold them."""
    for part_id in cards.keys() & lines.keys():
        part = lines[part_id]
        cards[part_id] |= {
            "file": source.named(part.file),
            "lines": part.lines,
            "where": span(part.lines),
            "text": part.text,
        }
    files = {lines[part_id].file for part_id in cards.keys() & lines.keys()}
    return {source.named(file): rows(source.text_of(file)) for file in files}


def compare(model, other):
    """Draw another model's picture, what differs from ours marked, with a table of all differences."""
    mine = comparison.Described(model.architecture, model.rope_base, model.epsilon, model.activation)
    picture, cards, table = comparison.compare(mine, other)
    a = BY_ID[other].architecture
    data = {
        "model": other,
        "name": comparison.TITLES[other],
        "layers": a.n_layer,
        "heads": a.n_head,
        "picture": picture,
        "parts": cards,
        "table": table,
        "walk": [],
        "heading": ["", model.title, comparison.TITLES[other]],
        "start": {"part": "feed_forward" if not a.gated else "attention"},
    }
    _component(data=data, key="compared")


def wanted():
    """What the component last asked the numbers of, or None."""
    return sent.reported(KEY, "wanted")


def matrix_wanted():
    """The block and the head, from 1, whose weights are shown; None while no fold is open."""
    match sent.reported(KEY, "matrix"):
        case [block, head]:
            found = sent.read(block, _READERS["block"]), sent.read(head, _READERS["head"])
            return None if None in found else found
    return None


def _stepped():
    """The walk went on: a step names its part, and 0 ends the walk."""
    step, part = None, None
    match sent.reported(KEY, "step"):
        case [told, its_part]:
            step, part = sent.read(told, _READERS["step"]), sent.read(its_part, _READERS["part"])
    choice.put(step=step or None, part=part)


def _chosen(state, name):
    """A callback: the component's state becomes the choice of this name."""
    return sent.choosing(KEY, state, name, _READERS[name])
