"""A text becomes tokens: bytes, merges one by one, ids, and the same text in other vocabularies."""

from ui import shell

shell.guard()

from collections import Counter

import streamlit as st

from engine import families, measures, merges
from engine.errors import ReaderError
from ui import cache, choice, kept, page
from views import tokens as tokens_view
from views.numbers import within


@kept.result()
def learned(pieces, text, _tokenizer):
    return merges.learned(_tokenizer, text)


@kept.result()
def ranks(pieces, _tokenizer):
    return merges.rank_of(_tokenizer)


@kept.result()
def met(pieces, texts, _model):
    """How often each piece stands in our own texts of the model's kind, and how many texts these are."""
    rows = measures.own_rows(_model)
    return Counter(i for row in rows for i in row), len(rows)


@st.fragment
def merging(found, label):
    """The slider from letters to pieces."""
    last = len(found.merges)
    step = min(choice.get("merge", last, choice.number(0, 10**6)), last)
    if last:
        choice.bound(st.slider, "Merges done", "merge", step, min_value=0, max_value=last)
    st.markdown(page.literal(tokens_view.merge_said(found, step, label)))
    merge = found.merges[step - 1] if step else None
    st.html(tokens_view.chips(found.cut(step), label, merge))


def pieces_of(model, text):
    """The pieces that are left, coloured by when they were learned."""
    label, ids = model.tokenizer.label, model.tokenizer.encode(text)
    made = ranks(model.pieces, model.tokenizer)
    st.markdown("**The tokens, each with its id: the deeper the colour, the later the piece was learned**")
    st.html(tokens_view.chips([ids], label, rank_of=made, total=max(made.values(), default=1)))
    times, texts = met(model.pieces, model.texts, model)
    if rarest := tokens_view.rare(ids, made, times, label, texts):
        st.html(rarest)


def elsewhere(model, text):
    """The same text in the vocabulary of another model."""
    others = [name for name in families.available() if families.pieces_of(name) != model.pieces]
    if not others:
        st.caption("No model with other pieces is here.")
        return
    name = choice.get("vocabulary", None, choice.one_of(*others)) or others[0]
    choice.bound(
        st.selectbox,
        "Another vocabulary",
        "vocabulary",
        name,
        options=others,
        format_func=families.title,
        width=260,
    )
    try:
        other = cache.model(name)
    except ReaderError as error:
        st.warning(page.literal(str(error)))
        return
    ids = other.tokenizer.encode(text, start=False)
    counts = len(model.tokenizer.encode(text, start=False)), len(ids)
    said = tokens_view.beside(within(model.title), within(other.title), len(other.tokenizer), counts)
    st.markdown(page.literal(said))
    st.html(tokens_view.chips([ids], other.tokenizer.label))


def shown(model, text):
    """From the text's letters to its ids."""
    label, ids = model.tokenizer.label, model.tokenizer.encode(text, start=False)
    with page.said_if_lacking():
        found = learned(model.pieces, text, model.tokenizer)
        merging(found, label)
        page.notice(*map(page.literal, tokens_view.sentences(len(text.encode()), ids, found, label)))
        pieces_of(model, text)


page.head("Tokens", "A model reads no letters: see how your text is cut into the pieces that it knows.")
st.html(f"<style>{tokens_view.CSS}</style>")
with page.figure():
    with page.controls():
        name = choice.model_control(width=170)
        text = choice.text_control(name, where=st.popover("Text"))
        model = cache.model(name)
    shown(model, choice.kept(text))
    st.header("In another vocabulary", anchor=False)
    elsewhere(model, text)
page.source("tokens", model=model)
page.questions(tokens_view.QUESTIONS)
page.take_away()
