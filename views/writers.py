"""Who wrote a score, in words: every sentence is made from what was measured, or left out."""

import numpy as np

from views import plots
from views.numbers import figure, form, whole
from views.waterfall import signed

LISTED = 5  # tokens that an addition pushes up, and down, most
CARRIES = 0.25  # the share of a score that is lost without a part which carries it
SILENT = 0.1  # what it writes of this itself, at most
AHEAD = 1.5  # how many times as much is lost as without the next such part


def called(part):
    """A part's id in a sentence: "a3.2" -> "head 2 of block 3"."""
    kind, (block, _, one) = part[0], part[1:].partition(".")
    if one:
        return f"{'head' if kind == 'a' else 'unit'} {one} of block {block}"
    return f"the {'attention' if kind == 'a' else 'feed-forward layer'} of block {block}"


def begun(words):
    """The same at a sentence's beginning."""
    return words[0].upper() + words[1:]


def asked(candidate, after, against, row_name, vocabulary):
    """What the figure shows, in words.  candidate, after, against: tokens as they are shown, or None."""
    zero = (
        f"above the mean over all {whole(vocabulary)} tokens"
        if against is None
        else f"above that of {against}"
    )
    return f"The score of {candidate} after {after}, {zero}, read {row_name}"


def sums(direct):
    """That the parts sum to the score, and how exactly."""
    off = abs(direct.total - direct.score)
    apart = "they are equal" if off == 0 else f"they differ by {figure(off, 2)}"
    said = f"All parts sum to **{direct.total:,.6f}**; the score itself is **{direct.score:,.6f}**: {apart}."
    return said.replace("-", "−")


def means(direct, against, at_output):
    """What a difference of two scores is as a ratio of probabilities.  against: the other token, shown."""
    if against is None:
        return ""
    size = abs(direct.score)
    ratio = figure(float(np.exp(size))) if size < 700 else "more than 10³⁰⁰"
    more = "likely" if at_output else "likely, as this row is read,"
    if size < 0.005:
        return f"The two are about equally {more} here."
    which = "" if direct.score > 0 else f": {against} is ahead"
    return f"e to the power of {size:,.2f} is {ratio}: so many times as {more} is one as the other{which}."


def largest(direct):
    """The part that wrote most, and of it the head or unit; "" where none stands out or none is above 0."""
    parts = {f"a{b + 1}": float(x) for b, x in enumerate(direct.attention)}
    parts |= {f"f{b + 1}": float(x) for b, x in enumerate(direct.feed_forward)}
    found = _alone(parts)
    if found is None:
        return ""
    own = _own(direct, found)
    most = _alone(own)
    of_it = f", {called(most).partition(' of ')[0]} alone {signed(own[most])}" if most else ""
    return f"{begun(called(found))} wrote most: {signed(parts[found])}{of_it}."


def _alone(parts):
    """The name of the largest, if it is above 0 and no other is as large as it is written."""
    order = sorted(parts, key=parts.get, reverse=True)
    if not order or signed(parts[order[0]])[0] != "+":
        return None
    tied = len(order) > 1 and signed(parts[order[1]]) == signed(parts[order[0]])
    return None if tied else order[0]


def _own(direct, part):
    """A part's heads or units: {id: share}."""
    block = int(part[1:]) - 1
    shares = direct.heads if part[0] == "a" else direct.units
    return (
        {}
        if shares is None
        else {f"{part}.{i + (part[0] == 'a')}": float(x) for i, x in enumerate(shares[block])}
    )


def heads_of(direct, lost):
    """{id: (wrote, lost)} of every head whose loss is known.  lost: {block: (H + 2,)}."""
    return {
        f"a{block + 1}.{h + 1}": (float(direct.heads[block, h]), float(found[h + 1]))
        for block, found in sorted(lost.items())
        for h in range(len(found) - 2)
    }


def layers_of(direct, lost):
    """The same for attention and feed-forward layers."""
    found = {}
    for block, one in sorted(lost.items()):
        found[f"a{block + 1}"] = float(direct.attention[block]), float(one[0])
        found[f"f{block + 1}"] = float(direct.feed_forward[block]), float(one[-1])
    return found


def carrier(direct, lost):
    """The head that writes next to nothing of a score and yet carries it, or None where none stands out.

    lost: {block: (H + 2,)} of all blocks that have written.
    """
    score = direct.score
    silent = {
        part: loss
        for part, (wrote, loss) in heads_of(direct, lost).items()
        if loss >= CARRIES * score and abs(wrote) <= SILENT * loss
    }
    order = sorted(silent, key=silent.get, reverse=True)
    if score <= 0 or not order or len(lost) < len(direct.attention):
        return None
    ahead = len(order) < 2 or silent[order[0]] >= AHEAD * silent[order[1]]
    return order[0] if ahead else None


def carries(direct, lost, part):
    """The sentence on the carrier."""
    wrote, loss = heads_of(direct, lost)[part]
    of_it = f"{signed(loss).removeprefix('+')} of {direct.score:,.2f} is lost"
    return (
        f"**{begun(called(part))} writes next to nothing of it ({signed(wrote)}), yet without it {of_it}**: "
        "its effect goes through what comes after it."
    )


def agree(direct, lost):
    """How what heads write and what is lost without them go together, or "" for too few heads."""
    pairs = np.array(list(heads_of(direct, lost).values()))
    if len(lost) < len(direct.attention) or len(pairs) < 2:
        return ""
    near = int((np.abs(pairs[:, 0] - pairs[:, 1]) < 0.1 * max(abs(direct.score), 0.05)).sum())
    which = "all" if near == len(pairs) else f"{near or 'none'} of"
    said = f"For {which} {len(pairs)} heads the two figures lie within a tenth of the score of one another"
    if 0 < near < len(pairs):
        said += f"; the {form(len(pairs) - near, 'other one is', 'others are')} off the line"
    return f"{said}."


def points(direct, lost, dark=False):
    """What each part wrote against what is lost without it, as points; the line: both are equal."""
    kinds = (
        (heads_of(direct, lost), "heads", "attention", "circle", 9),
        (
            {k: v for k, v in layers_of(direct, lost).items() if k[0] == "a"},
            "attention, whole",
            "attention",
            "square-open",
            13,
        ),
        (
            {k: v for k, v in layers_of(direct, lost).items() if k[0] == "f"},
            "feed-forward",
            "feed-forward",
            "diamond",
            11,
        ),
    )
    every = [x for found, *_ in kinds for pair in found.values() for x in pair] or [0.0]
    ends = [min(0.0, *every), max(0.0, *every)]
    line = {"color": plots.colour("quiet", dark), "dash": "dash"}
    traces = [plots.scatter("lines", ends, ends, "both are equal", "", line=line, hoverinfo="skip")]
    for found, name, mark, symbol, size in kinds:
        look = {
            "marker": {"color": plots.colour(mark, dark), "symbol": symbol, "size": size},
            "text": [called(k) for k in found],
        }
        xs, ys = ([pair[i] for pair in found.values()] for i in (0, 1))
        traces.append(
            plots.scatter(
                "markers", xs, ys, name, "%{text}<br>wrote %{x:.2f}<br>lost without it %{y:.2f}", **look
            )
        )
    return plots.chart(traces, "wrote itself", "lost without it", dark)


def point_columns(direct, lost):
    """The points as a table."""
    found = layers_of(direct, lost) | heads_of(direct, lost)
    return {
        "part": [called(part) for part in found],
        "wrote": [wrote for wrote, _ in found.values()],
        "lost without it": [loss for _, loss in found.values()],
    }


def pushed(scores, label):
    """The tokens that an addition pushes up and down most, as a table's rows.  scores (V,); label(id)."""
    order = np.argsort(-scores, kind="stable")
    pairs = zip(order[:LISTED], order[::-1][:LISTED], strict=True)
    return [
        (label(int(up)), signed(scores[up]), label(int(down)), signed(scores[down])) for up, down in pairs
    ]
