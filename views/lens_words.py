"""The sentences about the logit lens, chosen and filled in by what was measured."""

import numpy as np

from engine.lens import settles
from views.numbers import percent, probability, whole

LEVEL = 0.01  # a difference in confidence below this is not called a step


def cut(model, ids, lost):
    """What is said when a text was too long: how long, the limit, and the words it stops at."""
    end = model.tokenizer.decode(ids[-8:]).strip()
    total, limit = whole(len(ids) + lost), whole(len(ids))
    return (
        f"The text has {total} tokens with the document marker; {model.title} reads {limit}. "
        f"It is cut after “… {end}”: the last {whole(lost)} are not shown."
    )


def repeats(lens, ids, tuned=False):
    """How often the embedding row says its own token; tuned: read through the tuned lens."""
    T = len(ids)
    same = int((lens.ids[0, :, 0] == ids).sum())
    if tuned:
        return (
            f"The embedding row repeats its own token in {same} of {T} columns: the tuned lens's map was "
            "trained to turn the row from what stands here to what comes next."
        )
    if 2 * same > T:
        return (
            f"The embedding row repeats its own token in {same} of {T} columns: the output matrix is the "
            "embedding matrix, so a token's vector fits itself best."
        )
    return (
        f"The embedding row repeats its own token in only {same} of {T} columns, although the output matrix "
        "is the embedding matrix: the final norm's gains turn the vectors, and a longer row of the matrix "
        "may fit one better than its own."
    )


def answers(lens, names):
    """In how many columns the output is right, and the row from which on most of these were."""
    columns = len(lens.next_ids) - 1
    if not columns:
        return "No token follows here, so there is nothing to be right about: type some text."
    first = settles(lens)[:-1]
    found = first[first < len(names)]
    if not len(found):
        return f"In none of the {columns} columns with a next token is it the output's top candidate."
    row = np.bincount(found).argmax()
    return (
        f"In {len(found)} of {columns} columns the output's top candidate is the real next token; "
        f"in {int((found == row).sum())} of these it is on top to stay from the row “{names[row]}” on."
    )


def steps(confidence, names, where):
    """What confidence does on its way up.  confidence (2, R): as engine.lens.confidence gives it."""
    top, right = confidence
    last, after = (
        len(names) - 1,
        f"{probability(top[-1])} in the output, where it is right in {percent(right[-1])}",
    )
    if last == 1:
        return f"Over {where}, the top candidate has {probability(top[0])} at the embedding and {after}."
    best = int(top[1:].argmax()) + 1
    if top[best] - top[last] > LEVEL:
        return (
            f"Over {where}, the top candidate's mean probability reaches {probability(top[best])} in the row "
            f"“{names[best]}” and steps back to {after}: only the output is graded, so the rows before it "
            "may be surer than they are right."
        )
    if top[last] - top[last - 1] > LEVEL:
        return (
            f"Over {where}, the top candidate's mean probability does not step back at the end: it goes from "
            f"{probability(top[last - 1])} in the row before to {after}."
        )
    return (
        f"Over {where}, the top candidate's mean probability is level at the end: "
        f"{probability(top[last - 1])} in the row before and {after}."
    )


def kept(draw, top_k, top_p, temperature):
    """What each cut kept and dropped before a draw (engine.sampling.Draw), over the whole vocabulary."""
    from engine.sampling import BY_TOP_K, BY_TOP_P, KEPT

    V = len(draw.ids)
    if temperature == 0:
        return f"Temperature 0 keeps the likeliest token alone and drops the other {whole(V - 1)}."
    words = []
    by_k = draw.fate != BY_TOP_K
    if top_k is not None and not by_k.all():
        words.append(
            f"Top-k keeps {whole(int(by_k.sum()))} of {whole(V)} tokens, which hold "
            f"{probability(draw.tempered[by_k].sum())}, and drops {whole(int((~by_k).sum()))}."
        )
    dropped, left = draw.fate == BY_TOP_P, draw.fate == KEPT
    if dropped.any():
        among = "of these" if words else f"of {whole(V)}"
        words.append(
            f"Top-p {top_p:g} keeps the {whole(int(left.sum()))} likeliest {among}, which hold "
            f"{probability(draw.tempered[left].sum())}, and drops {whole(int(dropped.sum()))}."
        )
    if not words:
        return f"Nothing is dropped: any of the {whole(V)} tokens may be drawn."
    return " ".join(words)
