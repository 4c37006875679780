"""What the page on depth shows: three models on one text, and the heads that make the difference."""

import math
import random
from dataclasses import dataclass

import numpy as np

from engine import families
from views import plots
from views.numbers import counted, figure, percent, perplexity_of, probability

COLOURS = {"gpt-1": "norm", "gpt-4": "embedding", "sprout": "accent"}
DASHES = {"gpt-1": "dot", "gpt-4": "dash", "sprout": "solid"}
MOST_LABELS = 48  # on the axis of the curves
MOST_PIECES = 16  # of a run, in a sentence
UNEXPECTED = 0.1  # a piece that gets less is unexpected
GAIN = 0.2  # of probability: less is no copying to speak of
SEEN = 0.2  # a head that scores less has not specialised in it
FRAME = "the longest run of tokens that comes again"
KEY = {"norm": "to the token just before", "attention": "to the token that followed the last time"}
_BEGIN = "Br Dr Fl Gr Kr Pl Qu Sn Tr Vl Z W Th Y".split()
_MIDDLE = "a e i o u oo".split()
_END = "bzo dwix fnik gluv kmar lptu mbrix nzel rvok shpu tzam vrund xli".split()


def invent(seed):
    """A new name of two words that no one has ever met; the same for the same seed."""
    dice = random.Random(seed)
    return " ".join(dice.choice(_BEGIN) + dice.choice(_MIDDLE) + dice.choice(_END) for _ in range(2))


def story(opening, name):
    """A text in which the name comes twice."""
    return opening.replace("{name}", name)


def mentions(starts, length):
    """The places of a repeated run's pieces from the second on, at the first time and later -> two lists.

    The first piece is left out: that the run begins is not told by its first time.
    """
    if not starts:
        return [], []
    inner = range(1, length)
    return [starts[0] + i for i in inner], [start + i for start in starts[1:] for i in inner]


def mean(probabilities, places):
    """The mean probability of the tokens at these places.  probabilities (T-1,): from the second token on."""
    return float(np.mean([probabilities[place - 1] for place in places]))


def worth(probabilities):
    """Loss and perplexity over a text -> (nats a token, e^nats)."""
    nats = float(-np.log(np.maximum(probabilities, 1e-300)).mean())
    return nats, math.exp(min(nats, 700))


def title(name, blocks, probabilities=None):
    """What stands above a model's text, as Markdown: loss and perplexity once it has read it."""
    said = f"**{families.title(name)}**, {counted(blocks, 'block')}: "
    if probabilities is None:
        return said + "not read yet"
    nats, _ = worth(probabilities)
    return f"{said}loss {nats:.2f} nats a token, perplexity {perplexity_of(nats)}"


def shown(pieces):
    """A run of pieces in words: the middle of a long one is left out."""
    if len(pieces) <= MOST_PIECES:
        return "".join(pieces)
    ends = "".join(pieces[: MOST_PIECES // 2]), "".join(pieces[-MOST_PIECES // 4 :])
    return f"{' … '.join(ends)} ({counted(len(pieces), 'token')})"


def turned(ids, starts, length):
    """The text up to the end of the run's second time, its first time in reverse order.

    What looks up what followed the last time finds something else there; what only knows which pieces
    came before does not.  None where there is nothing to turn.
    """
    run = list(ids[starts[0] : starts[0] + length]) if starts else []
    if run == run[::-1]:
        return None
    return [*ids[: starts[0]], *run[::-1], *ids[starts[0] + length : starts[1] + length]]


@dataclass(frozen=True)
class Copy:
    """The pieces of a run, after its first, that were unexpected the first time: their mean probabilities."""

    pieces: int
    before: float  # at the first time
    after: float  # at the second
    turned: float | None = None  # at the second, when the first stood in reverse order

    @property
    def gain(self):
        return self.after - self.before


def copied(p, starts, length, turned_p=None):
    """What one model made of the unexpected pieces -> Copy, or None when it expected all.

    p: the probabilities of all tokens but the first; turned_p: those of turned().
    """
    unexpected = [i for i in range(1, length) if p[starts[0] + i - 1] < UNEXPECTED]
    if not unexpected:
        return None
    first, second = ([start + i for i in unexpected] for start in starts[:2])
    again = None if turned_p is None else mean(turned_p, second)
    return Copy(len(unexpected), mean(p, first), mean(p, second), again)


def sentences(given, starts, length, run, turned_given=None):
    """First against second time, for every model.

    given, turned_given: {name: probabilities} of the text and of turned(); run: the run as Markdown.
    """
    if not starts:
        return [
            "No run of two or more tokens that begins and ends with a letter or a digit comes twice here: "
            "write a name that does, or invent one."
        ]
    first, second = ([start + i for i in range(1, length)] for start in starts[:2])
    times = "twice" if len(starts) == 2 else f"{len(starts)} times"
    parts = [
        f"{families.title(name)} {probability(mean(p, first))} and {probability(mean(p, second))}"
        for name, p in given.items()
    ]
    said = (
        f"The longest run of tokens that comes again is {run}, {times}. Its pieces after the first get, the "
    )
    said += f"first time and the second, from {'; from '.join(parts)}."
    found = {name: copied(p, starts, length, (turned_given or {}).get(name)) for name, p in given.items()}
    alike = all(one and one.pieces == length - 1 for one in found.values())
    return [said, *_copying({families.title(name): one for name, one in found.items() if one}, alike)]


def _copying(found, alike):
    """What the unexpected pieces show.  found: {title: Copy}; alike: whether all were unexpected, by all."""
    limit = f"under {percent(UNEXPECTED)}"
    if not found:
        return [f"None of them was unexpected ({limit}) the first time, so copying can't be seen here."]
    listed = "; ".join(
        f"{title} {counted(one.pieces, 'piece')}, {probability(one.before)} → {probability(one.after)}"
        for title, one in found.items()
    )
    said = [f"Of those that were unexpected the first time ({limit}): {listed}."]
    if alike:
        said = [f"All of them were unexpected ({limit}) the first time."]
    best = max(found, key=lambda title: found[title].gain)
    if found[best].gain < GAIN:
        return [*said, f"No model gains {100 * GAIN:.0f} percentage points on them."]
    if len(found) > 1:
        said.append(f"{best} gains most.")
    told = [(title, one) for title, one in found.items() if one.gain >= GAIN and one.turned is not None]
    if told:
        ways = "; ".join(f"{title} {probability(one.turned)}, {_way(one)}" for title, one in told)
        said.append(f"With the first time's pieces in reverse order they get from {ways}.")
    return said


def _way(one):
    """Whether the gain needs the pieces' order."""
    if one.turned - one.before < one.gain / 2:
        return "so it goes by what followed the last time"
    return "so it goes by which pieces came before, in whatever order"


def curves(pieces, given, starts, length, dark=False):
    """Every token's probability under each model -> (figure, columns)."""
    places = list(range(1, len(pieces)))
    traces = [
        {
            "x": places,
            "y": 100 * p,
            "name": families.title(name),
            "type": "scatter",
            "mode": "lines+markers",
            "marker": {"size": 5},
            "line": {"color": plots.colour(COLOURS[name], dark), "width": 2, "dash": DASHES[name]},
            "text": [plots.escape(piece) for piece in pieces[1:]],
            "customdata": [probability(one) for one in p],
            "hovertemplate": "%{text}: %{customdata}<extra>" + families.title(name) + "</extra>",
        }
        for name, p in given.items()
    ]
    grey = plots.colour("quiet", dark)
    spans = [
        {
            "type": "rect",
            "x0": start - 0.5,
            "x1": start + length - 0.5,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"width": 0},
            "fillcolor": grey,
            "opacity": 0.2,
            "layer": "below",
        }
        for start in starts
    ]
    shown = places[:: math.ceil(len(places) / MOST_LABELS)]
    x = {
        "title": "token",
        "tickmode": "array",
        "tickvals": shown,
        "tickangle": -90,
        "automargin": False,
        "ticktext": [plots.escape(pieces[place]) for place in shown],
        "range": [0, len(pieces)],
    }
    y = {"title": "probability, %", "range": [0, 102]}
    margin = {"l": 8, "r": 8, "t": 8, "b": 110}  # given, since finding it takes the browser seconds
    made = plots.chart(traces, x, y, dark, shapes=spans, margin=margin)
    columns = {"token": list(pieces[1:]), **{families.title(n): p.tolist() for n, p in given.items()}}
    return made, columns


def cause(scores, without=None):
    """What the scores of all heads say; without: those with the best previous-token head switched off."""
    said = []
    for name, what in (
        ("previous", "Most attention to the token just before is given by"),
        ("induction", "Most attention to the token that followed the last time is given by"),
    ):
        best = scores.best(name)
        said.append(f"{what} {called([best])}: {percent(float(getattr(scores, name)[best]))}.")
    before, after = scores.best("previous"), scores.best("induction")
    strongest = float(scores.induction[after])
    if strongest < SEEN:
        said.append(f"No head here gives it {percent(SEEN)} or more: none has become an induction head.")
    elif without is not None and before[0] < after[0]:
        left = float(without.induction[after])
        said.append(
            "The first stands in an earlier block, so the second can read what it wrote. Switch the first "
            f"off, and the second gives {percent(left)}"
        )
        said[-1] += (
            ": it needs to be told what stood before each token."
            if left < strongest / 2
            else ": it does not depend on that head alone."
        )
    return said


def induction_heads(scores):
    """All heads that score at least SEEN -> a list of (block, head), the strongest first."""
    found = np.argwhere(scores.induction >= SEEN)
    return sorted(((int(b), int(h)) for b, h in found), key=lambda bh: -scores.induction[bh])


def cells(scores):
    """Both scores of every head, as ui.head_map takes them."""
    return [
        [_cell(f"Head {h} of block {b}", *pair) for h, pair in enumerate(zip(*rows, strict=True), start=1)]
        for b, rows in enumerate(zip(scores.previous, scores.induction, strict=True), start=1)
    ]


def _cell(name, previous, induction):
    before, after = map(percent, (previous, induction))
    return {
        "bars": [["norm", float(previous), before], ["attention", float(induction), after]],
        "label": f"{name}: {before} {KEY['norm']}, {after} {KEY['attention']}",
    }


def called(heads):
    """Heads in words: head 2 of block 3."""
    return ", ".join(f"head {h + 1} of block {b + 1}" for b, h in heads)


def adds(lengths, chosen):
    """What a head adds, beside all heads of its block.  lengths: (of each head (H,), of their sum)."""
    each, together = lengths
    (block, head), H = chosen, len(lengths[0])
    if H == 1:
        return f"The only head of block {block + 1} adds a vector of length {figure(together)} on average."
    return (
        f"Over this text head {head + 1} of block {block + 1} adds a vector of length "
        f"{figure(float(each[head]))} to the stream, on average, and all {H} heads of the block together "
        f"{figure(together)}: the output matrix is linear, so what attention adds is the sum of what its "
        "heads add."
    )
