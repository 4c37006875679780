"""The sentences about the logit lens, chosen and filled in by what was measured."""

import numpy as np

from engine.lens import settles
from views.numbers import counted, form, percent, probability, whole

LEVEL = 0.01  # a difference in confidence below this is not called a step


def cut(model, ids, lost):
    """What is said when a text was too long: how long, the limit, and the words it stops at."""
    end = model.tokenizer.decode(ids[-8:]).strip()
    total, limit = whole(len(ids) + lost), whole(len(ids))
    marker = " with the document marker" if model.tokenizer.marks else ""
    here = " here" if model.context < model.architecture.context else ""
    return (
        f"The text has {total} tokens{marker}; {model.title} reads {limit}{here}. "
        f"It is cut after “… {end}”: the last {counted(lost, 'token')} {form(lost, 'is', 'are')} not shown."
    )


def repeats(lens, ids, tuned=False, tied=True):
    """How often the embedding row says its own token.

    tuned: read through the tuned lens; tied: the output matrix is the embedding matrix.
    """
    T = len(ids)
    same = int((lens.ids[0, :, 0] == ids).sum())
    found = f"The embedding row repeats its own token in {whole(same)} of {counted(T, 'column')}"
    if tuned:
        return (
            f"{found}: the tuned lens's map was trained to turn the row from what stands here to what comes "
            "next."
        )
    if not tied:
        return f"{found}: the output matrix is another than the embedding matrix."
    if 2 * same > T:
        there = "there" if same < T else "in all of them"
        return (
            f"{found}: the output matrix is the embedding matrix, and {there} a token's own row fits its "
            "vector best."
        )
    return (
        f"{found} only, although the output matrix is the embedding matrix: the final norm's gains turn the "
        "vectors, and a longer row of the matrix may fit one better than its own."
    )


def answers(lens, names):
    """In how many columns the output is right, and the row from which on most of these were."""
    columns = len(lens.next_ids) - 1
    if not columns:
        return "No token follows here, so there is nothing to be right about: type some text."
    first = settles(lens)[:-1]
    found = first[first < len(names)]
    if not len(found):
        return (
            f"{counted(columns, 'column has', 'columns have')} a next token, and nowhere is it the output's "
            "top candidate."
        )
    row = np.bincount(found).argmax()
    return (
        f"In {whole(len(found))} of {counted(columns, 'column')} the output's top candidate is the real next "
        f"token; in {whole(int((found == row).sum()))} of these it is on top to stay from the row "
        f"“{names[row]}” on."
    )


def steps(measured, names, where):
    """What confidence does on its way up.

    measured (3, R): by row the mean probability of the top candidate, how often it is right, and how
    often it is the token that stands there.  A row that mostly repeats its token predicts nothing, so that
    its confidence is not compared.
    """
    top, right, own = measured
    last, start = len(names) - 1, f"Over {where}, the top candidate's mean probability"
    after = f"{probability(top[-1])} in the output, where it is right in {percent(right[-1])}"
    rows = [row for row in range(last) if own[row] <= 0.5]
    if not rows:
        return f"{start} is {after}. In every row before, it mostly repeats the token that stands there."
    best = max(rows, key=top.__getitem__)
    sure, sound = probability(top[best]), percent(right[best])
    before = f"{sure} in the row “{names[best]}”, where it is right in {sound}"
    if abs(top[best] - top[last]) <= LEVEL:
        said = f"{start} is about as high before the end, {before}, as at the end: {after}."
    elif top[best] > top[last]:
        said = f"{start} reaches {before}, and steps back to {after}: only the output is graded."
    else:
        said = f"{start} is highest at the end: {after}. Before, it comes to {before}."
    return said + _echoing([names[row] for row in range(last) if row not in rows])


def _echoing(names):
    """The rows that were left out of the comparison, and why."""
    if not names:
        return ""
    named = ", ".join(f"“{name}”" for name in names)
    return (
        f" Left out here {form(len(names), 'is the row', 'are the rows')} {named}: mostly the token that "
        "stands there is on top, which is no prediction."
    )


def kept(draw, top_k, top_p, temperature):
    """What each cut kept and dropped before a draw (engine.sampling.Draw), over the whole vocabulary."""
    from engine.sampling import BY_TOP_K, BY_TOP_P, KEPT

    V = len(draw.ids)
    if temperature < 1e-6:
        return f"Temperature 0 keeps the likeliest token alone and drops the other {whole(V - 1)}."
    words = []
    by_k, by_p = draw.fate != BY_TOP_K, draw.fate == KEPT
    if top_k is not None and not by_k.all():
        what = f"Top-k keeps {whole(int(by_k.sum()))} of {whole(V)} tokens"
        words.append(_held(what, draw.tempered[by_k], (~by_k).sum()))
    dropped = (draw.fate == BY_TOP_P).sum()
    if dropped:
        among = "of these" if words else f"of {whole(V)}"
        what = f"Top-p {top_p:g} keeps the {whole(int(by_p.sum()))} likeliest {among}"
        words.append(_held(what, draw.tempered[by_p], dropped))
    if not words:
        return f"Nothing is dropped: each of the {whole(V)} tokens keeps its probability."
    return " ".join(words)


def _held(what, kept, dropped):
    """What a cut keeps, what that holds of the whole probability, and how many it drops."""
    hold = form(len(kept), "holds", "hold")
    return f"{what}, which {hold} {probability(kept.sum())}, and drops {whole(int(dropped))}."
