"""What the reader has chosen: in the address, in the session, and in the controls.

The address is the truth where it names a value.  The session remembers the value for the page that
is opened next, whose address does not name it yet; then comes the default.  A control is given its
value before it is drawn and writes both places when it is moved, so links, reload, Back and page
changes all agree.

A browser says with every request which address it had then.  Two quick taps make the second request
carry an address from before the first: what this session wrote or read on the page therefore counts
more than the request's, and the whole address is sent each time.
"""

import json
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import streamlit as st

from engine import families
from engine.errors import ReaderError
from ui import opened

TEXTS = Path(__file__).parent.parent / "texts" / "ready.json"
OWN = "own"  # the name of the reader's own text
LONGEST = 20_000  # letters kept of a pasted text; far more than any model here reads


@contextmanager
def arriving(page):
    """Around a page's run: whether the reader has just come from another page.

    Then the session's choices go into the address.  On a page that has run to its end, a choice that
    left the address was taken back.
    """
    if st.session_state.get("page") != page:
        st.session_state.update(page=page, arriving=True, address={})
    before, st.session_state["address"] = st.session_state["address"], {}
    try:
        yield
    except BaseException:  # the next tap came before the page was done: it has not read everything yet
        st.session_state["address"] = before | st.session_state["address"]
        raise
    st.session_state["arriving"] = False


def get(name, default, read=str):
    """A chosen value.  read: address text -> value, raising ValueError for what makes no sense.

    A value that makes no sense is dropped with a notice, and the default is used; a ReaderError's own words
    are told.  What is far too long is cut as a typed text is.
    """
    raw = st.query_params.get(name)
    if raw is None and st.session_state.get("arriving", True):
        raw = st.session_state.get(f"chosen.{name}")
    if raw is None:  # never chosen, or taken back with the browser's Back
        _remember(name, None)
        return default
    if len(raw) > LONGEST:
        raw = kept(raw)
    try:
        value = reading(read, raw)
    except ValueError as error:
        told = f"The link's {name} = {shortly(raw)!r} makes no sense here; the usual value is used."
        say(str(error) if isinstance(error, ReaderError) else told)
        forget(name)
        return default
    _remember(name, raw)
    if st.query_params.get(name) != raw:
        st.query_params[name] = raw
    return value


def shortly(raw):
    """The beginning of what an address gave, to be told."""
    return raw if len(raw) <= 40 else raw[:40] + "…"


def begin_anew():
    """No choice is remembered from other pages."""
    for key in [one for one in st.session_state if str(one).startswith("chosen.")]:
        del st.session_state[key]


def alone(name):
    """On arriving by a link that names this choice, no other is remembered: all are the link's."""
    if st.session_state.get("arriving", True) and name in st.query_params:
        begin_anew()


def belong(name, others):
    """On arriving by a link that names a choice, those that belong to it are the link's, none remembered."""
    if st.session_state.get("arriving", True) and name in st.query_params:
        for other in others:
            if other not in st.query_params:
                _remember(other, None)


def reading(read, raw):
    """read(raw), whatever raw is: raises ValueError alone."""
    try:
        return read(raw)
    except (KeyError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(raw[:40]) from error


def say(sentence):
    """Tell the reader, under the page's title, as soon as this run is done."""
    notices = st.session_state.setdefault("notices", [])
    if sentence not in notices:
        notices.append(sentence)


def put(**values):
    """Choose values, in the session and in the address; None takes one back."""
    for name, value in values.items():
        _remember(name, None if value is None else write(value))
    address = st.query_params.to_dict()
    for name, raw in st.session_state["address"].items():
        if raw is None:
            address.pop(name, None)
        else:
            address[name] = raw
    st.query_params.from_dict(address)


def forget(name):
    """Back to the default."""
    put(**{name: None})


def _remember(name, raw):
    """Keep a choice as the address writes it, for this page and for the next; None: there is none."""
    st.session_state.setdefault("address", {})[name] = raw
    if raw is None:
        st.session_state.pop(f"chosen.{name}", None)
    else:
        st.session_state[f"chosen.{name}"] = raw


def write(value):
    """A value as the address holds it; numbers plainly, True and False as 1 and 0."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(write(v) for v in value)
    return str(value)


def one_of(*options):
    """A reader for get(): the option whose address text this is."""
    table = {write(o): o for o in options}
    return lambda raw: table[raw]


def number(low, high, kind=int):
    """A reader for get(): a number from low to high."""

    def read(raw):
        value = kind(raw)
        if not low <= value <= high:
            raise ValueError(raw)
        return value

    return read


def switch(raw):
    """A reader for get(): 1 or 0."""
    return {"1": True, "0": False}[raw]


def bound(widget, label, name, value, to_address=None, then=None, also=None, **options):
    """Draw a Streamlit control that shows `value` and writes the choice `name` when it is moved.

    widget: st.slider, st.selectbox, st.toggle, …; to_address: what is written for its value;
    then: called after that; also: {name: value} of the choices that go with any move.
    """
    key = _control(name, value)
    st.session_state[key] = value

    def moved():
        if st.session_state["controls"][name][0] != key:  # a message from before the control was made anew
            return
        new = st.session_state[key]
        st.session_state["controls"][name] = key, new
        put(**{name: to_address(new) if to_address else new}, **(also or {}))
        if then:
            then()

    return widget(label, key=key, on_change=moved, **options)


def _control(name, value):
    """The key of a choice's control: a new one when the value was changed by anything but the control.

    A browser sends all its controls with every message.  One that was sent before the browser heard of
    the change still holds the old value, which is not the reader's move: under a new key it is nobody's.
    """
    controls = st.session_state.setdefault("controls", {})
    key, shown = controls.get(name, (f"control.{name}", value))
    if shown != value:
        _, _, number = key.removeprefix(f"control.{name}").partition("~")
        key = f"control.{name}~{int(number or 0) + 1}"
    controls[name] = key, value
    return key


def a_model(raw):
    """A reader for get(): the name of one of our models, with its weights here or not, or of another."""
    if raw not in families.known():
        raise ReaderError(
            f"The link names a model {shortly(raw)!r}, which this server has not or no longer, such as one "
            "that somebody trained or opened; the usual one is shown."
        )
    return raw


def chosen_model(default="gpt-4"):
    """The chosen model's name, without its control."""
    return get("model", default, a_model)


def tabs(name, titles):
    """The control that leads from one view of a page to another -> the chosen one.  titles: {id: title}"""
    return bound(
        st.segmented_control,
        "What to look at",
        name,
        tab(name, titles),
        options=tuple(titles),
        format_func=titles.__getitem__,
        required=True,
        label_visibility="collapsed",
    )


def tab(name, titles):
    """The chosen view of a page, without its control: the first before the reader chooses."""
    return get(name, next(iter(titles)), one_of(*titles))


def listed(name):
    """A model as the list of models shows it: one from a server's folders says so."""
    title = families.title(name)
    return f"Opened · {title}" if families.offered(name) else title


def shown_model(names=None, default="gpt-4"):
    """The chosen model as its control shows it, without the control: one of names."""
    names = tuple(names or families.available())
    default = default if default in names else names[0]
    name = chosen_model(default)
    if name not in names:  # chosen on a page that offers more
        if name not in families.available():
            absent, shown = families.title(name), families.title(default)
            say(f"The weights of {absent} did not come with this copy; {shown} is shown in its place.")
        name = default
    return name


def model_control(names=None, where=st, default="gpt-4", **options):
    """The model's control -> the chosen name, one of names.

    Only models whose weights are here are offered, unless names says otherwise; options: the
    selectbox's, such as its width; default: the one that is shown before the reader chooses.
    """
    names = tuple(names or families.available())
    name = shown_model(names, default)
    where = opened.beneath_its_closed(where, options.get("width", "stretch"))
    return bound(
        where.selectbox,
        "Model",
        "model",
        name,
        options=names,
        format_func=listed,
        **options,
    )


@cache
def ready_texts(kind="texts"):
    """Our ready-made texts: {id: {title, why, text, …}}; for kind "products" name and description."""
    return {one["id"]: one for one in json.loads(TEXTS.read_text(encoding="utf-8"))[kind]}


def ready_text(one):
    """A ready-made text as it is typed; a product's name is its first line."""
    return one["text"] if "text" in one else f"{one['name']}\n{one['description']}"


def _listed(one):
    """A ready-made text as the list shows it: its theme first, but for those to begin with."""
    theme = one["theme"]
    return one["title"] if theme == "to begin with" else f"{theme.capitalize()}: {one['title']}"


def ready_texts_of(model_name):
    """The ready-made texts that a model is asked with."""
    return _text_names(model_name)[2]


def _text_names(model_name):
    """Where the choices of a model's texts are kept, and the ready-made ones."""
    list_name, own_name, kind = {
        "stories": ("text", "own", "texts"),
        "products": ("product", "own_product", "products"),
        "repeats": ("repeat", "own_repeat", "repeats"),
        "plain": ("passage", "own_passage", "plain"),
    }[families.texts_of(model_name)]
    return list_name, own_name, ready_texts(kind)


def chosen_text(model_name, default=None):
    """The chosen text, without its controls."""
    list_name, own_name, texts = _text_names(model_name)
    chosen = get(list_name, default or next(iter(texts)), one_of(*texts, OWN))
    own = get(own_name, "")
    return own if chosen == OWN else ready_text(texts[chosen])


def text_title(model_name, default=None):
    """What the list of texts calls the chosen one."""
    list_name, _, texts = _text_names(model_name)
    chosen = get(list_name, default or next(iter(texts)), one_of(*texts, OWN))
    return _listed(texts[chosen]) if chosen in texts else "Your own"


def has_text(model_name):
    """Whether the reader has chosen a text, or typed one."""
    list_name, _, texts = _text_names(model_name)
    return get(list_name, None, one_of(*texts, OWN)) is not None


def own_text(model_name, text):
    """The choices that make a text the reader's own, in a model's list and field."""
    list_name, own_name, _ = _text_names(model_name)
    return {own_name: text, list_name: OWN}


def put_text(model_name, text):
    """Make a text the reader's own."""
    put(**own_text(model_name, text))


def text_control(model_name, default=None, where=st, hidden=False, field=None):
    """The text's two controls, a list and a field -> the chosen text.

    hidden: the field only for the reader's own text, where a ready-made one is not to be read beforehand.
    field: where the field stands, if not beside the list.

    The field always holds the text: changing it makes it the reader's own.  The store's model has
    its own list, a name on the first line and a description below.
    """
    list_name, own_name, texts = _text_names(model_name)
    chosen = get(list_name, default or next(iter(texts)), one_of(*texts, OWN))
    shown = chosen_text(model_name, default)
    bound(
        where.selectbox,
        "Text",
        list_name,
        chosen,
        options=(*texts, OWN),
        format_func=lambda name: _listed(texts[name]) if name in texts else "Your own",
    )
    if not hidden or chosen == OWN:
        text_field(
            "The text itself",
            own_name,
            shown,
            where=field or where,
            also={list_name: OWN},
            what="Type your own and press Ctrl + Enter, or tap outside the field.",
        )
    return shown


def text_field(label, name, value, what="Press Ctrl + Enter, or tap outside the field.", where=st, also=None):
    """A field for a longer text.  On touch screens, which have no Ctrl key, it has a button too."""
    bound(where.text_area, label, name, value, kept, also=also, height=68, help=what)
    where.button("Apply", key=f"apply-{name}")  # leaving the field is what applies it


def kept(text):
    """A typed text, cut where it is far too long for anything here, with a notice."""
    text = (text or "").encode("utf-8", "replace").decode("utf-8")
    if len(text) > LONGEST:
        say(f"Only the first {LONGEST:,} letters of the {len(text):,} pasted are kept.")
    return text[:LONGEST]
