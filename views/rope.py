"""What the RoPE page shows: curves, tables, and the sentences that what was measured makes true.

m position of the query · n position of the key
"""

import numpy as np

from engine import rope
from views import plots
from views.numbers import counted, figure, whole

LONGEST = 1023  # the last position on the sliders
# The two checks that anyone's code must reproduce: seed, width, scaled, and where query and key stand.
CHECKS = {
    "1": {"seed": 1, "width": 64, "scaled": False, "places": ((5, 2), (105, 102), (400, 397), (5, 4))},
    "2026": {"seed": 2026, "width": 32, "scaled": True, "places": ((5, 2), (15, 12), (8, 2))},
}
SCORE = {False: "score q · k", True: "score q · k / √D"}


def check_title(name):
    """The name of one check, as listed."""
    check = CHECKS[name]
    scaled = f", score divided by √{check['width']}" if check["scaled"] else ""
    return f"Seed {name}, width {check['width']}{scaled}"


def move(m, n, moved, to, together):
    """A slider was moved: moved "m" or "n", to a new place -> the places (m, n) of both.

    together: the other goes along, so far that neither leaves the range and the distance is kept.
    """
    if not together:
        return (to, n) if moved == "m" else (m, to)
    by = to - (m if moved == "m" else n)
    by = max(-min(m, n), min(LONGEST - max(m, n), by))
    return m + by, n + by


def window(distance):
    """The distances that the curve shows -> (first, last): steps, so that it does not jump."""
    last = next((size for size in (32, 128, 512) if abs(distance) <= size), LONGEST)
    return (-last, last) if distance < 0 else (0, last)


def curve(query, key, distance, context, scaled, dark=False, setting=()):
    """Score against distance with the point on it -> (figure, columns).

    context: the longest text of a model's training, or None; setting: base and pairing, if not the usual.
    """
    first, last = window(distance)
    distances = np.arange(first, last + 1)
    scores = rope.score_at(query, key, distances, *setting, scaled=scaled)
    here = float(rope.score_at(query, key, [distance], *setting, scaled=scaled)[0])
    mode, hover = "lines+markers" if last - first <= 128 else "lines", "distance %{x}: %{y:.4f}"
    look = {"line": {"color": plots.colour("attention", dark), "width": 1.5}, "marker": {"size": 4}}
    traces = [
        plots.scatter(mode, distances, scores, "every distance", hover, **look),
        plots.chosen([distance], [here], "your query and key", hover, dark),
    ]
    x = "distance: query's position − key's position"
    made = plots.chart(traces, x, SCORE[scaled], dark, shapes=_beyond(context, last, dark))
    return made, {"distance": distances, "score": scores}


def _beyond(context, last, dark):
    """A tint over the distances that a model with this context, if any, never met in training."""
    if context is None or last < context:
        return []
    grey = plots.colour("quiet", dark)
    label = {"text": "beyond training", "textposition": "top left", "font": {"color": grey}}
    return [
        {
            "type": "rect", "x0": context, "x1": last, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"width": 0}, "fillcolor": grey, "opacity": 0.15, "layer": "below", "label": label,
        }
    ]  # fmt: skip


def places_table(query, key, places, scaled, *setting):
    """The check's table: {heading: values}, a row for each place (m, n)."""
    return {
        "query at": [str(m) for m, _ in places],
        "key at": [str(n) for _, n in places],
        "distance": [f"{m - n}".replace("-", "−") for m, n in places],
        SCORE[scaled]: [
            f"{rope.score(query, key, m, n, *setting, scaled=scaled):.3f}".replace("-", "−")
            for m, n in places
        ],
    }


def spread(query, key, m, n, scaled):
    """The score wherever this distance fits on the sliders -> (how many places, largest − smallest)."""
    low, high = min(m, n), max(m, n)
    shifts = np.arange(-low, LONGEST - high + 1)
    turned = rope.turn(query, m + shifts), rope.turn(key, n + shifts)
    scores = (turned[0] * turned[1]).sum(-1) / (len(query) ** 0.5 if scaled else 1)
    return len(shifts), float(scores.max() - scores.min())


def where_sentence(m, n, score):
    """How query and key stand, and the score."""
    if m == n:
        return (
            f"Query and key stand at the same position {m}, so nothing is turned apart: "
            f"{figure(score)} is the score of the two vectors as they were drawn."
        )
    steps = counted(abs(m - n), "position")
    if m > n:
        return f"The key stands {steps} before the query, and the score is {figure(score)}."
    return (
        f"Here the key stands {steps} after the query, with a score of {figure(score)}. "
        "The formula allows it; in our models no token looks ahead, so this never happens there."
    )


def spread_sentence(places, difference):
    """Whether moving both changes anything."""
    if places == 1:
        return "This distance fits on the sliders at one place only; choose a shorter one and move both."
    if difference < 1e-9:
        return (
            f"Move both: at each of the {whole(places)} places where this distance fits, the score is the "
            "same (up to rounding in the last digits)."
        )
    return f"Over the {whole(places)} places where this distance fits, it differs by {figure(difference)}."


def beyond_sentence(m, n, context, title):
    """What a model knows of this place from its training, or nothing to say ("").

    context: the most positions that a text of its training had; title: the model's, within a sentence.
    """
    if max(m, n) < context or n > m:
        return ""
    read = f"In training {title} read at most {whole(context)} positions at a time"
    if m - n < context:
        apart = f"two tokens stood {counted(m - n, 'position')} apart" if m > n else "a query met its own key"
        return (
            f"{read}, so no query of its stood at {m}; but {apart}, and the score is the same here. New to a "
            f"query at {m} are only keys {whole(context)} positions back and more."
        )
    return (
        f"{read}, so it met no distance above {whole(context - 1)}, and {m - n} is one. The formula goes on "
        "for ever; what a model makes of such scores has to be measured: [it is](length)."
    )


def no_rope_sentence(title):
    """What is said of a model whose queries and keys are not turned."""
    return f"{title} has no RoPE: its queries and keys are not turned by their positions."


def length_sentence(query, key, m, n):
    """That turning keeps the length of both vectors, with the lengths."""
    query_kept, key_kept = _kept("query", query, m), _kept("key", key, n)
    return f"{query_kept[0].upper()}{query_kept[1:]}; {key_kept}. Values are not turned at all."


def _kept(name, vector, position):
    """One vector's length before and after."""
    before, after = np.linalg.norm(vector), np.linalg.norm(rope.turn(vector, position))
    kept = "the same" if abs(before - after) < 1e-9 * before else "another"
    return f"the {name}'s length is {before:.6f}, and turned to position {position} it is {after:.6f}: {kept}"
