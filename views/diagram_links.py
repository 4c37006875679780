"""Where each part of the diagram stands on a token's way down, and the pages that go further into it."""

# After what a part reads: the stream as it enters the block, after attention, as it leaves the block, or the
# model's last.  A part that is not named here reads what enters.
DEPTHS = {
    **dict.fromkeys(("tokens", "embedding", "positions"), "start"),
    **dict.fromkeys(
        ("addition1", "norm2", "feed_forward", "w1", "gate", "w3", "product", "w2", "router", "experts"),
        "between",
    ),
    **dict.fromkeys(("addition2", "norm2_after", "block", "blocks"), "leaving"),
    **dict.fromkeys(("final_norm", "output", "tie", "loss"), "end"),
}


def depth(part_id, parallel=False):
    """How far down the stream a part stands; in parallel blocks nothing lies between the two parts."""
    found = DEPTHS.get(part_id, "entering")
    if not parallel or found != "between":
        return found
    return "leaving" if part_id == "addition1" else "entering"


_STREAM = ("stream", "Residual stream: how much each part adds")
_ATTENTION = (
    ("attention", "Attention: all that a head looks at"),
    ("depth", "Depth: heads that find what came before"),
    ("who_wrote_it", "Who wrote it: which head or layer made a prediction"),
)
_GATE = (("gate", "The gate: which units open, and for what"),)
_LENS = (("lens", "Logit lens: what every row would say"),)
_NORM = (("norm", "RMSNorm: what it changes and what it leaves"),)
# {part: ((page, what its link says), …)}
PAGES = {
    "tokens": (("tokens", "Tokens: how a text is cut"),),
    "embedding": (("parameters", "Parameters: what the table costs"),),
    **dict.fromkeys(("stream", "addition1", "addition2"), (_STREAM,)),
    **dict.fromkeys(("block", "blocks"), (_STREAM, ("leave_out", "Leave a block out, and measure"))),
    **dict.fromkeys(("norm1", "norm2", "final_norm", "norm1_after", "norm2_after", "qk_norm"), _NORM),
    **dict.fromkeys(("attention", "causal_softmax", "attention_output"), _ATTENTION),
    **dict.fromkeys(("queries", "keys", "values"), _ATTENTION[:1]),
    "rope": (("rope", "RoPE: what a score knows of distance"),),
    **dict.fromkeys(("feed_forward", "w1", "gate", "w3", "product", "w2"), _GATE),
    **dict.fromkeys(("output", "loss"), _LENS),
    "tie": (("parameters", "Parameters: what the tie saves"),),
}


def pages(part_id, a, known):
    """The pages that go further into a part of an architecture -> [(page, what its link says)].

    known: the names of the pages that there are.
    """
    absent = {*(() if a.norm == "rms" else ("norm",)), *(() if a.gated else ("gate",))}
    return [list(one) for one in PAGES.get(part_id, ()) if one[0] in known and one[0] not in absent]
