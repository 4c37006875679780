"""A student's phone in a room: what it shows, and what it tells."""

import logging
import re

import streamlit as st

from engine import guessing
from engine.errors import ReaderError
from rooms import Away
from ui import cache, choice, room, sent, web

_component = web.component("ballot")
KEY = "room.ballot"
EVERY = 2_000  # milliseconds between two looks
SHOWN = 400  # letters of the text so far
_BIG = 10**9
AWAY = "The room does not answer just now. Nothing is lost: this page asks again by itself."


@st.fragment
def show(code):
    """The phone's part of a room.  It looks again by itself while it is seen."""
    _component(data=_data(code, told()), key=KEY, on_phone_change=lambda: None)


def told():
    """What the browser told, read strictly: {"token", "name", "vote", "beat"}; no token: nothing yet."""
    found = sent.reported(KEY, "phone")
    found = found if isinstance(found, dict) else {}
    vote = found.get("vote")
    return {
        "token": _of_this_session(sent.read(found.get("token"), _read_token)),
        "name": sent.read(found.get("name"), str) if isinstance(found.get("name"), str) else None,
        "vote": vote if isinstance(vote, dict) else None,
        "beat": sent.read(found.get("beat"), choice.number(0, _BIG), 0),
    }


def _of_this_session(token):
    """The first token that a session told: who wants to be many voters needs as many connections."""
    if token is not None:
        st.session_state.setdefault("room.token", token)
    return st.session_state.get("room.token")


def _read_token(raw):
    if not re.fullmatch("[0-9a-f]{32}", raw):
        raise ValueError(raw)
    return raw


def _data(code, phone):
    """What the phone is given; the answer only once it is shown."""
    base = {"beat": phone["beat"], "every": EVERY, "says": "", "phase": "asking"}
    if phone["token"] is None:
        return base
    try:
        found = _asked(code, phone)
    except ReaderError as error:
        return {**base, "phase": "gone", "says": str(error)}
    except Away:
        logging.getLogger(__name__).exception("A room's database did not answer")
        for name in ("room.joined", "room.voted"):  # the phone tells it again, and then it is done
            st.session_state.pop(name, None)
        return {**base, **st.session_state.get("room.seen", {}), "says": AWAY}
    st.session_state["room.seen"] = found
    return {**base, **found}


def _asked(code, phone):
    """Do what the browser wants -> what it may see now."""
    new = _applied(code, phone)
    board, seat = room.rooms().glance(code, phone["token"])
    if new is not None:
        st.session_state["room.says"] = board.step, new
    at, says = st.session_state.get("room.says", (board.step, ""))
    return {"says": says if at == board.step else "", **_seen(board, seat)}


def _applied(code, phone):
    """Join and vote as the browser wants it -> what to say of it, "" for nothing; None: nothing was new."""
    said, token = [], phone["token"]
    if phone["name"] is not None and _is_new("joined", (code, token, phone["name"])):
        said.append(_tried(room.rooms().join, code, token, phone["name"]))
    if phone["vote"] is not None and _is_new("voted", (code, _number(phone["vote"], "number"))):
        said.append(_tried(_vote, code, token, phone["vote"]))  # also where the nickname was refused
    return " ".join(filter(None, said)) if said else None


def _tried(act, *given):
    """Do it -> why not, or ""."""
    try:
        act(*given)
    except ReaderError as error:
        return str(error)
    return ""


def _is_new(what, value):
    """Whether the browser tells something that was not done yet; from now on it is."""
    name = f"room.{what}"
    before, st.session_state[name] = st.session_state.get(name), value
    return before != value


def _number(vote, name):
    return sent.read(vote.get(name), choice.number(0, _BIG), -1)


def _vote(code, token, vote):
    """Cast it.  Raises ReaderError where it does not count."""
    board, seat = room.rooms().glance(code, token)
    step = _number(vote, "step")
    if seat is not None and step in seat.votes and step != board.step:
        return  # sent twice around a lost connection
    guess, pieces = _guess(board, vote)
    room.rooms().vote(code, token, step, guess)
    st.session_state["room.pieces"] = step, guess, pieces


def _guess(board, vote):
    """What was voted for -> (its id, how many pieces were typed).  Raises ReaderError for none."""
    if board.plan["few"]:
        guess = _number(vote, "id")
        if guess not in board.plan["choices"][board.step]:
            raise ReaderError("This is none of the five.")
        return guess, 1
    text = sent.read(vote.get("text"), str, "")
    pieces = guessing.matched(cache.model(board.plan["model"]).tokenizer, text, vote.get("joined") is True)
    if not pieces:
        raise ReaderError("Nothing was typed.")
    return pieces[0], len(pieces)


def _seen(board, seat):
    """What a phone may see of a room."""
    plan, step = board.plan, board.step
    tokenizer = cache.model(plan["model"]).tokenizer
    shown = board.phase in ("shown", "over")
    place = plan["places"][step]
    right = plan["ids"][place]
    votes = seat.votes if seat else {}
    before = tokenizer.read(plan["ids"][:place]) if board.phase in ("open", "shown") else ""
    done = step + shown
    return {
        "code": board.code,
        "phase": board.phase,
        "step": step,
        "seat": {"name": seat.name} if seat else None,
        "before": before if len(before) <= SHOWN else "… " + before[-SHOWN:],
        "choices": [[i, tokenizer.label(i)] for i in plan["choices"][step]] if _asks(board) else [],
        "right": tokenizer.label(right) if shown else None,
        "hit": shown and votes.get(step) == right,
        "mine": _mine(tokenizer, step, votes),
        "hits": sum(votes.get(s) == plan["ids"][plan["places"][s]] for s in range(done)),
        "places": done,
    }


def _asks(board):
    return board.plan["few"] and board.phase == "open"


def _mine(tokenizer, step, votes):
    if step not in votes:
        return None
    said, guess, pieces = st.session_state.get("room.pieces", (None, None, 1))
    typed = pieces if (said, guess) == (step, votes[step]) else 1
    return {"id": votes[step], "label": tokenizer.label(votes[step]), "pieces": typed}
