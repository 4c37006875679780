"""The guessing game's choices: which text, where it is guessed, how, and what was guessed so far."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from engine import families, guessing
from engine.errors import ReaderError
from engine.families import Model
from ui import cache, choice, lens_options, page
from views import guessing as guessing_view
from views import tables

WHERE = {
    "words": "At every new word",
    "all": "At every piece",
    "differ": "Where the models differ most",
    "picked": "At places I pick",
}
HOW = {"free": "Type it", "five": "One of five"}
MOST_PLACES = 200  # of one game
DIFFERING = 12
ALONE = "You"
NOBODY = -1  # the guess of someone who passed


@dataclass(frozen=True)
class Played:
    """A game with its models and places.  models: {name: Model} of those in game.traces, the chosen first."""

    model: Model
    models: dict
    game: guessing.Game
    places: list

    def text_before(self, place):
        return self.model.tokenizer.read(self.game.ids[:place])

    def right(self, place):
        return int(self.game.ids[place])

    def label(self, token):
        return self.model.tokenizer.label(token)


class Traces(Mapping):
    """{name: Trace} of the models' passes over a text, taken from the kept results each time.

    A button's callback holds its game for as long as the reader stays, so the game must not hold passes.
    """

    def __init__(self, models, ids):
        self.models, self.ids = models, ids

    def __getitem__(self, name):
        return cache.trace(self.models[name], self.ids)

    def __iter__(self):
        return iter(self.models)

    def __len__(self):
        return len(self.models)


def controls():
    """The row of controls -> (the model's name, the text, where, how, picked)."""
    with page.controls():
        name = choice.model_control(width=170)
        text = choice.text_control(name, hidden=True)
        where = choice.get("where", "words", choice.one_of(*WHERE))
        choice.bound(
            st.selectbox, "Guess", "where", where, options=tuple(WHERE), format_func=WHERE.__getitem__
        )
        picked = choice.get("picked", (), read_picked)
        if where == "picked":
            _picking(picked)
        how = choice.bound(
            st.segmented_control,
            "How",
            "how",
            choice.get("how", "free", choice.one_of(*HOW)),
            options=tuple(HOW),
            format_func=HOW.__getitem__,
            required=True,
        )
    return name, text, where, how, picked


def _picking(picked):
    choice.bound(
        st.text_input,
        "Places",
        "picked",
        ", ".join(map(str, picked)),
        to_address=_typed_places,
        help="The lens numbers the pieces of a text above its columns: 3, 8, 12 are three of them.",
    )


def _typed_places(typed):
    """Typed numbers -> as the address writes them; what is none is left out with a notice."""
    words = typed.replace(",", " ").split()
    numbers = [word for word in words if word.isascii() and word.isdigit() and len(word) < 5]
    if len(numbers) < len(words):
        choice.say("Places are whole numbers with commas between them; what is none was left out.")
    return "-".join(map(str, sorted({int(one) for one in numbers})[:MOST_PLACES])) or None


def read_picked(raw):
    """ "3-8-12" -> (3, 8, 12), or ValueError."""
    found = tuple(choice.number(0, 9999)(one) for one in raw.split("-"))
    if len(found) > MOST_PLACES:
        raise ValueError(raw)
    return found


def played(name, text, where, how, picked):
    """The game that is chosen -> Played.  Raises ReaderError for a text with nothing to guess."""
    model = cache.model(name)
    ids, cut = cache.fitting_ids(model, text)
    page.left_out(cut)
    if len(ids) < 2:
        raise ReaderError("There is nothing to guess in this text: type at least one word.")
    models = {name: model, **alike(model, len(ids))}
    traces = Traces(models, ids)
    for one in models:
        traces[one]
    game = guessing.Game(model.tokenizer, tuple(int(i) for i in ids), traces, how == "five")
    return Played(model, models, game, places(game, where, picked))


def alike(model, length):
    """The other models that read the text in the same pieces: {name: Model}."""
    found, may = {}, set(families.beside(model.name))
    for name in [one for one in lens_options.alike(model) if one in may]:
        try:
            other = cache.model(name)
        except ReaderError as error:
            st.caption(page.literal(str(error)))
            continue
        if other.context >= length:
            found[name] = other
    return found


def places(game, where, picked):
    """The places where it is guessed, from 1 to T - 1, at least one."""
    every = range(1, len(game.ids))
    chosen = [t for t in picked if t in every]
    if where == "words":
        chosen = guessing.word_starts(game.tokenizer, game.ids)
    elif where == "differ":
        chosen = guessing.differing(surprises(game), DIFFERING)
    elif where == "all":
        chosen = every
    return list(chosen or every)[:MOST_PLACES]


def surprises(game):
    """Of every model (T-1,): how surprising each token after the first is."""
    return [
        np.array(
            [
                guessing.nats(guessing.next_probabilities(trace, t)[game.ids[t]])
                for t in range(1, len(game.ids))
            ]
        )
        for trace in game.traces.values()
    ]


def stamp(play):
    """Names a game, so that guesses of another are not taken for its own."""
    said = np.array([*play.game.ids, -1, *play.places, play.game.few], dtype="<i8").tobytes()
    return f"{zlib.crc32(said):08x}"


def read_said(raw):
    """ "stamp.17-x-5" -> (stamp, [17, NOBODY, 5]), or ValueError."""
    mark, _, more = raw.partition(".")
    said = [NOBODY if one == "x" else choice.number(0, 10**6)(one) for one in more.split("-")]
    if len(said) > MOST_PLACES:
        raise ValueError(raw)
    return mark, said


def said(play):
    """The guesses so far, an id a place, NOBODY for a pass; [] where they are of another game."""
    mark, found = choice.get("said", ("", []), read_said)
    size = play.model.architecture.vocab_size
    if mark != stamp(play) or len(found) > len(play.places) or any(one >= size for one in found):
        return []
    return found


def write_said(play, guesses):
    """The same as the address writes it."""
    return f"{stamp(play)}." + "-".join("x" if one == NOBODY else str(one) for one in guesses)


@dataclass(frozen=True)
class Revealed:
    """What a revealed place says: everybody's column and everybody's running score."""

    guessers: list
    scores: list
    mine: guessing_view.Score


def revealed(play, ballots, who):
    """The last of the places for which there are ballots -> Revealed.

    ballots: [{id: votes}] of the first places, in order; who: what the voters are called.
    """
    each = zip(play.places, ballots, strict=False)
    columns = [place_columns(play, place, votes, who) for place, votes in each]
    scores = [score(one) for one in zip(*columns, strict=True)]
    mine = replace(scores[0], room=who != ALONE)
    return Revealed(columns[-1], [mine, *scores[1:]], mine)


def score(guessers):
    """One guesser's columns, place after place -> its running score."""
    surprises = tuple(one.nats for one in guessers)
    return guessing_view.Score(guessers[0].name, surprises, sum(one.hit for one in guessers))


def place_columns(play, place, votes, who):
    """Everybody's column at a place, the voters' first."""
    right, label = play.right(place), play.label
    choices = play.game.choices(place)
    voters = guessing_view.of_votes(who, votes, right, play.game.size, label, choices)
    expected = play.game.expected(place)
    models = [guessing_view.of_model(play.models[n].title, expected[n], right, label) for n in expected]
    return [voters, *models]


def show_rows(play, place, token, who):
    """Row by row, where a guess and the real next piece stood in the chosen model."""
    right = play.right(place)
    tokens = [right] if token in (None, NOBODY, right) else [token, right]
    names = {right: "the real next piece", token: who} | (
        {right: f"{who}, the real next piece"} if token == right else {}
    )
    p, ranks = guessing.row_by_row(play.model, play.game.traces[play.model.name], place, tokens)
    from engine.lens import row_names

    rows = row_names(play.model.architecture.n_layer)
    head, told = guessing_view.row_table(rows, [(names[t], play.label(t)) for t in tokens], p, ranks)
    columns = range(1, len(head))
    title = f"Row by row in {play.model.title}"
    st.html(f"<style>{tables.CSS}</style>{tables.table(title, head, told, columns)}")
    return [
        guessing_view.first_on_top(rows, ranks[:, i], names[t], play.model.title)
        for i, t in enumerate(tokens)
    ]
