"""The guessing game: what comes next?  Guess, and see what the models gave it."""

from ui import shell

shell.guard()
import csv
import io

import streamlit as st

from engine import guessing
from engine.errors import ReaderError
from ui import choice, page, projector, room
from ui import guessing as guessing_ui
from views import guessing as guessing_view
from views import tables

QUESTIONS = [
    (
        "You knew the second half of a made-up name when it came back. Which model did not?",
        "One with a single block can't: to copy, a head has to find the earlier place by what stood before "
        "it, and in one block no key knows that yet. With two blocks or more a model can. The page “Depth” "
        "shows the two heads that do it.",
    ),
    (
        "You guess one piece; a model spreads its bet. Who wins by that?",
        "A wrong guess costs you dear, because nothing but the one extra vote is left for the real piece. A "
        "model that gives ten pieces a tenth each is never very right and never very wrong. A room of many "
        "voters spreads its bet as well: that is why it mostly reads better than its members one by one.",
    ),
    (
        "At which places are all models sure, and you too?",
        "Inside a word that can go on in one way only, after “Once upon a”, before a full stop that is due. "
        "What can be known from the last few pieces is learned first, and a small model has it too.",
    ),
]
CLASS = """
A room has a code of four letters and a QR code. Students open it on their phones, without an account, and
guess along; this page becomes the projector's view and leads from place to place, by its buttons or by a
clicker. It shows how many have answered, and what only when you show it. The room plays the text that is
chosen above, at the same places. It ends after six hours, or when you end it, and everything of it is
deleted. Your address then holds what lets you steer: hand out the code, not your address.
"""
WHY = """
**Surprise.** Whoever gave the real next piece the probability $p$ is surprised by $-\\ln p$ nats: 0 for
certainty, 0.69 for one half, and the more the smaller $p$ was. The mean over all places is the loss that
the models were trained on, and $e$ to the power of it is the **perplexity**: to be as unsure as among so
many equally likely pieces.

**Your share.** Votes are no probabilities: a piece that nobody named would get 0, and the surprise would
be endless. So one more vote is spread evenly over all pieces that were possible (add-λ smoothing,
Lidstone 1920). With $n$ votes of which $k$ are right, among $V$ pieces, the share is
$(k + 1/V) / (n + 1)$. A single reader who is right thus has one half, and who is wrong $1 / 2V$.

**One of five.** Then only five pieces are possible, for you and for the models: their probabilities are
scaled so that the five sum to 1. The decoys are the wrong pieces that the models find likeliest, in turn.

**A typed word** is cut as the tokenizer cuts it, with the space before it, and the first piece counts.
"""


def guess(play, given, token):
    """Keep a guess, which reveals the place."""
    choice.put(said=guessing_ui.write_said(play, [*given, token]), place=len(given))


def ask(play, given):
    """The form for the next guess."""
    place = play.places[len(given)]
    choices = play.game.choices(place)
    if choices:
        with st.container(horizontal=True):
            for token in choices:
                label, key = page.literal(play.label(token)), f"guess-{token}"
                st.button(label, key=key, on_click=guess, args=(play, given, token))
            st.button("Pass", key="pass", on_click=guess, args=(play, given, guessing_ui.NOBODY))
        return
    type_it(play, given)


def type_it(play, given):
    """The form for a typed guess."""
    with st.form("guess-form", clear_on_submit=True, border=False):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        with row:
            st.text_input(
                "What comes next?", key="typed", help="A word, or a sign such as a comma.", width=320
            )
            st.checkbox("goes on without a space", key="joined")
            st.form_submit_button("Guess", on_click=submitted, args=(play, given))
            st.form_submit_button("Pass", on_click=guess, args=(play, given, guessing_ui.NOBODY))


def submitted(play, given):
    """What was typed becomes the guess; nothing typed is said so."""
    typed = st.session_state["typed"] or ""
    pieces = guessing.matched(play.model.tokenizer, typed, st.session_state["joined"])
    if not pieces:
        choice.say("Nothing was typed: type a word, or pass.")
        return
    guess(play, given, pieces[0])
    st.session_state["matched"] = (typed[: guessing.LONGEST], len(pieces), pieces[0])


def matched_as(play, token):
    """How the last typed word was read, once."""
    typed, pieces, first = st.session_state.get("matched", ("", 0, None))
    if first != token or not typed:
        return
    said = f"“{page.literal(typed)}” was read as **{page.literal(play.label(token))}**"
    st.caption(said + (f", the first of its {pieces} pieces." if pieces > 1 else "."))


def show_place(play, given, at):
    """A revealed place: the columns, the score, and the way on."""
    place, token = play.places[at], given[at]
    ballots = [{} if one == guessing_ui.NOBODY else {one: 1} for one in given[: at + 1]]
    told = guessing_ui.revealed(play, ballots, guessing_ui.ALONE)
    st.html(guessing_view.so_far(play.text_before(place), play.label(play.right(place))))
    matched_as(play, token)
    onward(play, given, at)
    st.html(guessing_view.beside(told.guessers))
    rows = guessing_view.score_rows(told.scores)
    st.html(tables.table("The score so far", guessing_view.SCORE_HEAD, rows, (1, 2, 3, 4)))
    standing = [guessing_view.standing(told.mine, told.scores[1:], play.game.few)]
    with st.expander("Row by row: when was it known?"):
        standing += guessing_ui.show_rows(play, place, token, "your guess")
    page.notice(*(page.literal(one) for one in standing))
    if at + 1 == len(play.places):
        st.page_link("pages/depth.py", label="Why? See which heads copy a name that comes again.")
    return told


def onward(play, given, at):
    """Back, on, or from the beginning."""
    last = len(play.places)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Next place", key="on", on_click=choice.put, kwargs={"place": at + 1}, disabled=at + 1 >= last
        )
        st.button("Back", key="back", on_click=choice.put, kwargs={"place": at - 1}, disabled=at == 0)
        st.button("Begin again", key="again", on_click=choice.put, kwargs={"said": None, "place": None})
        st.caption(f"Place {at + 1} of {last}")


def play_alone(play):
    """One reader against the models -> what was revealed, or None while a guess is awaited."""
    given = guessing_ui.said(play)
    at = min(choice.get("place", 0, choice.number(0, guessing_ui.MOST_PLACES)), len(given))
    if at == len(given) == len(play.places):
        at -= 1
    if at < len(given):
        return show_place(play, given, at)
    st.html(guessing_view.so_far(play.text_before(play.places[at])))
    st.caption(f"Place {at + 1} of {len(play.places)}")
    ask(play, given)
    page.notice(
        "The piece that comes next is hidden, here and in the models' columns, until you have guessed."
    )
    return None


def as_csv(told):
    """The running score as a table."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(("place", *(f"{one.name}, nats" for one in told.scores)))
    for n, nats in enumerate(zip(*(one.nats for one in told.scores), strict=True), start=1):
        write((n, *nats))
    return out.getvalue()


def open_room(play):
    """Open a room for this game; whoever opened it steers it by what stands in the address from then on."""
    try:
        code, secret = room.open_room(play)
    except ReaderError as error:
        choice.say(str(error))
        return
    choice.put(room=code, steer=secret)


def alone():
    """The game for one reader, and the way to a room."""
    page.head(
        "The guessing game",
        "Read a text piece by piece, guess what comes next, and see what the models gave it.",
    )
    st.html(f"<style>{guessing_view.CSS}{tables.CSS}</style>")
    chosen = guessing_ui.controls()
    with page.figure():
        play = guessing_ui.played(*chosen)
        told = play_alone(play)
    with st.expander("Play it with a class", key="with-a-class"):
        st.markdown(CLASS)
        st.button("Open a room", key="open-room", on_click=open_room, args=(play,))
    with st.expander("Why: how votes are scored"):
        st.markdown(WHY)
    page.source("matched", "decoys", "worth", system="guessing")
    page.questions(QUESTIONS)
    page.take_away(csv=as_csv(told) if told else None, name=f"guesses-{play.model.name}")


code, steer = choice.get("room", ""), choice.get("steer", "")
if code and steer:
    projector.show(code, steer)
else:
    alone()
