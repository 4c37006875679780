"""The guessing game in pictures and words: the text so far, guesses beside models, and the score."""

import math
from dataclasses import dataclass
from html import escape

import numpy as np

from engine import guessing
from views.numbers import counted, figure, form, percent, probability, whole

SHOWN = 5  # likeliest tokens of a model that are listed

CSS = """
.so-far { font-size: 1.35rem; line-height: 1.7; white-space: pre-wrap; overflow-wrap: anywhere;
  margin: .2rem 0 .8rem; min-height: 2.4rem; }
.so-far .gap { display: inline-block; margin-left: .15em;
  min-width: 2.2em; text-align: center; border-radius: 4px;
  border: 2px dashed var(--mark-accent); color: var(--mark-accent); line-height: 1.3; }
.so-far .next { border-radius: 3px; padding: .05em .15em; margin-left: .15em;
  outline: 3px solid var(--mark-right);
  outline-offset: 1px; font-weight: 600; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .6rem 1.6rem;
  margin: 0 0 1rem; }
.beside h3 { font-size: 1.05rem; margin: 0 0 .1rem; padding: 0; }
.beside .of { margin: 0 0 .3rem; font-size: .88rem; color: var(--mark-norm); }
.beside ol { list-style: none; margin: 0; padding: 0; }
.beside li { display: grid; grid-template-columns: minmax(3.2rem, 42%) 1fr 3.9rem; align-items: center;
  gap: .5rem; margin: 0; padding: .2rem .35rem; border-radius: 4px; min-height: 2rem; }
.beside li.right { outline: 3px solid var(--mark-right); outline-offset: -2px; font-weight: 600; }
.beside code { background: none; color: inherit; padding: 0; overflow-wrap: anywhere; font-size: .95em; }
.beside .track { height: 1.1rem; background: color-mix(in srgb, currentColor 8%, transparent);
  border-radius: 2px; }
.beside .fill { display: block; height: 100%; min-width: 1px; background: var(--ramp-4); border-radius: 2px; }
.beside .room .fill { background: var(--mark-accent); }
.beside .n { text-align: right; white-space: nowrap; }
.beside :is(.fill, .track) { forced-color-adjust: none; print-color-adjust: exact; }
"""


@dataclass(frozen=True)
class Guesser:
    """One who guessed at a place.  listed: [(token's label, its share, how that is written, is it right)],
    likeliest first; nats: its surprise at the real token; hit: whether its likeliest was right."""

    name: str
    listed: tuple
    nats: float
    hit: bool
    room: bool = False


def of_model(name, expected, right, label):
    """A model's column.  expected (V,): its probabilities; right: the real token's id."""
    order = np.argsort(-expected, kind="stable")[:SHOWN]
    order = [int(i) for i in order if expected[i] > 0]
    if right not in order:
        order.append(right)
    listed = tuple((label(i), float(expected[i]), probability(expected[i]), i == right) for i in order)
    return Guesser(name, listed, guessing.nats(float(expected[right])), order[0] == right)


def of_votes(name, votes, right, size, label, choices=()):
    """The column of those who voted.  votes: {id: how many}; size: how many guesses were possible."""
    total = sum(votes.values())
    order = sorted({*votes, *choices, right}, key=lambda i: (-votes.get(i, 0), i))
    shown = [i for n, i in enumerate(order) if n < SHOWN + 3 or i == right]
    listed = tuple(
        (label(i), votes.get(i, 0) / total if total else 0.0, whole(votes.get(i, 0)), i == right)
        for i in shown
    )
    most = max(votes.values(), default=0)
    nats = guessing.nats(guessing.share(votes, right, size))
    return Guesser(name, listed, nats, bool(most) and votes.get(right, 0) == most, room=True)


def favourite(votes):
    """The token most voted for; of several the smallest id; None without a vote."""
    return min(votes, key=lambda i: (-votes[i], i)) if votes else None


def so_far(text, following=None, most=None):
    """The text so far and a gap after it; following: the piece that was revealed instead of the gap.

    most: letters that are shown at most, the last ones.
    """
    if most and len(text) > most:
        text = "… " + text[-most:]
    gap = '<span class="gap" role="img" aria-label="what comes next?">?</span>'
    after = gap if following is None else f'<span class="next">{escape(following)}</span>'
    return f'<div class="so-far" dir="auto">{escape(text)}{after}</div>'


def beside(guessers):
    """Everybody's guesses as bars, side by side; the real next token is framed."""
    return f'<div class="beside">{"".join(map(_column, guessers))}</div>'


def _column(one):
    items = "".join(_item(*item, one.room) for item in one.listed)
    kind = ' class="room"' if one.room else ""
    said = f"{_nats(one.nats)} for the real next piece"
    return f'<section{kind}><h3>{escape(one.name)}</h3><p class="of">{said}</p><ol>{items}</ol></section>'


def _item(label, share, said, right, room):
    kind = ' class="right"' if right else ""
    unit = f" {form(int(said.replace(',', '')), 'vote')}" if room else ""
    read = f"{label}: {said}{unit}{', the real next piece' if right else ''}"
    return (
        f'<li{kind} aria-label="{escape(read)}"><code>{escape(label)}</code>'
        f'<span class="track"><i class="fill" style="width: {100 * share:.2f}%"></i></span>'
        f'<span class="n">{escape(said)}</span></li>'
    )


@dataclass(frozen=True)
class Score:
    """Somebody's running score.  nats: the surprise at every place so far; hits: places guessed right;
    room: whether many voted, so that it is not one reader or a model."""

    name: str
    nats: tuple
    hits: int
    room: bool = False

    @property
    def perplexity(self):
        return guessing.perplexity(self.nats)


def _nats(surprise):
    """A surprise with its unit; what is next to none is not told to the last digit."""
    return f"{'< 0.01' if 0 < surprise < 0.005 else figure(surprise)} nats"


SCORE_HEAD = ("who", "surprise at this piece", "mean so far", "perplexity", "right so far")


def score_rows(scores):
    """The rows of the running score, best first."""
    best_first = sorted(scores, key=lambda one: sum(one.nats))
    return [
        (
            one.name,
            _nats(one.nats[-1]),
            _nats(sum(one.nats) / len(one.nats)),
            figure(one.perplexity),
            f"{whole(one.hits)} of {whole(len(one.nats))}",
        )
        for one in best_first
    ]


def standing(mine, models, few):
    """How the room, or the one reader, stands beside the models, in a sentence."""
    reads = "reads" if mine.room else "read"
    among = " among five candidates" if few else ""
    places = counted(len(mine.nats), "place")
    like = f"like a model of perplexity {figure(mine.perplexity)}{among}"
    behind = [one.name for one in models if sum(one.nats) > sum(mine.nats)]
    ahead = [one.name for one in models if sum(one.nats) < sum(mine.nats)]
    more = f", less surprised than {_listed(behind)}" if behind else ""
    if ahead:
        more += f"{' and' if behind else ','} more surprised than {_listed(ahead)}"
    return f"After {places}, {_within(mine.name)} {reads} {like}{more}."


def _within(name):
    return name[:1].lower() + name[1:]


def _listed(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def row_table(rows, tokens, probabilities, ranks):
    """Row by row what a model gives some tokens -> (head, rows) of a table.

    tokens: [(what it is, label)]; probabilities, ranks (R, number of tokens).
    """
    head = ("row", *(f"{what}: {label}" for what, label in tokens))
    told = [
        (name, *((probability(p), f"rank {whole(int(rank))}") for p, rank in zip(ps, rs, strict=True)))
        for name, ps, rs in zip(rows, probabilities, ranks, strict=True)
    ]
    return head, told


def first_on_top(rows, ranks, who, title):
    """From which row on a token is the likeliest, to the end; ranks (R,)."""
    stays = [r for r in range(len(ranks)) if all(rank == 1 for rank in ranks[r:])]
    if stays:
        return f"In {title}, {who} is on top from the row “{rows[stays[0]]}” on."
    best = int(np.argmin(ranks))
    if ranks[best] == 1:
        return f"In {title}, {who} is on top in the row “{rows[best]}”, but not in the output."
    return f"In {title}, {who} comes nearest in the row “{rows[best]}”, at rank {whole(int(ranks[best]))}."


def worth(votes, right, size):
    """What the votes for the right token came to, in a sentence."""
    n, got = sum(votes.values()), votes.get(right, 0)
    share = guessing.share(votes, right, size)
    return (
        f"{whole(got)} of {counted(n, 'vote')} went to the real next piece. With one more vote spread evenly "
        f"over all {whole(size)} possible pieces its share is {percent(share)}, a surprise of "
        f"{figure(-math.log(share))} nats."
    )
