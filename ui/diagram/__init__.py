"""The diagram as a component: the picture, what each part says, and the running file beside it.

The component holds all it needs to answer a tap by itself: the part's card and lines appear without
asking the server.  It reports what was chosen (part, block, token, head, step), and asks once for the
measured numbers after it has been drawn.
"""

import engine
from engine import families, source
from engine.counting.published import BY_ID
from ui import choice, sent, web
from views import comparison, walk
from views import diagram as diagram_view
from views.listing import rows, span

_component = web.component("diagram", "listing/listing.css")
KEY = "diagram"
_READERS = {
    "part": choice.one_of(*diagram_view.IDS),
    "block": choice.number(1, 1000),
    "head": choice.number(1, 1000),
    "token": choice.number(0, 10**6),
    "step": choice.number(0, walk.COUNT),
}


def show(name, start, ask=None, journey=None):
    """Draw one of our models, with the code that runs it.

    start: {"part", "block", "head", "step"}, what the address says.  ask: names the measured numbers
    that the reader may want; journey: these numbers (see views/journey_words.py), once wanted() them.
    Raises SourceError when the file is not the code that is running.
    """
    a = BY_ID[name].architecture
    found = engine.parts(name)
    cards = diagram_view.cards(name)
    for part_id, card in cards.items():
        part = found[part_id]
        card |= {"file": part.file, "lines": part.lines, "where": span(part.lines), "text": part.text}
    files = {file: rows(source.text_of(file)) for file in {card["file"] for card in cards.values()}}
    data = {
        "model": name,
        "name": f"{families.title(name)}, from text to prediction",
        "layers": a.n_layer,
        "heads": a.n_head,
        "picture": diagram_view.picture(a),
        "parts": cards,
        "files": files,
        "start": start,
        "ask": ask,
        "journey": journey,
        "walk": walk.steps(name, cards, diagram_view.letters(a)),
    }
    _component(
        data=data,
        key=KEY,
        on_wanted_change=lambda: None,
        on_selected_change=_chosen("selected", "part"),
        on_block_change=_chosen("block", "block"),
        on_head_change=_chosen("head", "head"),
        on_token_change=_chosen("token", "token"),
        on_step_change=_stepped,
    )


def compare(name, other):
    """Draw another model's picture, what differs from ours marked, with a table of all differences."""
    picture, cards, table = comparison.compare(name, other)
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
        "heading": ["", families.title(name), comparison.TITLES[other]],
        "start": {"part": "feed_forward" if other == "gpt2" else "attention"},
    }
    _component(data=data, key="compared")


def wanted():
    """What the component last asked the numbers of, or None."""
    return sent.reported(KEY, "wanted")


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
