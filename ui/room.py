"""The rooms of this server, and what a room plays: a plan that is kept with it."""

import logging
import secrets
import threading

import streamlit as st

from engine import guessing
from engine.errors import ReaderError
from rooms import Rooms, address
from ui import cache
from ui import guessing as guessing_ui

SWEEP = 600  # seconds between two looks for rooms whose time is over


@st.cache_resource(show_spinner=False)
def rooms():
    """All rooms, and a thread that deletes those whose time is over."""
    opened = Rooms(address())
    threading.Thread(target=_sweep, args=(opened,), daemon=True, name="rooms' sweeper").start()
    return opened


def _sweep(opened):
    while True:
        try:
            opened.sweep()
        except Exception:  # a database that is away comes back: the next look finds what is over
            logging.getLogger(__name__).exception("Rooms could not be swept")
        threading.Event().wait(SWEEP)


def plan_of(play):
    """A chosen game as a room keeps it."""
    return {
        "model": play.model.name,
        "ids": list(play.game.ids),
        "places": list(play.places),
        "few": play.game.few,
        "choices": [play.game.choices(place) for place in play.places] if play.game.few else [],
    }


def open_room(play):
    """A new room for a chosen game -> (code, secret)."""
    owner = st.session_state.setdefault("room.owner", secrets.token_hex(16))
    return rooms().open(plan_of(play), owner)


def played(plan):
    """A room's plan with its models -> Played.  Raises ReaderError where its model is not here."""
    model = cache.model(plan["model"])
    if max(plan["ids"]) >= model.architecture.vocab_size or len(plan["ids"]) > model.context:
        raise ReaderError("The model of this room was changed since it was opened. Open a new room.")
    models = {model.name: model, **guessing_ui.alike(model, len(plan["ids"]))}
    traces = {name: cache.trace(one, plan["ids"]) for name, one in models.items()}
    game = guessing.Game(model.tokenizer, tuple(plan["ids"]), traces, plan["few"])
    return guessing_ui.Played(model, models, game, plan["places"])
