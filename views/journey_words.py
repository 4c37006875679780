"""A token's journey in words: what was measured at it, part by part, for the diagram.

p: an engine Journey.  A part's numbers are {"labels": a name for each line, "values": a text for each line};
with "by_block" the values are such a list for each block, and a list in it holds a text for each head.
"""

import math
from itertools import pairwise

from views.numbers import counted, figure, form, percent, probability, whole


def left_out(tokens, limit):
    """What is said where so many tokens at a text's end are not read.  limit: how many are."""
    last = "last token does" if tokens == 1 else f"last {whole(tokens)} tokens do"
    left = f"{form(tokens, 'is', 'are')} left out"
    return f"The {last} not fit this model, which reads {whole(limit)}, and {left}."


def shown(p, pieces, label):
    """An engine Journey -> plain data for the diagram's component.

    pieces: the labels of all tokens of the text; label: token id -> text for showing.
    """
    said = {
        "stream": _figures(p.stream),
        "between": _figures(p.between),
        "attention": _figures(p.attention_added),
        "feed_forward": _figures(p.feed_forward_added),
    }
    predicted = _predicted(p, pieces, label)
    return {
        "token": p.token,
        "pieces": list(pieces),
        "parts": {
            "tokens": {
                "labels": ["Tokens", "This one"],
                "values": [whole(len(pieces)), f"number {p.token}, {pieces[p.token]}"],
            },
            **_the_stream(p, said),
            **_attention(p, said),
            **_feed_forward(p, said),
            "final_norm": {
                "labels": ["Root mean square before", "After, gain included"],
                "values": [figure(float(p.stream_rms[-1])), figure(p.final_rms)],
            },
            "output": predicted,
            "tie": {"labels": [], "values": []},
            "loss": predicted,
        },
        "read": [
            [[label(int(i)), probability(share), float(share), int(i)] for i, share in zip(*row, strict=True)]
            for row in zip(p.read, p.read_probabilities, strict=True)
        ],
        "attention": [[_looks(head) for head in block] for block in p.attention],
        "shut": None if p.gates is None else p.gates_shut.tolist(),
        "gates": p.gates,
        "lengths": {"stream": p.stream.tolist(), "between": p.between.tolist(), "said": said},
    }


def _the_stream(p, said):
    stream = said["stream"]
    before, after = _changed(p, said)
    return {
        "embedding": {
            "labels": ["Length of the row", "Root mean square"],
            "values": [stream[0], figure(float(p.stream_rms[0]))],
        },
        "stream": _by_block(("Length entering the block", stream[:-1]), ("Leaving it", stream[1:])),
        "block": _by_block(
            ("Length of the stream", before),
            ("And then", after),
            ("Attention adds", said["attention"]),
            ("Feed-forward adds", said["feed_forward"]),
        ),
        "blocks": {"labels": ["Length of the stream"], "values": [" → ".join(stream)]},
    }


def _attention(p, said):
    added = ("Length of what it adds", said["attention"])
    angle = ("Angle to the stream", _angles(p.attention_angle))
    entering = ("Length of the stream", said["stream"][:-1])
    changed = ("Length of the stream", _changed(p, said)[0])
    looks = [f"{counted(p.token + 1, 'token')}, itself included"] * len(p.between)
    return {
        "norm1": _norm(p.stream_rms[:-1], p.norm1_rms),
        "attention": _by_block(entering, added, angle),
        **_queries_and_keys(p),
        "causal_softmax": _by_block(("Looks at", looks)),
        "attention_output": _by_block(added),
        "addition1": _by_block(changed, added, angle),
    }


def _queries_and_keys(p):
    raw_queries, raw_keys, queries, keys, values = (
        [_figures(row) for row in lengths]
        for lengths in (p.raw_queries, p.raw_keys, p.queries, p.keys, p.values)
    )
    return {
        "queries": _by_block(("Length", raw_queries)),
        "keys": _by_block(("Length", raw_keys)),
        "values": _by_block(("Length", values)),
        "qk_norm": _by_block(
            ("Length of the query", _arrows(raw_queries, queries)), ("Of the key", _arrows(raw_keys, keys))
        ),
        "rope": _by_block(
            ("Position", [str(p.token)] * len(p.between)),
            ("Length of the query, kept", queries),
            ("Of the key, kept", keys),
        ),
    }


def _feed_forward(p, said):
    added = ("Length of what it adds", said["feed_forward"])
    angle = ("Angle to the stream", _angles(p.feed_forward_angle))
    entering = ("Length of the stream", said["between"])
    changed = ("Length of the stream", _changed(p, said)[1])
    shut = () if p.gates is None else (_shut(p),)
    return {
        "norm2": _norm(p.between_rms, p.norm2_rms),
        "feed_forward": _by_block(entering, added, angle, *shut),
        **_the_gate(p),
        "w2": _by_block(added),
        "addition2": _by_block(changed, added, angle),
    }


def _the_gate(p):
    if p.gates is None:
        return {}
    let_through = ("Length of the values", _figures(p.let_through))
    return {
        "w1": _by_block(("Scores above 0", [f"{n} of {whole(p.gates)}" for n in p.gates_open.tolist()])),
        "gate": _by_block(_shut(p)),
        "w3": _by_block(let_through),
        "product": _by_block(
            let_through, ("After the gate", _figures(p.product)), ("Largest number", _figures(p.largest))
        ),
    }


def _shut(p):
    return "Gates nearly shut", [f"{n} of {whole(p.gates)}" for n in p.gates_shut.tolist()]


def _norm(before, after):
    return _by_block(("Root mean square before", _figures(before)), ("After, gain included", _figures(after)))


def _predicted(p, pieces, label):
    labels, values = [label(int(i)) for i in p.top], [probability(x) for x in p.probabilities]
    if p.next_probability is not None:
        labels.append(f"The next one, {pieces[p.token + 1]}")
        values.append(f"{probability(p.next_probability)}, a surprise of {_surprise(p.next_probability)}")
    return {"labels": labels, "values": values}


def _surprise(p):
    return f"{figure(-math.log(p))} nats" if p > 0 else "more than 700 nats"


def _by_block(*rows):
    """rows: (label, a value for each block; a list of them holds one for each head)."""
    labels, values = zip(*rows, strict=True)
    return {
        "by_block": True,
        "labels": list(labels),
        "values": [list(of_block) for of_block in zip(*values, strict=True)],
    }


def _changed(p, said):
    """The stream's length, block by block: (over attention's addition, over the feed-forward layer's).

    In parallel blocks one sum adds both.
    """
    stream, between = said["stream"], said["between"]
    if p.parallel:
        return ([f"{a} → {b}" for a, b in pairwise(stream)],) * 2
    return (
        [f"{a} → {b}" for a, b in zip(stream[:-1], between, strict=True)],
        [f"{a} → {b}" for a, b in zip(between, stream[1:], strict=True)],
    )


def _arrows(before, after):
    return [[f"{a} → {b}" for a, b in zip(*heads, strict=True)] for heads in zip(before, after, strict=True)]


def _figures(values):
    return [figure(float(value)) for value in values]


def _angles(values):
    return ["–" if math.isnan(v) else f"{v:.0f}°" for v in values]


def _looks(weights):
    """What a head gives each token, six digits of it; of several tokens none has all or nothing."""
    if len(weights) == 1:
        return [1.0]
    return [min(max(round(float(w), 6), 1e-6), 1 - 1e-6) for w in weights]


_OF_ATTENTION = {
    "attention", "queries", "keys", "values", "qk_norm", "rope", "causal_softmax", "attention_output",
}  # fmt: skip
_OF_THE_GATE = {"feed_forward", "w1", "gate", "w3", "product", "w2"}
_OF_THE_END = {"final_norm", "output", "loss", "tie"}


def sentences(journey, layers, part="stream", block=1):
    """What to notice of a part: plain sentences, their numbers filled in.  journey: what shown gives.

    part: whose card is open.  block: from 1; of more than there are, the last.
    """
    block = min(block, layers)
    if part in _OF_ATTENTION:
        return _heads(journey["attention"][block - 1], journey["token"], block)
    if part in _OF_THE_GATE and journey["gates"] is not None:
        return [_gates_shut(journey["shut"][block - 1], journey["gates"], block)]
    if part in _OF_THE_END:
        return [_decided(journey["read"])]
    return _grown(journey, layers)


def _heads(heads, token, block):
    """Where the heads of a block look most from a token."""
    if token == 0:
        return ["The first token has nothing before it: every head looks at it alone."]
    most = [max(range(len(weights)), key=weights.__getitem__) for weights in heads]
    first, own = most.count(0), most.count(token)
    before = f", {own} at this token itself and {most.count(token - 1)} at the one just before"
    places = before if token > 1 else f" and {own} at this token itself"
    share, sharpest = max((max(weights), -h) for h, weights in enumerate(heads, start=1))
    said = [f"The largest share of all goes to one token from head {-sharpest}: {percent(share)}."]
    if len(heads) > 1:
        look = form(first, "looks", "look")
        said.insert(
            0, f"Of {len(heads)} heads in block {block}, {first} {look} most at the first token{places}."
        )
    return said


def _decided(read):
    """From where on the lens reads the token that the model puts first in the end.  read: rows downwards."""
    first = [row[0][3] for row in read]
    row = len(first) - 1
    while row and first[row - 1] == first[-1]:
        row -= 1
    place = f"from block {(row + 1) // 2} on" if row else "from the embedding on"
    where = "only at the very end" if row == len(first) - 1 else f"{place}, and stays there"
    return f"Read on the way down, {read[-1][0][0]} comes first {where}."


def _grown(journey, layers):
    """How long the token's vector is, and where that changes most."""
    lengths = journey["lengths"]
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
    return found


def _gates_shut(shut, gates, block):
    nearly = f"{form(shut, 'is', 'are')} nearly shut"
    return f"In block {block}, {whole(shut)} of {whole(gates)} gates {nearly} for this token."
