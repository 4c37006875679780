"""The live numbers of the diagram: what was measured at one token, in words, part by part."""

import math
from itertools import pairwise

from views.numbers import counted, figure, form, probability, whole


def numbers(passage, pieces, label):
    """An engine Passage -> plain data for the diagram's component.

    pieces: the labels of all tokens of the text; label: token id -> text for showing.
    """
    p = passage
    L = len(p.between)

    def said(values):
        return [figure(float(value)) for value in values]

    def by_block(*rows):
        """rows: (label, a value for each block; a list of them holds one for each head)."""
        return {
            "by_block": True,
            "labels": [name for name, _ in rows],
            "values": [[values[block] for _, values in rows] for block in range(L)],
        }

    def by_head(lengths):
        return [said(row) for row in lengths]

    def angles(values):
        return ["–" if math.isnan(v) else f"{v:.0f}°" for v in values]

    stream, between = said(p.stream), said(p.between)
    changed = [f"{a} → {b}" for a, b in zip(stream, between, strict=False)]
    changed_again = [f"{a} → {b}" for a, b in zip(between, stream[1:], strict=True)]
    rms, rms_between = said(p.stream_rms), said(p.between_rms)
    norm1, norm2 = said(p.norm1_rms), said(p.norm2_rms)
    attention = ("Length of what it adds", said(p.attention_added))
    feed_forward = ("Length of what it adds", said(p.feed_forward_added))
    shut = ("Gates nearly shut", [f"{n} of {whole(p.gates)}" for n in p.gates_shut.tolist()])
    raw_queries, raw_keys, queries, keys = map(by_head, (p.raw_queries, p.raw_keys, p.queries, p.keys))

    def pairs(a, b):
        return [[f"{x} → {y}" for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]

    predicted = {
        "labels": [label(int(i)) for i in p.top],
        "values": [probability(x) for x in p.probabilities],
    }
    if p.next_probability is not None:
        predicted["labels"].append(f"The next one, {pieces[p.token + 1]}")
        predicted["values"].append(
            f"{probability(p.next_probability)}, a surprise of "
            + (
                f"{figure(-math.log(p.next_probability))} nats"
                if p.next_probability > 0
                else "more than 700 nats"
            )
        )
    parts = {
        "tokens": {
            "labels": ["Tokens", "This one"],
            "values": [whole(len(pieces)), f"number {p.token}, {pieces[p.token]}"],
        },
        "embedding": {
            "labels": ["Length of the row", "Root mean square"],
            "values": [stream[0], rms[0]],
        },
        "stream": by_block(("Length entering the block", stream[:-1]), ("Leaving it", stream[1:])),
        "block": by_block(
            ("Length of the stream", changed), ("And then", changed_again),
            ("Attention adds", said(p.attention_added)), ("Feed-forward adds", said(p.feed_forward_added)),
        ),
        "blocks": {"labels": ["Length of the stream"], "values": [" → ".join(stream)]},
        "norm1": by_block(("Root mean square before", rms[:-1]), ("After, gain included", norm1)),
        "attention": by_block(
            ("Length of the stream", stream[:-1]), attention,
            ("Angle to the stream", angles(p.attention_angle)),
        ),
        "queries": by_block(("Length", raw_queries)),
        "keys": by_block(("Length", raw_keys)),
        "values": by_block(("Length", by_head(p.values))),
        "qk_norm": by_block(
            ("Length of the query", pairs(raw_queries, queries)), ("Of the key", pairs(raw_keys, keys)),
        ),
        "rope": by_block(
            ("Position", [str(p.token)] * L), ("Length of the query, kept", queries),
            ("Of the key, kept", keys),
        ),
        "causal_softmax": by_block(
            ("Looks at", [f"{counted(p.token + 1, 'token')}, itself included"] * L),
        ),
        "attention_output": by_block(attention),
        "addition1": by_block(
            ("Length of the stream", changed), attention, ("Angle to the stream", angles(p.attention_angle)),
        ),
        "norm2": by_block(("Root mean square before", rms_between), ("After, gain included", norm2)),
        "feed_forward": by_block(
            ("Length of the stream", between), feed_forward,
            ("Angle to the stream", angles(p.feed_forward_angle)), shut,
        ),
        "w1": by_block(("Scores above 0", [f"{n} of {whole(p.gates)}" for n in p.gates_open.tolist()])),
        "gate": by_block(shut),
        "w3": by_block(("Length of the values", said(p.let_through))),
        "product": by_block(
            ("Length of the values", said(p.let_through)), ("After the gate", said(p.product)),
            ("Largest number", said(p.largest)),
        ),
        "w2": by_block(feed_forward),
        "addition2": by_block(
            ("Length of the stream", changed_again), feed_forward,
            ("Angle to the stream", angles(p.feed_forward_angle)),
        ),
        "final_norm": {
            "labels": ["Root mean square before", "After, gain included"],
            "values": [rms[-1], figure(p.final_rms)],
        },
        "output": predicted,
        "tie": {"labels": [], "values": []},
        "loss": predicted,
    }  # fmt: skip
    return {
        "token": p.token,
        "pieces": list(pieces),
        "parts": parts,
        "attention": [[_looks(head) for head in block] for block in p.attention],
        "shut": p.gates_shut.tolist(),
        "gates": p.gates,
        "lengths": {
            "stream": p.stream.tolist(),
            "between": p.between.tolist(),
            "said": {
                "stream": stream,
                "between": between,
                "attention": attention[1],
                "feed_forward": feed_forward[1],
            },
        },
    }


def _looks(weights):
    """What a head gives each token, six digits of it; of several tokens none has all or nothing."""
    if len(weights) == 1:
        return [1.0]
    return [min(max(round(float(w), 6), 1e-6), 1 - 1e-6) for w in weights]


def sentences(live, layers):
    """What to notice at this token: plain sentences, their numbers filled in."""
    lengths = live["lengths"]
    said, stream = lengths["said"], lengths["stream"]
    found = [
        f"This token's vector is {said['stream'][0]} long when it starts and {said['stream'][-1]} at the end."
    ]
    if layers > 1 and min(stream) > 0:
        times = [after / before for before, after in pairwise(stream)]
        k = max(range(layers), key=lambda block: abs(math.log(times[block])))
        found.append(
            f"Block {k + 1} changes its length most: after it, it is {figure(times[k])} times what it was."
        )
    shut = live["shut"][-1]
    where = "In the last block" if layers > 1 else "In its one block"
    found.append(
        f"{where} {whole(shut)} of {whole(live['gates'])} gates {form(shut, 'is', 'are')} nearly shut for it."
    )
    return found
