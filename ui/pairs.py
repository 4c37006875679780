"""Two texts that are compared: the ready-made pairs, the reader's own, and a token of one's own choice."""

import json
from functools import cache
from pathlib import Path

import streamlit as st

from ui import choice, lens_options, page
from ui.cache import fitting_ids

FILE = Path(__file__).parent.parent / "texts" / "pairs.json"
SHORTEST = {"first": "a", "second": "b"}
_ANSWERS = ("answer", "other_answer")
_BELONG = dict.fromkeys((*_ANSWERS, "cell_in", "guess_in"))  # what another pair takes back


@cache
def ready():
    """The ready-made pairs: {id: {title, why, for, first, second, answers}}."""
    return {one["id"]: one for one in json.loads(FILE.read_text(encoding="utf-8"))}


def of_model(model):
    """The pairs of a model's kind that it cuts into equally many tokens."""
    found = {name: one for name, one in ready().items() if model.texts in one["for"]}
    return {name: one for name, one in found.items() if len(set(map(len, _cut(model, one)))) == 1}


def _cut(model, one):
    return [model.tokenizer.encode(one[which])[: model.context] for which in ("first", "second")]


def control(model):
    """The list of pairs -> {"first": text, "second": text, "answers": two texts or None, "why": …}."""
    choice.belong("pair", _BELONG)
    found = of_model(model)
    name = choice.get("pair", next(iter(found), choice.OWN), choice.one_of(*ready(), choice.OWN))
    name = name if name in found or name == choice.OWN else next(iter(found), choice.OWN)
    titles = {**{one: found[one]["title"] for one in found}, choice.OWN: "Your own two texts"}
    listed = {"options": tuple(titles), "format_func": titles.__getitem__, "width": 290}
    choice.bound(st.selectbox, "Two texts", "pair", name, also=_BELONG, **listed)
    begin = next(iter(found.values()), SHORTEST)  # what one's own begin with
    own = {which: choice.get(which, begin[which]) for which in ("first", "second")}
    return {**own, "answers": None, "why": ""} if name == choice.OWN else found[name]


def fields(two):
    """Both texts, each in a field -> (first, second)."""
    texts = {which: two[which] for which in ("first", "second")}
    for which, label in (("first", "The first text"), ("second", "The second text")):
        other = "second" if which == "first" else "first"
        also = {"pair": choice.OWN, other: texts[other], **_BELONG}
        choice.text_field(label, which, texts[which], also=also)
    return texts["first"], texts["second"]


def ids(model, text):
    """A text's tokens, as far as they fit, with a word on those that don't."""
    found, cut = fitting_ids(model, text)
    page.left_out(cut)
    return found


def answers(model, two):
    """The ids of the answers that a pair brings along; None where it has none or they are several tokens."""
    found = [model.tokenizer.encode(one, start=False) for one in two["answers"] or ()]
    alone = len(found) == 2 and all(len(one) == 1 for one in found) and found[0] != found[1]
    return (int(found[0][0]), int(found[1][0])) if alone else None


def typed(model, raw):
    """What stands in a list of tokens that takes new ones -> an id, or None for nothing."""
    return raw if isinstance(raw, int) else lens_options.token_of(model, str(raw or ""))


def named(model, listed, one):
    """A token in such a list; with its id where another is called alike.  What is typed is shown as it is."""
    if not isinstance(one, int):
        return one
    label = model.tokenizer.label(one)
    alike = sum(model.tokenizer.label(other) == label for other in listed)
    return f"{label}, #{one}" if alike > 1 else label
