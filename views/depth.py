"""What the page on depth shows: three models on one text, and the heads that make the difference."""

import math
import random

import numpy as np

from engine import presets
from views import plots
from views.numbers import counted, figure, percent, perplexity_of, probability

COLOURS = {"gpt-1": "norm", "gpt-4": "embedding", "sprout": "accent"}
DASHES = {"gpt-1": "dot", "gpt-4": "dash", "sprout": "solid"}
MOST_LABELS = 48  # on the axis of the curves
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
    said = f"**{presets.TITLES[name]}**, {counted(blocks, 'block')}: "
    if probabilities is None:
        return said + "not read yet"
    nats, _ = worth(probabilities)
    return f"{said}loss {nats:.2f} nats a token, perplexity {perplexity_of(nats)}"


def sentences(given, starts, length, run):
    """First against later times, for every model.  given: {name: probabilities}; run: the run as Markdown."""
    if not starts:
        return ["No two tokens in a row come twice in this text: write a name that does, or invent one."]
    first, later = mentions(starts, length)
    times = "twice" if len(starts) == 2 else f"{len(starts)} times"
    said = [f"The longest run of tokens that comes again is {run}, {times}. Its pieces after the first get,"]
    parts = [
        f"from {presets.TITLES[name]} {probability(mean(p, first))} the first time and "
        f"{probability(mean(p, later))} when it comes back"
        for name, p in given.items()
    ]
    said.append("; ".join(parts) + ".")
    gains = {name: mean(p, later) - mean(p, first) for name, p in given.items()}
    best = max(gains, key=gains.get)
    if gains[best] >= 0.2:
        said.append(f"{presets.TITLES[best]} copies it best: it looks up what followed the last time.")
    else:
        said.append("None of them copies it well.")
    return said


def curves(pieces, given, starts, length, dark=False):
    """Every token's probability under each model -> (figure, columns)."""
    places = list(range(1, len(pieces)))
    traces = [
        {
            "x": places, "y": 100 * p, "name": presets.TITLES[name], "type": "scatter",
            "mode": "lines+markers", "marker": {"size": 5},
            "line": {"color": plots.colour(COLOURS[name], dark), "width": 2, "dash": DASHES[name]},
            "text": [plots.escape(piece) for piece in pieces[1:]],
            "customdata": [probability(one) for one in p],
            "hovertemplate": "%{text}: %{customdata}<extra>" + presets.TITLES[name] + "</extra>",
        }
        for name, p in given.items()
    ]  # fmt: skip
    grey = plots.colour("quiet", dark)
    spans = [
        {
            "type": "rect", "x0": start - 0.5, "x1": start + length - 0.5, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"width": 0}, "fillcolor": grey, "opacity": 0.2, "layer": "below",
        }
        for start in starts
    ]  # fmt: skip
    shown = places[:: math.ceil(len(places) / MOST_LABELS)]
    x = {
        "title": "token", "tickmode": "array", "tickvals": shown, "tickangle": -90, "automargin": False,
        "ticktext": [plots.escape(pieces[place]) for place in shown], "range": [0, len(pieces)],
    }  # fmt: skip
    y = {"title": "probability, %", "range": [0, 102]}
    margin = {"l": 8, "r": 8, "t": 8, "b": 110}  # given, since finding it takes the browser seconds
    made = plots.chart(traces, x, y, dark, shapes=spans, margin=margin)
    columns = {"token": list(pieces[1:]), **{presets.TITLES[n]: p.tolist() for n, p in given.items()}}
    return made, columns


def cause(scores):
    """What the scores of all heads say."""
    said = []
    for name, what in (
        ("previous", "Most attention to the token just before is given by"),
        ("induction", "Most attention to the token that followed the last time is given by"),
    ):
        block, head = scores.best(name)
        value = float(getattr(scores, name)[block, head])
        said.append(f"{what} head {head + 1} of block {block + 1}: {percent(value)}.")
    (before, _), (after, _) = scores.best("previous"), scores.best("induction")
    strongest = float(scores.induction.max())
    if strongest < SEEN:
        said.append("No head here has become an induction head.")
    elif before < after:
        said.append(
            "The first tells every token what stood before it; the second, in a later block, can then look "
            "for the place that followed its own token the last time. It takes two blocks."
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


def switched_off(scores, chosen, draw=0):
    """Which heads the proof switches off -> {what the row is called: [(block, head)]}."""
    other, specialists = another_head(scores, chosen, draw), induction_heads(scores)
    rows = {"as trained": [], f"without {called([chosen])}": [chosen]}
    if other != chosen:
        rows[f"without {called([other])}, drawn at random"] = [other]
    if len(specialists) > 1:
        title = f"without all {len(specialists)} heads that score {percent(SEEN)} or more for induction"
        rows[title] = specialists
    return rows


def lost(given, later):
    """A row of the proof: what the later pieces get, loss and perplexity; dashes before it is read."""
    if given is None:
        return "–", "–", "–"
    nats, perplexity = worth(given)
    return probability(mean(given, later)), f"{nats:.3f}", figure(perplexity)


def proven(given, tries, later):
    """What switching heads off did to the later pieces.  given: {try: probabilities}, all of them;
    tries: {what the row is called: try}, in the order of switched_off()."""
    kept = {title: mean(given[one], later) for title, one in tries.items()}
    base = kept.pop("as trained")
    said = [f"As trained, the pieces get {probability(base)} when they come back"]
    said += [f"{title}: {probability(p)}" for title, p in kept.items()]
    alone, *others = (base - p for p in kept.values())
    if base < SEEN:
        verdict = "there is little here to lose."
    elif alone >= SEEN and all(lost < alone / 4 for lost in others[:1]):
        verdict = "so the copying is this head's work, and not just any head's."
    elif alone < SEEN and others[1:] and others[1] >= SEEN:
        verdict = "so one alone is not missed, since others do the same work."
    elif alone < SEEN:
        verdict = "so this head alone is not needed for it."
    else:
        verdict = "so the head drawn at random is missed too."
    return "; ".join(said) + "; " + verdict


def another_head(scores, chosen, draw=0):
    """A head drawn at random, the same for the same chosen one and draw; no specialist, if there is one."""
    L, H = scores.induction.shape
    others = [(b, h) for b in range(L) for h in range(H) if (b, h) != chosen]
    plain = [one for one in others if scores.induction[one] < SEEN and scores.previous[one] < SEEN]
    return random.Random(f"{chosen}{draw or ''}").choice(plain or others)


def called(heads):
    """Heads in words: head 2 of block 3."""
    return ", ".join(f"head {h + 1} of block {b + 1}" for b, h in heads)
