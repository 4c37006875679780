"""A room as everybody sees it: its code, the text so far, how many answered, and then what."""

import html
import logging

import streamlit as st

from rooms import Away
from ui import address, cache, choice, page, pulse, room
from ui import guessing as guessing_ui
from views import guessing as guessing_view
from views import qr, tables
from views.numbers import counted, whole

EVERY = {"lobby": 700, "open": 700, "shown": 3_000, "over": 5_000}  # milliseconds between two looks
TITLES = {
    "lobby": "Join and guess along",
    "open": "What comes next?",
    "shown": "What the room said",
    "over": "The game is over",
}
SHOWN = 420  # letters of the text so far
WHO = "The room"
AWAY = "The room's database does not answer just now. This page asks again by itself."
_CSS = """
header[data-testid="stHeader"] { display: none; }
[data-testid="stMainBlockContainer"] { padding-top: 1.2rem; max-width: none; }
@media (min-width: 1200px) { html { font-size: clamp(17px, 1.46vw, 30px) !important; } }
.hall { display: flex; flex-wrap: wrap; gap: .4rem 2rem; align-items: center; }
.hall .code { font-size: 2.6rem; font-weight: 700; letter-spacing: .16em; line-height: 1.2; }
.hall .where { font-size: 1.2rem; overflow-wrap: anywhere; }
.hall img { flex: none; max-width: 100%; }
.hall .many { font-size: 1.5rem; font-variant-numeric: tabular-nums; margin: .4rem 0 0; }
.hall progress { width: 100%; height: .8rem; accent-color: var(--mark-accent); }
.so-far { font-size: 1.7rem; }
.names { display: flex; flex-wrap: wrap; gap: .4rem .9rem; font-size: 1.1rem; }
.names span { max-width: 12em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  unicode-bidi: isolate; }
"""


def show(code, secret):
    """The projector's view for who steers it; anybody else is told so."""
    st.html(f"<style>{guessing_view.CSS}{tables.CSS}{_CSS}</style>")
    with page.figure():
        if not room.rooms().steers(code, secret):
            st.error("Only who opened the room can steer it.")
            st.page_link("pages/join.py", label="Join it", query_params={"room": page.plain(code)})
            st.stop()
    look(code, secret)


@st.fragment
def look(code, secret):
    """The room as it stands; it looks again by itself while it is seen."""
    if st.session_state.pop("room.ended", False):
        st.rerun()  # the whole page, which is the game for one again
    with page.figure():
        try:
            board = room.rooms().board(code)
        except Away:
            logging.getLogger(__name__).exception("A room's database did not answer")
            pulse.show(EVERY["shown"], "away")
            st.warning(AWAY)
            return
        at = f"{board.step}.{board.phase}"
        pulse.show(EVERY[board.phase], at)
        onward = following(board)
        if pulse.pressed(at) and onward:
            room.rooms().go(code, secret, *onward[1:])
            board = room.rooms().board(code)
        st.title(TITLES[board.phase], anchor=False)
        {"lobby": lobby, "open": asking, "shown": showing, "over": ending}[board.phase](board, secret)


def following(board):
    """What comes next in a room: (what its button says, step, phase), or None."""
    last = board.step + 1 >= len(board.plan["places"])
    return {
        "lobby": ("Begin", 0, "open"),
        "open": ("Show the answer", board.step, "shown"),
        "shown": ("Finish", board.step, "over") if last else ("Next place", board.step + 1, "open"),
        "over": None,
    }[board.phase]


def buttons(board, secret, *more):
    """The room's buttons: on, and more as [(label, function, arguments)]."""
    code, onward = board.code, following(board)
    with st.container(horizontal=True, vertical_alignment="center"):
        if onward:
            label, step, phase = onward
            st.button(label, key="room-on", on_click=room.rooms().go, args=(code, secret, step, phase))
        for name, act, given in more:
            st.button(name, key=f"room-{name}", on_click=act, args=given)


def joining(board, size, more=""):
    """The QR code, the code and the address to join by; more: markup below them."""
    where, reachable = address.outer()
    link = f"{where}/join?room={board.code}"
    said = html.escape(f"{where.partition('://')[2]}/join")
    code = f'<span class="code">{board.code}</span><br><span class="where">{said}</span>'
    st.html(f'<div class="hall">{qr.image(link, size)}<div>{code}{more}</div></div>')
    if not reachable:
        st.warning(address.ALONE)


def lobby(board, secret):
    """Everybody joins."""
    many = f"{counted(board.joined, 'phone')} joined"
    joining(board, "20rem", f'<p class="many" role="status">{many}</p>')
    buttons(board, secret, ("End the room", end, (board.code, secret)))
    named = [one for one in room.rooms().names(board.code, secret) if one[1]]
    if named:
        st.caption("Tap a nickname to hide it, and again to show it.")
        with st.container(horizontal=True):
            for voter, name, hidden, _ in named:
                label = "hidden" if hidden else page.literal(name)
                act, given = room.rooms().hide, (board.code, secret, voter, not hidden)
                st.button(label, key=f"name-{voter}", on_click=act, args=given, type="tertiary")


def asking(board, secret):
    """The text so far, and how many answered.  No model runs for it: the answer is not looked at yet."""
    plan = board.plan
    tokenizer = cache.model(plan["model"]).tokenizer
    st.html(guessing_view.so_far(tokenizer.read(plan["ids"][: plan["places"][board.step]]), most=SHOWN))
    if plan["few"]:
        labels = "".join(
            f"<li><code>{html.escape(tokenizer.label(i))}</code></li>" for i in choices_of(board)
        )
        st.html(f'<ul class="names" style="list-style: none; padding: 0">{labels}</ul>')
    share = f'<progress max="{max(board.joined, 1)}" value="{board.answered}"></progress>'
    said = f"{whole(board.answered)} of {counted(board.joined, 'phone')} answered"
    st.html(f'<div class="hall"><span class="many" role="status">{said}</span>{share}</div>')
    buttons(board, secret)
    st.caption(f"Place {board.step + 1} of {len(plan['places'])}")
    joining(board, "9rem")


def choices_of(board):
    return board.plan["choices"][board.step]


def showing(board, secret):
    """The guesses beside the models, the score, and the rows."""
    play, place, told = revealed(board, secret)
    st.html(guessing_view.so_far(play.text_before(place), play.label(play.right(place)), most=SHOWN))
    buttons(board, secret, ("Ask again", room.rooms().again, (board.code, secret, board.step)))
    st.html(guessing_view.beside(told.guessers))
    score_table(told)
    votes = room.rooms().counts(board.code, secret)[board.step]
    st.markdown(page.literal(guessing_view.worth(votes, play.right(place), play.game.size)))
    with st.expander("Row by row: when was it known?", key="room-rows", expanded=True):
        favourite = guessing_view.favourite(votes)
        said = guessing_ui.show_rows(play, place, favourite, "the room's favourite")
        page.notice(
            page.literal(guessing_view.standing(told.mine, told.scores[1:], play.game.few)),
            *map(page.literal, said),
        )


def revealed(board, secret):
    """What has been voted so far beside the models -> (Played, the place, Revealed)."""
    play = room.played(board.plan)
    ballots = [dict(one) for one in room.rooms().counts(board.code, secret)]
    return play, play.places[board.step], guessing_ui.revealed(play, ballots, WHO)


def score_table(told):
    rows = guessing_view.score_rows(told.scores)
    st.html(tables.table("The score so far", guessing_view.SCORE_HEAD, rows, (1, 2, 3, 4)))


def ending(board, secret):
    """The last score, and who guessed best."""
    play, _, told = revealed(board, secret)
    st.markdown(f"### {page.literal(guessing_view.standing(told.mine, told.scores[1:], play.game.few))}")
    score_table(told)
    right = [play.right(place) for place in play.places]
    hits = [
        (sum(cast.get(step) == one for step, one in enumerate(right)), name)
        for _, name, hidden, cast in room.rooms().names(board.code, secret)
        if name and not hidden
    ]
    best = sorted(hits, key=lambda one: -one[0])[:10]
    if best:
        rows = [(name, whole(count)) for count, name in best]
        st.html(tables.table("Most points", ("nickname", "points"), rows, (1,)))
    st.page_link(
        "pages/depth.py", label="Why? See which heads copy a name that comes again.", query_params={}
    )
    buttons(board, secret, ("End the room", end, (board.code, secret)))


def end(code, secret):
    """The room is over: everything of it is deleted."""
    room.rooms().end(code, secret)
    choice.put(room=None, steer=None)
    st.session_state["room.ended"] = True
