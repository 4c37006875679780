"""All that one head looks at in a text."""

from ui import shell

shell.guard()

import streamlit as st

from ui import cache, choice, page, pattern
from views import attention as attention_view
from views import tables


def chosen_head(a):
    """The block and the head, from 1, each with its control."""
    found = []
    for name, label, most in (("block", "Block", a.n_layer), ("head", "Head", a.n_head)):
        value = min(choice.get(name, 1, choice.number(1, 1000)), most)
        found.append(choice.bound(st.selectbox, label, name, value, options=range(1, most + 1), width=100))
    return found


def looks(model, text):
    """Arcs and grid of the chosen head, and where the block's heads look on average."""
    ids, dropped = cache.fitting_ids(model, text)
    page.left_out(dropped)
    weights = cache.attention(model, ids, block - 1)
    token = min(choice.get("token", len(ids) - 1, choice.number(0, 10**6)), len(ids) - 1)
    label = f"The attention of head {head} of block {block}, all tokens"
    pattern.show([model.tokenizer.label(i) for i in ids], weights[head - 1], token, label)
    if len(ids) < 3:
        st.caption("From three tokens on, the shares of all heads are compared here.")
        return
    found = attention_view.shares(weights)
    page.notice(*attention_view.sentences(found, block, head))
    with st.expander("All heads of this block"):
        st.html(f"<style>{tables.CSS}</style>{attention_view.table(found, block)}")


page.head(
    "Attention", "Tap a token: see which tokens a head looks at from there, and in the grid all of them."
)
with page.figure():
    with page.controls():
        name = choice.model_control(width=170)
        text = choice.text_control(name, where=st.popover("Text"))
        model = cache.model(name)
        block, head = chosen_head(model.architecture)
    looks(model, text)
page.source("causal_softmax", model=model)
page.questions(attention_view.QUESTIONS)
page.take_away()
