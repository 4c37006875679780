"""RoPE against learned positions, and on the queries and keys of a trained model.

T tokens · D head width
"""

import numpy as np

from engine import rope
from views import plots
from views.numbers import figure, whole


def shifted(query, key, distance, table_length, tables):
    """Scores when query and key move together: RoPE and learned positions.

    -> (positions of the key (N,), RoPE's scores (N,), the learned ones' (N,)); distance may be negative.
    """
    places = np.arange(max(0, -distance), table_length - max(0, distance))
    turned = rope.turn(query, places + distance), rope.turn(key, places)
    return (
        places,
        (turned[0] * turned[1]).sum(-1),
        rope.score_learned(query, key, places + distance, places, tables),
    )


def shifted_plot(places, rotary, learned, n, dark=False):
    """Score against the key's position at one distance -> (figure, columns)."""
    here, hover = int(np.flatnonzero(places == n)[0]), "key at %{x}: %{y:.3f}"
    curves = ((learned, "a vector a position (random here)", "norm", 1), (rotary, "RoPE", "attention", 3))
    traces = [
        plots.scatter(
            "lines", places, scores, name, hover, line={"color": plots.colour(mark, dark), "width": width}
        )
        for scores, name, mark, width in curves
    ]
    both = [rotary[here], learned[here]]
    traces.append(plots.chosen([n, n], both, "your positions", hover, dark, size=12))
    made = plots.chart(traces, "key's position, the distance kept", "score q · k", dark)
    return made, {"key at": places, "RoPE": rotary, "a random vector a position": learned}


def shifted_sentence(places, rotary, learned, distance):
    """How much a shift changes either score."""
    if len(places) == 1:
        return (
            f"The distance {_signed(distance)} fits at one place only. Choose a shorter one, and move both."
        )
    kept = float(np.ptp(rotary))
    first = "RoPE's score stays the same" if kept < 1e-9 else f"RoPE's score varies by {figure(kept)}"
    return (
        f"Over the {whole(len(places))} places where the distance {_signed(distance)} fits, {first}; with a "
        f"vector added at each position it goes from {figure(float(learned.min()))} to "
        f"{figure(float(learned.max()))}."
    )


def _signed(distance):
    return str(distance).replace("-", "−")


def of_head(trace, block, head, t):
    """One query of a head with the keys that it meets: a trace with both -> ((D,), (T, D)).

    block, head: from 0.  With fewer key heads than query heads, as many query heads in a row share one.
    """
    shared = trace.queries.shape[1] // trace.keys.shape[1]
    return trace.queries[block, head, t], trace.keys[block, head // shared]


def reach(query, keys, t, s, base, gain=1.0):
    """One query of a trained head, as in its pass: query (D,) at token t, keys (T, D).

    -> (scores with every key up to t, where they stand (t + 1,);
        scores of key s at each distance 0 … T - 1 (T,)).
    base: of the angles, or the speeds of the pairs, which may be of a head's first numbers alone; gain: what
    the score of turned numbers is multiplied with.
    """
    q, k = query.astype(np.float64), keys.astype(np.float64)
    R = 2 * len(base) if isinstance(base, np.ndarray) else len(q)
    still = k[:, R:] @ q[R:]  # numbers that know no position
    turned = rope.turn(k[: t + 1, :R], np.arange(t + 1), base) @ rope.turn(q[:R], t, base)
    anywhere = rope.score_at(q[:R], k[s, :R], np.arange(len(keys)), base)
    found = gain * turned + still[: t + 1], gain * anywhere + still[s]
    return tuple(scores / np.sqrt(len(q)) for scores in found)


def reach_plot(actual, curve, t, s, labels, dark=False):
    """The chosen key's score by distance, and every key where it stands -> (figure, columns)."""
    distance, hover = np.arange(len(curve)), "distance %{x}: %{y:.3f}"
    ring = {"color": plots.colour("norm", dark), "size": 7, "symbol": "circle-open"}
    every = plots.scatter(
        "markers",
        t - np.arange(t + 1),
        actual,
        "every key up to the query, where it stands",
        "%{text}, " + hover,
        text=[plots.escape(label) for label in labels[: t + 1]],
        marker=ring,
    )
    look = {"color": plots.colour("attention", dark), "width": 2.5}
    anywhere = plots.scatter("lines", distance, curve, "the chosen key, wherever it stood", hover, line=look)
    here = plots.chosen([t - s], [actual[s]], "the chosen key, where it stands", hover, dark)
    x = "distance: query's position − key's position"
    made = plots.chart([every, anywhere, here], x, "score q · k / √D", dark)
    return made, {"distance": distance, "score of the chosen key there": curve}


def reach_sentence(actual, curve, t, s, key_label):
    """The chosen key where it stands and where it would score most.  key_label: Markdown."""
    best = int(curve.argmax())
    stands = f"The key of {key_label}, {t - s} back, scores {figure(float(actual[s]))}."
    if t == s:
        stands = (
            f"The query meets the key of its own token, {key_label}, and scores {figure(float(actual[s]))}."
        )
    if len(curve) == 1:
        return f"{stands} The text has no other distance to try."
    where = (
        "no other distance in this text would give it more"
        if curve[t - s] >= curve[best] - 1e-9
        else f"the same two vectors would score most, {figure(float(curve[best]))}, at distance {best}"
    )
    rank = 1 + int((actual > actual[s]).sum())
    order = "the highest" if rank == 1 else f"number {rank}"
    others = "" if t == 0 else f" Of the {t + 1} keys this query can see, it is {order}."
    return f"{stands} By position alone, {where}.{others}"
