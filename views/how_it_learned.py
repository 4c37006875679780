"""How a model learned: its stages as curves on one axis, and what the curves say, in words.

S stages · L blocks · H heads
"""

from html import escape

import numpy as np

from engine import heads
from engine.stages import shared
from views import plots
from views.numbers import counted, figure, percent, probability, short, whole

LEAST = 0.05  # a rise of a share by less is called none
BACK = 0.005  # nats a token: a rise of the loss by less is not told of
TIMES = 5  # what a head's attention to a place has to be of even attention, to be named after it
KINDS = {"previous": "previous-token", "induction": "induction"}
ARTICLES = {"previous": "a", "induction": "an"}


def seen(tokens):
    """How many tokens were read, as the slider names a stage: 2.4 M, 11 M, 650.11 k."""
    number, _, unit = short(int(tokens)).partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}".strip()


def title(stages, model):
    """Which training this is: the one that made the weights, or another."""
    if stages.about["weights"] == model.checksum:
        return "the training that made these weights"
    return f"another training, seed {stages.about['seed']}, {seen(stages.tokens[-1])} tokens"


def title_of(stages):
    """A training by its seed and length."""
    return f"the training with seed {stages.about['seed']} and {seen(stages.tokens[-1])} tokens"


def steepest(values):
    """Where values rise most from a stage to the next -> the earlier one's number, or None if never."""
    rises = np.diff(np.asarray(values, dtype=float))
    return int(rises.argmax()) if len(rises) and rises.max() > 0 else None


def tied(values):
    """Whether values rise most in more than one stretch."""
    rises = np.diff(np.asarray(values, dtype=float))
    return np.count_nonzero(rises == rises.max()) > 1


def strongest(stages, kind):
    """The highest score of any head at every stage, (S,)."""
    return getattr(stages, kind).max((1, 2))


def between(stages, place):
    """The stretch from one stage to the next, in words."""
    ends = [int(n) for n in stages.tokens[place : place + 2]]
    names = [seen(n) for n in ends]
    if names[0] == names[1]:  # too near for the short way of writing
        names = [whole(n) for n in ends]
    return f"between {names[0]} and {names[1]} tokens"


def where(stages, values, place):
    """The stretch where values rise most; of several that are alike the first, and that there are more."""
    several = "in several stretches alike, first " if tied(values) else ""
    return several + between(stages, place)


def here(stages, stage):
    """What the model can do at one stage."""
    strong = " ".join(named(stages, kind, stage) for kind in KINDS)
    tokens = int(stages.tokens[stage])
    return (
        f"After {counted(tokens, 'token')} it needs {figure(float(stages.held_out[stage]))} "
        f"nats a token on held-out stories, and gives the later pieces of a made-up name "
        f"{probability(float(stages.first[stage]))} at its first mention and "
        f"{probability(float(stages.second[stage]))} at its second. {strong}"
    )


def named(stages, kind, stage):
    """The strongest head of a kind at a stage, if it gives far more attention there than evenly."""
    score, name = float(strongest(stages, kind)[stage]), KINDS[kind]
    if score < TIMES * heads.even():
        most, even = percent(score), percent(heads.even())
        return (
            f"No head is {ARTICLES[kind]} {name} head: the highest score is {most}, and even attention would "
            f"give {even}."
        )
    return f"Its strongest {name} head is {place(stages, kind, stage)}."


def place(stages, kind, stage):
    """A head's place and score: "block 3, head 2 (28 %)", both counted from 1."""
    block, head = stages.strongest(kind, stage)
    score = float(getattr(stages, kind)[stage, block, head])
    return f"block {block + 1}, head {head + 1} ({percent(score)})"


def sentences(stages):
    """What to notice, true for any stages -> a list."""
    if len(stages) < 2:
        return ["One stage was kept, so nothing can be said of how anything rose or fell."]
    every = (copying(stages), order(stages), loss_there(stages), loss_rises(stages), nearest(stages))
    return [*filter(None, every)]


def risen(values):
    """The stretch in which a share rises most, or None when it never rises by as much as LEAST in all."""
    values = np.asarray(values, dtype=float)
    most = (values - np.minimum.accumulate(values)).max()
    return steepest(values) if most >= LEAST else None


def copying(stages):
    """Where copying appears, if it does, and whether it stays."""
    first, second, at = stages.first, stages.second, risen(stages.second)
    if at is None:
        return (
            f"Copying a made-up name does not rise by {100 * LEAST:.0f} percentage points: at its second "
            f"mention its later pieces get {probability(float(second.max()))} at most."
        )
    low, high = (probability(float(second[at + step])) for step in (0, 1))
    said = f"Copying a made-up name rises most {where(stages, second, at)}: from {low} to {high}"
    if first[at + 1] > second[at + 1] / 2:
        once = probability(float(first[at + 1]))
        said += f"; but the first mention, where there is nothing to copy, gets {once} by then"
    top = int(second.argmax())
    if second[top] - second[-1] >= LEAST:
        fallen = probability(float(second[-1]))
        highest = f"{probability(float(second[top]))} after {seen(stages.tokens[top])}"
        said += f". It falls again: from {highest} to {fallen} at the last stage"
    return f"{said}."


def order(stages):
    """Whether the induction score rises before, with or after copying."""
    scores, copied = strongest(stages, "induction"), risen(stages.second)
    at = risen(scores)
    if at is None:
        return (
            f"No induction score rises by {100 * LEAST:.0f} percentage points: the highest at any stage is "
            f"{percent(float(scores.max()))}."
        )
    low, high = (percent(float(score)) for score in scores[at : at + 2])
    said = f"The strongest induction score rises most {where(stages, scores, at)}, from {low} to {high}"
    if copied is None:
        return f"{said}, without copying."
    if not (tied(scores) or tied(stages.second)):
        said += (
            f": {'in the same stretch' if at == copied else 'before that' if at < copied else 'after that'}"
        )
    if at != copied:
        there = (percent(float(score)) for score in scores[copied : copied + 2])
        said += f"; where copying rises most, it goes from {' to '.join(there)}"
    return f"{said}. At the last stage the strongest is {place(stages, 'induction', -1)}."


def loss_there(stages):
    """What the held-out loss did where copying, or else the loss itself, moved most."""
    loss, at = stages.held_out, risen(stages.second)
    if at is None:
        at = steepest(-loss)
        if at is None:
            return "The held-out loss never falls from one stage to the next."
        return f"The held-out loss falls most {where(stages, -loss, at)}: {_from_to(loss, at)}."
    moved = "fell" if loss[at + 1] < loss[at] else "rose" if loss[at + 1] > loss[at] else "stayed"
    there = "In the first of those stretches" if tied(stages.second) else "In the stretch of copying"
    return f"{there} the held-out loss {moved}: {_from_to(loss, at)}."


def loss_rises(stages):
    """Where the held-out loss rises, if it does, and whether the training was taken up anew there."""
    loss, at = stages.held_out, steepest(stages.held_out)
    if at is None or loss[at + 1] - loss[at] < BACK:
        return ""
    rises = np.diff(loss)
    many = int(np.count_nonzero(rises >= BACK))
    said = f"The held-out loss rises most {where(stages, loss, at)}, {_from_to(loss, at)}"
    if at in stages.taken_up:
        said += ", where the training was taken up under another command"
    if many > 1 and not tied(loss):
        said += f"; in {many - 1} more of {counted(len(rises), 'stretch', 'stretches')} by less"
    return f"{said}."


def _from_to(values, at):
    return f"from {values[at]:.3f} to {values[at + 1]:.3f} nats a token"


def nearest(stages):
    """When the output is nearest to what can be counted in the corpus: single tokens, and pairs of them."""
    at, then = int(stages.unigram.argmin()), int(stages.bigram.argmin())
    said = (
        f"Nearest to how often each token comes at all the output is after {seen(stages.tokens[at])} tokens "
        f"({stages.unigram[at]:.2f} nats of KL divergence), nearest to which token follows which after "
        f"{seen(stages.tokens[then])} ({stages.bigram[then]:.2f} nats)"
    )
    if then == len(stages) - 1:
        return f"{said}, at the last stage."
    return f"{said}; at the last stage it is {stages.bigram[-1]:.2f} nats from those pairs."


def compared(stages, other):
    """Two trainings of the same settings: where the strongest heads sit, and when copying appears."""
    both = shared(stages, other)
    if both > 1:
        last = seen(stages.tokens[both - 1])
        return f"Up to {last} tokens its stages are those of {title_of(other)}: both began as one training."
    said = []
    for kind, name in KINDS.items():
        mine, theirs = (one.strongest(kind) for one in (stages, other))
        same = "in the same place" if mine == theirs else f"elsewhere, {place(other, kind, -1)}"
        if all(strongest(one, kind)[-1] >= TIMES * heads.even() for one in (stages, other)):
            said.append(
                f"the strongest {name} head, {place(stages, kind, -1)} here, sits {same} in the other"
            )
    at, then = (risen(one.second) for one in (stages, other))
    if at is not None and then is not None:
        mine, theirs = where(stages, stages.second, at), where(other, other.second, then)
        said.append(f"copying rises most {mine} here and {theirs} there")
    return f"Beside {title_of(other)}: {'; '.join(said)}." if said else ""


def axis(stages):
    """Where each stage stands on a logarithmic axis: 0 tokens, which have no logarithm, left of the first."""
    tokens = np.asarray(stages.tokens, dtype=float)
    first = tokens[tokens > 0].min() if (tokens > 0).any() else 1.0
    return np.where(tokens > 0, tokens, first / 3)


def curves(stages, stage, dark=False):
    """Loss, copying and the strongest heads over the tokens read, with a mark at a stage: a Plotly figure."""
    x, labels = axis(stages).tolist(), [f"{whole(int(n))} tokens" for n in stages.tokens]
    lines = (
        ("y", stages.held_out, "held-out loss", "embedding", "solid", figure),
        ("y", stages.own, "loss on our own texts", "embedding", "dot", figure),
        ("y", stages.unigram, "KL to single tokens", "quiet", "dot", figure),
        ("y", stages.bigram, "KL to pairs of tokens", "quiet", "dash", figure),
        ("y2", stages.second, "new name, second mention", "feed-forward", "solid", probability),
        ("y2", stages.first, "new name, first mention", "feed-forward", "dot", probability),
        ("y3", strongest(stages, "induction"), "strongest induction head", "attention", "solid", percent),
        ("y3", strongest(stages, "previous"), "strongest previous-token head", "norm", "dash", percent),
    )
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "marker": {"size": 5},
            "x": x,
            "y": values.tolist(),
            "yaxis": y,
            "name": name,
            "line": {"color": plots.colour(mark, dark), "dash": dash},
            "customdata": [f"{label}: {write(float(v))}" for label, v in zip(labels, values, strict=True)],
            "hovertemplate": f"%{{customdata}}<extra>{name}</extra>",
        }
        for y, values, name, mark, dash, write in lines
    ]
    share = {"range": [-0.03, 1.03], "tickformat": ".0%", "color": plots.colour("norm", dark)}
    still = {"zeroline": False, "fixedrange": True, "automargin": True}
    bottom = {"title": "tokens read (logarithmic)", "type": "log", "anchor": "y3", **_ticks(stages)}
    return plots.chart(
        traces, bottom, {"title": "nats a token", "domain": [0.69, 1]}, dark, height=620,
        yaxis2={**share, **still, "title": "copying", "domain": [0.35, 0.64]},
        yaxis3={**share, **still, "title": "attention", "domain": [0, 0.3]},
        shapes=[{
            "type": "line", "x0": x[stage], "x1": x[stage], "yref": "paper", "y0": 0, "y1": 1,
            "line": {"color": plots.colour("accent", dark), "width": 2},
        }],
    )  # fmt: skip


def _ticks(stages):
    """The axis's ticks: 0 where it stands, then powers of ten."""
    tokens, places = stages.tokens, axis(stages)
    powers = [10.0**n for n in range(3, 12) if places.min() < 10.0**n <= tokens.max()]
    start = [(float(places[0]), "0")] if tokens[0] == 0 else []
    ticks = [*start, *((power, seen(power)) for power in powers)]
    return {"tickvals": [at for at, _ in ticks], "ticktext": [text for _, text in ticks]}


def columns(stages):
    """Every figure of every stage that is one number or one a head, as a table."""
    made = {"tokens": stages.tokens.tolist()}
    names = {
        "held_out": "held-out nats",
        "own": "our texts, nats",
        "first": "name, first mention",
        "second": "name, second mention",
        "unigram": "KL to single tokens, nats",
        "bigram": "KL to pairs, nats",
    }
    made |= {heading: getattr(stages, name).tolist() for name, heading in names.items()}
    made |= {
        f"stream after row {r}, rms": stages.stream[:, r].tolist() for r in range(stages.stream.shape[1])
    }
    made |= {f"gates nearly shut, block {b}": s.tolist() for b, s in enumerate(stages.shut.T, start=1)}
    for kind in KINDS:
        for b, h in np.ndindex(getattr(stages, kind).shape[1:]):
            made[f"{KINDS[kind]}, block {b + 1} head {h + 1}"] = getattr(stages, kind)[:, b, h].tolist()
    bins = zip(stages.about["positions"], stages.by_position.T, strict=True)
    return made | {f"nats from place {first} on": values.tolist() for first, values in bins}


def written(text, more, ended):
    """A text and what the model writes after it, as HTML; ended: whether it closed the story there."""
    end = " <small>(the end)</small>" if ended else ""
    shown = escape(more) or "<small>nothing: it ends here</small>"
    return (
        '<p class="wrote" style="white-space: pre-wrap; overflow-wrap: anywhere; min-height: 9rem">'
        f'{escape(text)}<b style="color: var(--mark-accent)">{shown}</b>{end}</p>'
    )


def measured_when(stages):
    """That the figures were measured beforehand, and how often."""
    last = counted(int(stages.tokens[-1]), "token")
    return f"Measured while training, {counted(len(stages), 'time')}, the last after {last}."


def made_how(stages):
    """On what, and with how much work; the commands themselves are stages.commands."""
    about = stages.about
    stories = counted(about["held_out_documents"], "held-out story", "held-out stories")
    return (
        f"At each stage the model read the same texts: {stories} of the corpus, our own texts, 40 made-up "
        "names in 5 openings, and for the heads random pieces that come twice. Measuring took "
        f"{figure(about['measuring_seconds'] / 60, 2)} minutes of computing in all. The commands:"
    )
