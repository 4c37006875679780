"""What the page on depth shows: several models on one text, and the heads that make the difference."""

import math
import random
import string
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine import families
from views import plots
from views.numbers import counted, figure, percent, perplexity_of, probability, within

MOST_LABELS = 48  # on the axis of the curves
MOST_PIECES = 16  # of a run, in a sentence
UNEXPECTED = 0.1  # a piece that gets less is unexpected
OTHER_TOKENS, TOO_SHORT, NOT_LOADED = (
    "another tokenizer",
    "a context too short for this text",
    "can't be loaded",
)
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


def letters(seed):
    """8 to 10 different letters and digits, twice; the same for the same seed."""
    dice = random.Random(seed)
    return 2 * "".join(dice.sample(string.ascii_letters + string.digits, dice.randint(8, 10)))


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
    came before does not.  None where there is nothing to turn, or where two pieces of the run still follow
    each other somewhere before its second time, so that they could be looked up all the same.
    """
    if not starts:
        return None
    run = list(ids[starts[0] : starts[0] + length])
    before = [*ids[: starts[0]], *run[::-1], *ids[starts[0] + length : starts[1]]]
    if {*pairwise(run)} & {*pairwise(before)}:
        return None
    return [*before, *run]


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
            "No run of two or more tokens that begins and ends with a letter or a digit comes twice here "
            "without overlap: write a name that does."
        ]
    found = {name: copied(p, starts, length, (turned_given or {}).get(name)) for name, p in given.items()}
    alike = all(one and one.pieces == length - 1 for one in found.values())
    unexpected = {families.title(name): one for name, one in found.items() if one}
    return [_both_times(given, starts, length, run), *_copying(unexpected, alike)]


def _both_times(given, starts, length, run):
    """What the run's later pieces get the first time and the second, from every model."""
    first, second = ([start + i for i in range(1, length)] for start in starts[:2])
    times = "twice" if len(starts) == 2 else f"{len(starts)} times"
    parts = [
        f"{within(families.title(name))} {probability(mean(p, first))} and {probability(mean(p, second))}"
        for name, p in given.items()
    ]
    return (
        f"The longest run of tokens that comes again is {run}, {times}. Its pieces after the first get, the "
        f"first time and the second, from {'; from '.join(parts)}."
    )


def _copying(found, alike):
    """What the unexpected pieces show.  found: {title: Copy}; alike: whether all were unexpected, by all."""
    limit = f"under {percent(UNEXPECTED)}"
    if not found:
        return [f"None of them was unexpected ({limit}) the first time, so copying can't be seen here."]
    said = [f"All of them were unexpected ({limit}) the first time."]
    if not alike:
        said = [f"Of those that were unexpected the first time ({limit}): {_each_gain(found)}."]
    best = max(found, key=lambda title: found[title].gain)
    if found[best].gain < GAIN:
        return [*said, f"No model gains {100 * GAIN:.0f} percentage points on them."]
    said += [f"{best} gains most."] if len(found) > 1 else []
    told = [(title, one) for title, one in found.items() if one.gain >= GAIN and one.turned is not None]
    if told:
        ways = "; ".join(f"{within(title)} {probability(one.turned)}, {_way(one)}" for title, one in told)
        said.append(f"With the first time's pieces in reverse order they get from {ways}.")
    return said


def _each_gain(found):
    return "; ".join(
        f"{title} {counted(one.pieces, 'piece')}, {probability(one.before)} → {probability(one.after)}"
        for title, one in found.items()
    )


def _way(one):
    """Whether the gain needs the pieces' order."""
    if one.turned - one.before < one.gain / 2:
        return "so most of the gain needs them in their order"
    return "so most of the gain does not need them in their order"


def curves(names, pieces, given, starts, length, dark=False):
    """Every token's probability under each model -> (figure, columns).

    names: all that are compared, by whose order the curves look; given: {name: probabilities}, of some.
    """
    traces = [_curve(place, n, given[n], pieces, dark) for place, n in enumerate(names) if n in given]
    spans = [_span(start, length, dark) for start in starts]
    y = {"title": "probability, %", "range": [0, 102]}
    margin = {"l": 8, "r": 8, "t": 8, "b": 110}  # given, since finding it takes the browser seconds
    made = plots.chart(traces, _token_axis(pieces), y, dark, shapes=spans, margin=margin)
    columns = {"token": list(pieces[1:]), **{families.title(n): p.tolist() for n, p in given.items()}}
    return made, columns


def _curve(place, name, p, pieces, dark):
    """One model's line; its look goes by its place among those that are compared."""
    line = plots.look(place, dark)["line"]
    title = plots.escape(families.title(name))
    return {
        "x": list(range(1, len(pieces))),
        "y": 100 * p,
        "name": title,
        "type": "scatter",
        "mode": "lines+markers",
        "marker": {"size": 5},
        "line": {**line, "width": 2},
        "text": [plots.escape(piece) for piece in pieces[1:]],
        "customdata": [probability(one) for one in p],
        "hovertemplate": "%{text}: %{customdata}<extra>" + title + "</extra>",
    }


def _span(start, length, dark):
    """The grey ground below a run that comes again."""
    across = {"x0": start - 0.5, "x1": start + length - 0.5, "y0": 0, "y1": 1, "yref": "paper"}
    shade = {"fillcolor": plots.colour("quiet", dark), "opacity": 0.2, "layer": "below", "line": {"width": 0}}
    return {"type": "rect", **across, **shade}


def _token_axis(pieces):
    """The axis of tokens, named as far as there is room."""
    places = list(range(1, len(pieces)))
    shown = places[:: math.ceil(len(places) / MOST_LABELS)]
    names = {"tickvals": shown, "ticktext": [plots.escape(pieces[place]) for place in shown]}
    look = {"tickmode": "array", "tickangle": -90, "automargin": False, "range": [0, len(pieces)]}
    return {"title": "token", **names, **look}


def left_out(why):
    """Which models the text is not read with.  why: {name: reason}."""
    reasons = dict.fromkeys(why.values())
    listed = "; ".join(
        f"{', '.join(families.title(name) for name in why if why[name] == reason)} ({reason})"
        for reason in reasons
    )
    return f"Not compared here: {listed}." if why else ""


def cause(scores, without=None):
    """What the scores of all heads say; without: those with the best previous-token head switched off."""
    before, after = scores.best("previous"), scores.best("induction")
    strongest = float(scores.induction[after])
    said = [
        f"Most attention to the token just before is given by {called([before])}: "
        f"{percent(float(scores.previous[before]))}.",
        f"Most attention to the token that followed the last time is given by {called([after])}: "
        f"{percent(strongest)}.",
    ]
    if strongest < SEEN:
        said.append(f"No head here gives it {percent(SEEN)} or more, so none is called an induction head.")
    elif without is not None and before[0] < after[0]:
        left = float(without.induction[after])
        said.append(
            "The first stands in an earlier block, so the second can read what it wrote. Switch the first "
            f"off, and the second gives {percent(left)}"
        )
        said[-1] += (
            ": it needs what the first one writes."
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
