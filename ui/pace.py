"""How long work will take, by the pace of a pass that was just made; and what is long waits to be asked for.

A pace is told in seconds a token.  The wall's seconds are what a reader waits; the processor's say how much
work it is, whoever else is at work.
"""

import time
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import streamlit as st

from engine import passing
from ui import choice, kept
from views import waiting

LONG = 8  # seconds of the processor: more is not begun unasked
WORTH_TELLING = 4  # seconds: less is not told beforehand
_FRESH = 60  # seconds that a pace is held to be true for
_MOST = 64  # tokens of a pass that is made for the pace alone
_paces = {}  # {model's checksum: Pace}, of the last pass of each


@dataclass(frozen=True)
class Pace:
    """One pass: when it was made, its tokens, and the seconds it took, by the wall and of the processor."""

    made: float
    tokens: int
    wall: float
    processor: float


@contextmanager
def noted(model, tokens):
    """Around a plain pass over so many tokens: its pace is the model's from now on."""
    began, worked = time.monotonic(), time.thread_time()
    yield
    now = time.monotonic()
    _paces[model.checksum] = Pace(now, tokens, now - began, time.thread_time() - worked)


def of(model, ids):
    """The model's Pace: of a pass over these ids, unless one was just made."""
    known = _paces.get(model.checksum)
    if known is None or time.monotonic() - known.made > _FRESH:
        ids = np.array(ids[:_MOST])
        with kept.work(passing.reading(model, len(ids))):
            model.logits(ids[:1])  # the first pass of all is slower than any other
            with noted(model, len(ids)):
                model.logits(ids)
    return _paces[model.checksum]


@dataclass(frozen=True)
class Work:
    """What something will take, in seconds by the wall and of the processor."""

    wall: float
    processor: float

    @property
    def long(self):
        """Whether it is begun only when asked for."""
        return self.processor > LONG


def passes(model, ids, tokens):
    """The Work of plain passes over so many tokens in all.  ids: what a pass is made of, if none just was."""
    one = of(model, ids)
    return Work(*(tokens / one.tokens * seconds for seconds in (one.wall, one.processor)))


def tell(work):
    """Say beside a button how long what it begins will take, where that is worth a word."""
    if work.wall >= WORTH_TELLING:
        st.markdown(waiting.beforehand(work.wall))


def may_begin(work, mark, label):
    """Whether work may begin: what is short may, and what the reader has asked for; else a button stands
    here, with how long it takes.

    mark: names it in the address; label: the button's.
    """
    if not work.long or choice.get("look", "", lambda raw: raw[:80]) == mark:
        return True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(label, key=f"begin-{label}", on_click=choice.put, kwargs={"look": mark})
        tell(work)
    return False


def begin_anew(key):
    """Something begins, or goes on after a stop: what Remaining counts from."""
    st.session_state.get("began", {}).pop(key, None)


class Remaining:
    """What is still to come of something that tells its share again and again."""

    def __init__(self, key=None):
        """key: under which its beginning is remembered, for what goes on over several runs of a page."""
        self._state = {} if key is None else st.session_state.setdefault("began", {}).setdefault(key, {})

    def said(self, share):
        """The words for it, at a share of the whole."""
        began = self._state.setdefault("at", (time.monotonic(), share))
        return waiting.left(began[1], share, time.monotonic() - began[0])
