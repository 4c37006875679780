"""The first view: a text half told, what a model expects next, and three ways on."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from views.numbers import counted, probability, whole

FILE = Path(__file__).parent.parent / "texts" / "first.json"
MOST = 6  # bars
SENTENCE = "Type, and see what a small language model expects next, and how it gets there."
NOTICE = (
    "With every letter that you type, the model reads the text again and gives each piece that it knows "
    f"a probability to come next; the bars are the {MOST} largest. Tap one to write it. "
    "A dot stands for a space."
)
# (page, its title here, what one finds there, choices to open it with)
DOORS = (
    (
        "diagram",
        "Walk through the model",
        "One token from text to prediction, in about 5 minutes.",
        {"step": 1},
    ),
    ("lens", "Watch the guess take shape", "What the model would say after every block.", {}),
    ("code", "Read the code", "The whole file that runs, with an outline.", {}),
)


@dataclass(frozen=True)
class Kept:
    """What was measured beforehand: of which model with which weights, on which text; ids and shares."""

    model: str
    weights: str
    text: str
    ids: tuple
    pieces: tuple
    adds: tuple
    probabilities: tuple
    command: str


@cache
def kept():
    """The bars that stand there before a model is loaded."""
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return Kept(**{name: tuple(one) if isinstance(one, list) else one for name, one in told.items()})


def half(text):
    """The first half of a text, up to a whole word: something to go on from."""
    words = text.split(" ")
    return " ".join(words[: max(1, len(words) // 2)])


def bars(pieces, adds, probabilities):
    """The likeliest next tokens -> [{"piece", "add", "p", "said"}], add: what a tap writes, or None."""
    return [
        {"piece": piece, "add": add, "p": float(p), "said": probability(float(p))}
        for piece, add, p in zip(pieces, adds, probabilities, strict=True)
    ]


def before(one, title):
    """The kept bars, as the component takes them."""
    said = f"Measured beforehand with {title}; now measured anew …"
    return {"of": one.text, "bars": bars(one.pieces, one.adds, one.probabilities), "said": said}


def measured(text, found, title, stored, tokens, read):
    """Bars that were measured just now.  found: (pieces, adds, probabilities); read: of so many tokens."""
    said = f"Measured just now: {title}, {counted(stored, 'parameter')}, {counted(read, 'token')} read."
    if read < tokens:
        said += f" It reads {whole(read)} at most, so the first {whole(tokens - read)} were left out."
    return {"of": text, "bars": bars(*found), "said": said}
