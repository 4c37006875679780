"""A room without a browser: the phone's page and the projector's, with every odd message they can be sent."""

import json
import re

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

import engine
from rooms import Away, Rooms, rates
from tests.pages.reader import Reader
from tests.pages.test_guess import words
from tests.rooms import odd
from ui import ballot, room
from ui import projector as projector_ui

TOKEN = "0123456789abcdef" * 2


@pytest.fixture
def rooms(tmp_path, monkeypatch):
    """The server's rooms, in a file of this test."""
    monkeypatch.setenv("EXPLORER_ROOMS", f"sqlite:///{tmp_path}/rooms.sqlite")
    room.rooms.clear()
    yield room.rooms()
    room.rooms().close()
    room.rooms.clear()


def plan(few=False):
    ids = engine.load("gpt-1").tokenizer.encode("The dog saw a quagmire there.")
    choices = [[ids[place], 5, 6, 7, 8] for place in (2, 3)] if few else []
    return {"model": "gpt-1", "ids": ids, "places": [2, 3], "few": few, "choices": choices}


@pytest.fixture(params=[False, True], ids=["free", "five"])
def opened(rooms, request):
    """(rooms, code, secret, plan) of an open room."""
    kept = plan(request.param)
    return (rooms, *rooms.open(kept, "owner"), kept)


class Phone:
    """A phone's session: what its component was given, and what it tells."""

    def __init__(self, code, token=TOKEN):
        self.reader = Reader("join", room=code)
        self.phone = {"token": token, "name": None, "vote": None, "beat": 0}

    def tell(self, **values):
        self.phone |= values | {"beat": self.phone["beat"] + 1}
        return self.raw(json.dumps({"phone": self.phone}))

    def raw(self, message):
        self.reader.send(WidgetState(id=self.ballot[0], json_value=message))
        assert not self.reader.trouble(), self.reader.trouble()
        return self.given

    def vote(self, step, guess, number=1):
        how = {"id": guess} if isinstance(guess, int) else {"text": guess, "joined": False}
        return self.tell(vote={"step": step, "number": number, **how})

    @property
    def ballot(self):
        return next((id, data) for id, data in self.reader.components() if data and "phase" in data)

    @property
    def given(self):
        return self.ballot[1]


def joined(code, name="Ada", token=TOKEN):
    phone = Phone(code, token)
    phone.tell(name=name)
    return phone


def test_a_phone_joins_votes_changes_its_mind_and_sees_its_point(opened):
    rooms, code, secret, kept = opened
    phone = joined(code)
    assert phone.given["phase"] == "lobby"
    assert phone.given["seat"] == {"name": "Ada"}
    rooms.go(code, secret, 0, "open")
    right = kept["ids"][2]
    label = engine.load("gpt-1").tokenizer.label(right)
    first, second = (5, right) if kept["few"] else ("cat", label)
    phone.vote(0, first)
    assert phone.given["mine"]["label"] != label
    phone.vote(0, second, number=2)
    assert phone.given["mine"] == {"id": right, "label": label, "pieces": 1}
    assert (phone.given["right"], phone.given["hit"]) == (None, False)
    rooms.go(code, secret, 0, "shown")
    given = phone.tell()
    assert (given["right"], given["hit"], given["hits"], given["places"]) == (label, True, 1, 1)
    assert rooms.counts(code, secret) == [{right: 1}]


def test_nothing_of_what_comes_or_was_voted_is_sent_to_a_phone(opened):
    rooms, code, secret, _ = opened
    other = joined(code, "Bob", "f" * 32)
    rooms.go(code, secret, 0, "open")
    other.vote(0, 5 if other.tell()["choices"] else "elephant")
    phone = joined(code)
    sent = json.dumps(phone.given) + "".join(words(phone.reader))
    assert "quag" not in sent
    assert "elephant" not in sent
    assert "·eleph" not in sent
    assert phone.given["mine"] is None


@pytest.mark.parametrize("kind", odd.KINDS)
def test_odd_guesses_and_names_are_guesses_and_names(rooms, kind):
    code, secret = rooms.open(plan(), "o")
    rooms.go(code, secret, 0, "open")
    phones = [joined(code, text, f"{n:032x}") for n, text in enumerate(odd.KINDS[kind])]
    for phone, text in zip(phones, odd.KINDS[kind], strict=True):
        phone.vote(0, text)
        bare = not text.encode("utf-8", "replace").decode().strip(" ")
        assert bool(phone.given["mine"]) != bare
        assert phone.given["says"] == ("Nothing was typed." if bare else "")
        assert len(phone.given["seat"]["name"]) <= 16
    asking = Reader("guess", room=code, steer=secret)
    rooms.go(code, secret, 0, "shown")
    shown = Reader("guess", room=code, steer=secret)
    rooms.go(code, secret, 1, "shown")
    rooms.go(code, secret, 1, "over")
    over = Reader("guess", room=code, steer=secret)
    for reader in (asking, shown, over, *(phone.reader for phone in phones)):
        assert not reader.trouble()
        bodies = [one.proto.body for one in reader.nodes() if one.type == "html"]
        assert not [one for one in bodies if re.search("<b>zq|<script>zq|<!--zq|<[^>]*onload=.zq", one)]


def test_nothing_leads_away_from_a_game(opened):
    _, code, secret, _ = opened

    def leads_on(reader):
        return [one for one in reader.at.get("page_link") if "Next: " in one.proto.label]

    assert not leads_on(Reader("guess", room=code, steer=secret))
    assert not leads_on(joined(code).reader)
    assert leads_on(Reader("guess"))


def test_a_flood_of_votes_is_told_to_wait_until_the_next_place(rooms, monkeypatch):
    monkeypatch.setattr(rates, "VOTED_BY_ONE", rates.Rate(2, 0, rates.VOTED_BY_ONE.says))
    code, secret = rooms.open(plan(), "o")
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    for number, word in enumerate(("cat", "dog", "hen"), start=1):
        phone.vote(0, word, number)
    assert "too fast" in phone.given["says"]
    assert phone.given["mine"]["label"] == "·dog"
    assert "too fast" in phone.tell()["says"]
    rooms.go(code, secret, 1, "open")
    assert phone.tell()["says"] == ""


def test_a_database_that_does_not_answer_loses_no_vote(opened, monkeypatch):
    rooms, code, secret, kept = opened
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    phone.tell()

    def away(*_):
        raise Away("busy")

    with monkeypatch.context() as broken:
        broken.setattr(type(rooms), "vote", away)
        broken.setattr(type(rooms), "board", away)
        phone.vote(0, 5 if kept["few"] else "cat")
        assert phone.given["says"] == ballot.AWAY
        assert phone.given["seat"]  # what was on the screen stays there
        projector = Reader("guess", room=code, steer=secret)
        assert [one.value for one in projector.at.warning] == [projector_ui.AWAY]
    given = phone.tell()
    assert given["says"] == ""
    assert given["mine"]
    assert rooms.board(code).answered == 1


def test_the_same_vote_told_again_counts_once(opened):
    rooms, code, secret, kept = opened
    phone, again = joined(code), joined(code)  # two tabs of one browser
    rooms.go(code, secret, 0, "open")
    guess = 5 if kept["few"] else "cat"
    for one in (phone, again, phone):
        one.vote(0, guess)
    reloaded = Phone(code)
    reloaded.tell()
    assert reloaded.given["mine"]["id"] == phone.given["mine"]["id"]
    rooms.go(code, secret, 0, "shown")
    assert sum(rooms.counts(code, secret)[0].values()) == 1


def test_a_vote_told_again_after_the_reveal_is_not_called_too_late(opened):
    rooms, code, secret, kept = opened
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    guess = 5 if kept["few"] else "cat"
    phone.vote(0, guess)
    rooms.go(code, secret, 1, "open")
    lost = Phone(code)  # the connection was lost, and the browser tells all it knows to a new session
    lost.phone |= {"name": "Ada", "vote": phone.phone["vote"]}
    assert lost.tell()["says"] == ""
    assert rooms.board(code).answered == 0


def test_a_late_vote_is_told_to_be_late(opened):
    rooms, code, secret, kept = opened
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    rooms.go(code, secret, 0, "shown")
    assert "Too late" in phone.vote(0, 5 if kept["few"] else "cat")["says"]


def test_a_session_is_one_voter_whatever_it_tells(rooms):
    code, secret = rooms.open(plan(), "o")
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    for number in range(1, 6):
        phone.tell(token=f"{number:032x}", name=f"n{number}")
        phone.vote(0, "cat", number=number)
    assert (rooms.board(code).joined, rooms.board(code).answered) == (1, 1)


def test_nobody_votes_for_what_is_none_of_the_five(rooms):
    code, secret = rooms.open(plan(few=True), "o")
    phone = joined(code)
    rooms.go(code, secret, 0, "open")
    assert "none of the five" in phone.vote(0, 9)["says"]
    assert rooms.board(code).answered == 0


FORGED = [
    "null", "[]", '{"phone": null}', '{"phone": 7}', '{"phone": {"token": "x"}}', '{"phone": {"token": []}}',
    *(json.dumps({"phone": {"token": TOKEN, **one}}) for one in (
        {"name": {"a": 1}, "vote": [1], "beat": -1},
        {"name": "x", "vote": {"step": "a", "number": None, "text": {}}},
        {"name": "x", "vote": {"step": 1e300, "number": 2, "id": -5}, "beat": 1e300},
        {"name": "n" * 30_000, "vote": {"step": 0, "number": 3, "text": "v" * 30_000}},
    )),
]  # fmt: skip


@pytest.mark.parametrize("message", FORGED)
def test_no_forged_message_breaks_a_phone_s_page(opened, message):
    rooms, code, secret, _ = opened
    rooms.go(code, secret, 0, "open")
    phone = Phone(code)
    phone.raw(message)
    assert rooms.board(code).joined <= 1


@pytest.mark.parametrize("code", ["", "ABCD", "zz", "<b>x</b>", "0" * 5000, "A\u202eB"])
def test_a_room_that_is_not_there_is_said_so_on_the_phone(rooms, code):
    phone = Phone(code or "QQQQ")
    given = phone.tell(name="Ada")
    assert given["phase"] == "gone"
    assert "There is no room" in given["says"]


def test_a_joiner_can_not_steer(opened):
    _, code, secret, _ = opened
    for steer in ("x", TOKEN, secret[:-1], secret + "a", "\ud800".encode("utf-8", "replace").decode()):
        reader = Reader("guess", room=code, steer=steer)
        assert [one.value for one in reader.at.error] == ["Only who opened the room can steer it."]
        assert not [one for one in reader.controls() if (one.key or "").startswith("room-")]
        assert secret not in json.dumps([data for _, data in reader.components()])


def test_without_the_secret_the_page_is_the_game_for_one(opened):
    reader = Reader("guess", room=opened[1])
    assert reader.at.title


def press(reader, label):
    control = next(one for one in reader.controls() if one.kind == "button" and one.label == label)
    return reader.choose((control, True))


def test_the_projector_shows_how_many_and_never_what_until_the_reveal(opened):
    _, code, secret, kept = opened
    phone = joined(code)
    projector = Reader("guess", room=code, steer=secret)
    assert "1 phone joined" in words(projector)[0]
    press(projector, "Begin")
    projector = Reader("guess", room=code, steer=secret)
    assert "0 of 1 phone answered" in words(projector)[0]
    guess = 5 if kept["few"] else "elephant"
    phone.vote(0, guess)
    projector = Reader("guess", room=code, steer=secret)
    assert "1 of 1 phone answered" in words(projector)[0]
    assert "eleph" not in words(projector)[0]
    assert "quag" not in words(projector)[0]
    press(projector, "Show the answer")
    projector = Reader("guess", room=code, steer=secret)
    label = engine.load("gpt-1").tokenizer.label(phone.given["mine"]["id"])
    assert label in words(projector)[0]
    assert "The score so far" in words(projector)[0]
    assert not projector.trouble()


def test_the_whole_room_is_played_to_its_end_and_deleted(opened, tmp_path):
    rooms, code, secret, _ = opened
    joined(code)
    for label in ("Begin", "Show the answer", "Next place", "Show the answer", "Ask again", "Show the answer",
                  "Finish"):  # fmt: skip
        projector = press(Reader("guess", room=code, steer=secret), label)
        assert not projector.trouble()
    shown = Reader("guess", room=code, steer=secret)
    assert "Most points" in words(shown)[0]
    press(shown, "End the room")
    fresh = Rooms(rooms.where)
    assert fresh.sweep() == 0
    fresh.close()
    assert "There is no room" in Phone(code).tell()["says"]


def test_a_hidden_name_is_on_no_projector(opened):
    rooms, code, secret, _ = opened
    joined(code, "Rude")
    projector = Reader("guess", room=code, steer=secret)
    assert "Rude" in [one.label for one in projector.controls()]
    press(projector, "Rude")
    again = Reader("guess", room=code, steer=secret)
    assert "Rude" not in [one.label for one in again.controls()]
    rooms.go(code, secret, 1, "over")
    assert "Rude" not in words(Reader("guess", room=code, steer=secret))[0]


def test_a_room_is_opened_from_the_page_and_plays_its_text(rooms):
    reader = Reader("guess", text="name", where="picked", picked="3-11", how="five")
    control = next(one for one in reader.controls() if one.key == "open-room")
    reader.choose((control, True))
    code, secret = reader.address["room"], reader.address["steer"]
    board = rooms.board(code)
    assert board.plan["places"] == [3, 11]
    assert [len(one) for one in board.plan["choices"]] == [5, 5]
    assert rooms.steers(code, secret)


def test_the_phone_looks_again_at_a_pace_that_a_class_can_afford():
    assert ballot.EVERY >= 1_000
