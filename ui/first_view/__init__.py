"""The first view as a component: a text to write on, what the model expects next, and three ways on.

It reports the text while it is typed, and that a door was taken, with the text as it stood then.
"""

import streamlit as st

from engine import families, passing, prediction, weights
from engine.errors import ReaderError
from engine.families.lines import FAMILIES
from ui import cache, choice, kept, sent, web
from views import first_view

_component = web.component("first_view")
KEY = "first-view"
MARKS = ("attention", "embedding", "norm")  # of the doors, in their order
ASKS = {
    "stories": "A story, half told: write on, or write your own",
    "products": "A product’s name, then its description: write on, or write your own",
}


def show(name):
    """Draw the first view of a model, and go where the reader goes."""
    text = current(name)
    query = {"model": name, **choice.own_text(name, text)}
    doors = _doors(name)
    _component(
        data={
            "asks": ASKS.get(families.texts_of(name), "A text: write on, or write your own"),
            "text": text,
            "shown": _shown(name, text),
            "wanted": name,
            "query": query,
            "doors": doors,
        },
        key=KEY,
        on_typed_change=lambda: _typed(name),
        on_door_change=lambda: _through(name),
    )
    leaving = st.session_state.pop("leaving", None)
    if leaving:
        page, extra = leaving
        st.switch_page(f"pages/{page}.py", query_params={"model": name, **extra})


def _doors(name):
    """The three ways on, each with the choices that its page is opened with."""
    file, _ = FAMILIES.get(families.family_of(name), (None, None))
    runs = {"code": {"file": file}} if file else {}
    return [
        {"page": page, "title": title, "line": line, "mark": mark, "extra": extra | runs.get(page, {})}
        for (page, title, line, extra), mark in zip(first_view.DOORS, MARKS, strict=True)
    ]


def current(name):
    """The text that stands in the field: typed, chosen on another page, or the beginning we give."""
    if st.session_state.get("arriving"):
        st.session_state.pop("typed", None)
    typed = st.session_state.get("typed")  # a text that has not settled yet
    if typed and typed[0] == name:
        return typed[1]
    if choice.has_text(name):
        return choice.chosen_text(name)
    before = first_view.kept()
    if families.texts_of(name) == families.texts_of(before.model):
        return before.text
    return first_view.half(choice.chosen_text(name))


def _typed(name):
    """The text was changed; once it has settled, it is the reader's own from here on."""
    match sent.reported(KEY, "typed"):
        case [str(text), settled, wanted] if wanted == name:
            text = choice.kept(text)
            st.session_state.update({"asked-first": name, "typed": (name, text)})
            if settled is True:
                del st.session_state["typed"]
                choice.put_text(name, text)


def _through(name):
    """A door was taken: the text as it stood then comes along."""
    doors = {door["page"]: door["extra"] for door in _doors(name)}
    match sent.reported(KEY, "door"):
        case [str(page), str(text)] if page in doors:
            text = choice.kept(text)
            st.session_state["leaving"] = page, {**choice.own_text(name, text), **doors[page]}


def _shown(name, text):
    """The bars: measured once the picture has asked for them; before, those that were kept, if any."""
    if st.session_state.get("asked-first") == name:
        try:
            return _measured(cache.model(name), text)
        except ReaderError as error:
            return {"of": text, "error": str(error)}
    before = first_view.kept()
    if (name, text) == (before.model, before.text) and _weights(name) == before.weights:
        return first_view.before(before, families.title(name))
    return None


def _weights(name):
    """The checksum of a model's weights, without loading them; None where there are none."""
    try:
        return weights.read_manifest(weights.FOLDER / name)["files"]["model.safetensors"]
    except ReaderError:
        return None


def _measured(model, text):
    """A pass over the text's last tokens, as many as the model reads."""
    ids = model.tokenizer.encode(text)
    found, read = (
        _likeliest(cache.key(model), tuple(ids[-model.context :]), model),
        min(len(ids), model.context),
    )
    return first_view.measured(text, found, model.title, model.stored, len(ids), read)


@kept.result(needs=lambda key, ids, model: passing.reading(model, len(ids)))
def _likeliest(key, ids, _model):
    top, probabilities = prediction.likeliest(_model.logits(list(ids))[-1], first_view.MOST)
    tokenizer = _model.tokenizer
    return [tokenizer.label(i) for i in top], [tokenizer.added(i) for i in top], probabilities.tolist()
