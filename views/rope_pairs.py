"""How fast the pairs turn: dials, wavelengths, and what another base or pairing changes.

D width of a head, made of D/2 pairs · m position of the query · n position of the key
"""

import math

import numpy as np

from engine import rope
from views import plots
from views.numbers import counted, figure, form, short, whole

BASES = {"10000": "10,000, as in our models", "100000": "100,000, as in SmolLM2", "own": "your own"}
PAIRINGS = {"halves": "halves: x[i] with x[i + D/2]", "neighbours": "neighbours: x[2i] with x[2i + 1]"}
CHECK = ((5, 2), (105, 102), (400, 397), (5, 4))


def positions(wavelength):
    """A wavelength as a reader reads it: 6.3, 251, 47,117 positions."""
    return (
        figure(wavelength, 2)
        if wavelength < 100
        else whole(round(wavelength))
        if wavelength < 1e7
        else short(wavelength)
    )


def hands(width, base, m, n):
    """A dial a pair: [{name, turn, query, key}], angles in radians within one turn."""
    speed, length = rope.speeds(width, base), rope.wavelengths(width, base)
    return [
        {
            "name": f"pair {i}",
            "turn": positions(length[i]),
            "query": float(m * speed[i] % (2 * math.pi)),
            "key": float(n * speed[i] % (2 * math.pi)),
        }
        for i in range(width // 2)
    ]


def hands_sentence(width, base, m, n):
    """What the dials show at a distance of m - n."""
    length = rope.wavelengths(width, base)
    if m == n:
        return (
            "Query and key stand at the same position, so in every dial the two hands point the same way, "
            "however far both have turned."
        )
    d, total = abs(m - n), width // 2
    round_once = int((length <= d).sum())
    still = int((length >= 36 * d).sum())  # ten degrees at most
    goes, turns = form(round_once, "goes", "go"), form(still, "turns", "turn")
    return (
        f"On the way from key to query, {counted(d, 'position')}, {round_once} of the {total} pairs {goes} "
        f"round at least once, and {still} {turns} by 10 degrees at most. Move both, and all hands turn, but "
        "no angle between two hands changes."
    )


def wavelength_plot(width, base, context, dark=False):
    """Positions for a full turn of each pair, on a logarithmic axis -> (figure, columns)."""
    speed, length = rope.speeds(width, base), rope.wavelengths(width, base)
    pair = np.arange(width // 2)
    within = length <= context
    traces = [
        _pairs(pair[chosen], length[chosen], name, symbol, dark)
        for chosen, name, symbol in (
            (within, "at least one full turn in a text", "circle"),
            (~within, "less than one", "circle-open"),
        )
        if chosen.any()
    ]
    named = f"the longest text: {context} positions"
    line = plots.limit_line(context, named, "accent", dark, "bottom")
    y = {"title": "positions for one full turn", "type": "log", "dtick": 1}
    made = plots.chart(traces, "pair", y, dark, shapes=[line])
    columns = {
        "pair": pair,
        "radians a position": speed,
        "degrees a position": np.degrees(speed),
        "positions for a full turn": length,
        f"turns in {context} positions": context / length,
    }
    return made, columns


def _pairs(pair, length, name, symbol, dark):
    """A mark for each of some pairs."""
    look = {"color": plots.colour("attention", dark), "size": 11, "symbol": symbol}
    return plots.scatter(
        "markers", pair, length, name, "pair %{x}: a turn every %{y:,.1f} positions", marker=look
    )


def wavelength_sentence(width, base, context, title="the model"):
    """Which pairs tell near from far.  context: the longest text of this model; title: within a sentence."""
    length, total = rope.wavelengths(width, base), width // 2
    fast, slow = int((length <= context).sum()), int((length > 4 * context).sum())
    ends = (
        f"In a head of {title}, {width} wide, the first pair turns once every {positions(length[0])} "
        f"positions, the last once every {positions(length[-1])}."
    )
    if fast == total:
        return (
            f"{ends} All {total} pairs go round within a text of {context}, so each of them points the same "
            "way at several distances."
        )
    told = (
        f"{fast} of {total} {form(fast, 'goes', 'go')} round at least once within a text of {context}, and "
        f"{form(fast, 'points', 'point')} the same way at several distances."
    )
    between = total - fast - slow
    if between:
        told += (
            f" {between} {form(between, 'turns', 'turn')} by a quarter or more, but less than once, over the "
            "whole text."
        )
    if slow == 0:
        return f"{ends} {told}"
    return (
        f"{ends} {told} {slow} {form(slow, 'turns', 'turn')} by less than a quarter: each angle belongs "
        f"to one distance, but from one distance to the next {form(slow, 'it', 'they')} hardly "
        f"{form(slow, 'moves', 'move')}."
    )


def switched(query, key, base, pairing, dark=False):
    """The score by distance as trained and with another base or pairing -> (figure, columns)."""
    distances = np.arange(129)
    trained = rope.score_at(query, key, distances)
    other = rope.score_at(query, key, distances, base, pairing)
    same = base == 10_000 and pairing == "halves"
    curves = [(trained, "as trained: halves, base 10,000", "attention", "solid")]
    if not same:
        curves.append((other, f"{pairing}, base {base_text(base)}", "accent", "dot"))
    traces = []
    for scores, name, mark, dash in curves:
        look = {"color": plots.colour(mark, dark), "dash": dash, "width": 2.5}
        traces.append(plots.scatter("lines", distances, scores, name, "distance %{x}: %{y:.3f}", line=look))
    made = plots.chart(traces, "distance: query's position − key's position", "score q · k", dark)
    return made, {"distance": distances, "as trained": trained, "with your switches": other}


def base_text(base):
    """10000.0 -> "10,000"; 7.5 -> "7.5" """
    return f"{base:,.6g}" if base < 1e6 else f"{base:,.0f}"


def switched_table(query, key, base, pairing):
    """The check's places with both -> {heading: values}."""
    rows = [
        (m, n, rope.score(query, key, m, n), rope.score(query, key, m, n, base, pairing)) for m, n in CHECK
    ]
    return {
        "query at": [str(m) for m, *_ in rows],
        "key at": [str(n) for _, n, *_ in rows],
        "distance": [str(m - n) for m, n, *_ in rows],
        "as trained": [f"{score:.3f}".replace("-", "−") for *_, score, _ in rows],
        "with your switches": [f"{score:.3f}".replace("-", "−") for *_, score in rows],
    }


def switched_sentence(query, key, base, pairing):
    """What the switches keep, and what they change."""
    if base == 10_000 and pairing == "halves":
        return (
            "These are the settings that our models were trained with. "
            "Switch one and compare the table's last columns."
        )
    distances = np.arange(129)
    apart = rope.score_at(query, key, distances, base, pairing) - rope.score_at(query, key, distances)
    worst = int(np.abs(apart).argmax())
    size, kept = float(abs(apart[worst])), _kept(query, key, base, pairing)
    if size < 5e-4:
        return f"{kept} And no score of this figure differs by as much as 0.001."
    return (
        f"{kept} But they are other scores, by up to {figure(size)} (at distance {worst}). A model "
        "learns its queries and keys for one rule; read with another, they give scores that it did not "
        "learn, and no error is raised."
    )


def _kept(query, key, base, pairing):
    """Whether equal distances still give equal scores."""
    scores = [rope.score(query, key, m, n, base, pairing) for m, n in CHECK[:3]]
    if max(scores) - min(scores) < 1e-9:
        return "Still equal scores at equal distances: the property does not depend on base or pairing."
    return "The three scores at distance 3 are no longer equal."
